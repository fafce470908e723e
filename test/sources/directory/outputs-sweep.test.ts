// What a killed process left behind may hold a password, so the next one takes it away. It once took away whatever began
// with two dots: live outputs of another operator, the layout of a mounted Secret, a stranger's folder.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { openOperator } from '../../../src/runtime/directory-operator.ts';
import type { EffectInfo } from '../../../src/core/effect.ts';
import { keyText } from '../../../src/core/resource.ts';
import { Secret } from '../../../src/core/secret.ts';
import { versionsBy } from '../../../src/sources/directory/identity.ts';
import { Outputs } from '../../../src/sources/directory/outputs.ts';
import { leave } from '../../../src/sources/directory/row.ts';
import { DirectorySource } from '../../../src/sources/directory/source.ts';
import { killedAt } from '../../support/dying-disk.ts';
import { TestClock } from './source-support.ts';
import { openState, put, tempFolder } from './state-support.ts';

const passwords = {
  r1: 'canary-swept-one-2b',
  r2: 'canary-swept-two-9e',
  r3: 'canary-swept-three-41',
} as const;
const shop = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'web' }, uid: 'uid-web' };
const theirs = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'api' }, uid: 'uid-api' };
/** Of ours, too, in the folder that is a mounted Secret. */
const mounted = { key: { kind: 'LDAPStaticRole', namespace: 'db', name: 'main' }, uid: 'uid-main' };
/** Not of a namespace: it publishes nothing. */
const connection = { key: { kind: 'SecretsConnection', namespace: '', name: 'vault' }, uid: 'uid-vault' };

/** A process of ours. */
function operator(directory: string, onEffect?: (info: EffectInfo) => void): Outputs {
  const gate = new EffectGate({ nowMs: () => 0, ...(onEffect && { onEffect }) });
  return new Outputs({ directory, gate, versionOf: versionsBy(Buffer.alloc(32, 1)) });
}

const output = (revision: keyof typeof passwords, name = 'web-login') => ({
  name,
  revision,
  entries: { password: [Secret.of('role/web', revision, passwords[revision])], username: ['web'] },
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** As the kubelet lays out a Secret. */
function mountSecret(place: string): void {
  write(join(place, '..2026_11_22_10_00_00.123', 'password'), 'mounted');
  symlinkSync('..2026_11_22_10_00_00.123', join(place, '..data'));
  symlinkSync('..data/password', join(place, 'password'));
}

/** Every path below it, links and empty folders included. */
const paths = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();

describe('a start takes away the drafts of its own objects', () => {
  test('and nothing of another operator, of a mounted Secret, or of a stranger', () => {
    const directory = tempFolder();
    const other = operator(directory);
    other.publish(theirs, output('r1', 'api-login'));
    write(join(directory, 'shop', '..holdfast.uid-api', '..one', 'password'), 'written by the other now');
    mountSecret(join(directory, 'db'));
    mountSecret(join(directory, 'shop', 'tls'));
    write(join(directory, 'shop', '..backup', 'notes'), 'a stranger’s');
    write(join(directory, '..hidden', '..backup', 'notes'), 'a stranger’s');
    write(join(directory, 'elsewhere', '..holdfast.uid-web', 'notes'), 'not where ours publishes');
    const before = paths(directory);
    write(join(directory, 'shop', '..holdfast.uid-web', '..one', 'password'), 'left behind');
    const effects: string[] = [];
    const ours = operator(directory, ({ op }) => effects.push(op));
    const all = [shop, mounted, connection];
    ours.sweep(all);
    expect(paths(directory)).toEqual(before);
    expect(readFileSync(join(directory, 'db', 'password'), 'utf8')).toBe('mounted');
    expect(other.published(theirs, 'api-login')).toEqual({ is: 'ours', revision: 'r1', whole: true });
    ours.sweep(all);
    expect(effects).toEqual(['output.sweep']); // nothing is left, nothing is done
  });

  test('and of none through a link, or by a UID that leads elsewhere', () => {
    const directory = tempFolder();
    const elsewhere = tempFolder();
    write(join(elsewhere, '..holdfast.uid-web', 'notes'), 'a stranger’s');
    write(join(directory, 'precious', 'notes'), 'a stranger’s');
    symlinkSync(elsewhere, join(directory, 'shop'));
    operator(directory).sweep([shop, { ...mounted, uid: '/../../precious' }]);
    expect(paths(elsewhere)).toContain('..holdfast.uid-web/notes');
    expect(paths(directory)).toContain('precious/notes');
  });
});

test('publishing leaves a stranger’s folder alone that is named as a draft once was', () => {
  const directory = tempFolder();
  write(join(directory, 'shop', '..web-login', 'notes'), 'a stranger’s');
  const outputs = operator(directory);
  outputs.publish(shop, output('r1'));
  outputs.withdraw(shop, 'web-login');
  expect(paths(join(directory, 'shop'))).toEqual(['..web-login', '..web-login/notes']);
});

test('an object that is let go takes its draft with it: afterwards nothing says whose it was', () => {
  const directory = tempFolder();
  write(join(directory, 'shop', '..holdfast.uid-web', '..one', 'password'), 'left behind');
  const outputs = operator(directory);
  outputs.discard(theirs);
  outputs.discard(connection);
  expect(paths(join(directory, 'shop'))).toHaveLength(3);
  outputs.discard(shop);
  expect(paths(join(directory, 'shop'))).toEqual([]);
});

interface Story {
  readonly what: string;
  readonly before: readonly (keyof typeof passwords)[];
  readonly act: (outputs: Outputs) => void;
  /** Afterwards, which revisions may stand there. */
  readonly leaves: readonly (keyof typeof passwords | 'nothing')[];
}

const stories: readonly Story[] = [
  {
    what: 'the first write',
    before: [],
    act: (o) => o.publish(shop, output('r1')),
    leaves: ['nothing'], // its last change is the one that shows it
  },
  { what: 'the next write', before: ['r1'], act: (o) => o.publish(shop, output('r2')), leaves: ['r1', 'r2'] },
  {
    what: 'a write into the first set again',
    before: ['r1', 'r2'],
    act: (o) => o.publish(shop, output('r3')),
    leaves: ['r2', 'r3'],
  },
  {
    what: 'a trial of the first',
    before: [],
    act: (o) => o.tryPublish(shop, 'web-login'),
    leaves: ['nothing'],
  },
  {
    what: 'a trial of the next',
    before: ['r1'],
    act: (o) => o.tryPublish(shop, 'web-login'),
    leaves: ['r1'],
  },
  {
    what: 'withdrawing',
    before: ['r1'],
    act: (o) => o.withdraw(shop, 'web-login'),
    leaves: ['r1', 'nothing'],
  },
];

describe.each(stories)('killed at each of its changes, $what', ({ before, act, leaves }) => {
  /** Everything that the kill may have left, in each of the ways in which it may have been killed. */
  function* kills(): Generator<{ readonly directory: string; readonly nth: number }> {
    for (let nth = 0; ; nth += nth < 16 ? 1 : 5) {
      const directory = tempFolder();
      for (const revision of before) operator(directory).publish(shop, output(revision));
      if (!killedAt(nth, () => act(operator(directory)))) break;
      yield { directory, nth };
    }
  }

  test('shows one password or the other, or none; the next process leaves no trace of it', () => {
    let killed = 0;
    const stood = new Set<string>();
    for (const { directory, nth } of kills()) {
      killed += 1;
      const next = operator(directory);
      next.sweep([shop]);
      const found = next.published(shop, 'web-login');
      if (found.is === 'foreign') throw new Error(`at ${nth}: it belongs to nobody`);
      const revision = found.is === 'ours' ? found.revision : 'nothing';
      expect(leaves, `at ${nth}`).toContain(revision);
      stood.add(revision);
      const place = join(directory, 'shop', 'web-login');
      if (revision === 'r1' || revision === 'r2' || revision === 'r3') {
        if (found.is === 'ours' && found.whole)
          expect(readFileSync(join(place, 'password'), 'utf8'), `at ${nth}`).toBe(passwords[revision]);
        else next.publish(shop, output(revision)); // as a visit does
        expect(next.published(shop, 'web-login')).toEqual({ is: 'ours', revision, whole: true });
        const names = ['..data', 'password', 'username'];
        expect(readdirSync(place), `at ${nth}`).toEqual(expect.arrayContaining(names));
        expect(readdirSync(place), `at ${nth}`).toHaveLength(names.length + 1);
        expect(readdirSync(join(directory, 'shop')), `at ${nth}`).toEqual(['web-login']);
      } else if (readdirSync(directory).length > 0) {
        expect(readdirSync(join(directory, 'shop')), `at ${nth}`).toEqual([]);
      }
    }
    expect(killed).toBeGreaterThan(2); // else there would be little to be killed at
    expect([...stood].toSorted()).toEqual([...leaves].toSorted());
  });
});

/** A state that knows one object, and its draft with a stranger's folder beside it. */
async function left() {
  const stateDir = tempFolder();
  const state = await openState(join(stateDir, 'state.sqlite'));
  const { object } = await put(state, shop.key);
  const space = join(stateDir, 'outputs', 'shop');
  write(join(space, `..holdfast.${object.uid}`, '..one', 'password'), passwords.r1);
  write(join(space, '..backup', 'notes'), 'a stranger’s');
  return { stateDir, state, space, uid: object.uid };
}

describe('in the program', () => {
  test('a start sweeps what its state knows, and no more', async () => {
    const { stateDir, state, space } = await left();
    await state.close();
    const started = await openOperator({
      directory: tempFolder(),
      stateDir,
      embedded: () => undefined,
      watch: false,
      gate: {},
    });
    await started.close();
    expect(readdirSync(space)).toEqual(['..backup']);
  });

  test('an object that is released, and its output kept, leaves no draft', async () => {
    const { stateDir, state, space, uid } = await left();
    const source = new DirectorySource({
      state,
      outputs: operator(join(stateDir, 'outputs')),
      newUid: () => 'another',
      connectionOf: () => undefined,
      reader: { read: () => Promise.reject(new Error('nobody reads')) },
      watch: () => ({ close: () => {} }),
      clock: new TestClock(),
    });
    await state.write(keyText(shop.key), (slot) => ({ ...slot, row: leave(slot.row) }));
    await source.release(keyText(shop.key), uid, { removed: false });
    expect([readdirSync(space), state.rows.size]).toEqual([['..backup'], 0]);
  });
});
