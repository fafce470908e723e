// Published Secrets, by a process that is killed at any of its changes of the disk: who reads sees one password or the other,
// and the next process leaves no trace of it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { openOperator } from '../../../src/runtime/directory-operator.ts';
import { keyText } from '../../../src/core/resource.ts';
import { Secret } from '../../../src/core/secret.ts';
import { versionsBy } from '../../../src/sources/directory/identity.ts';
import { Outputs } from '../../../src/sources/directory/outputs.ts';
import { leave } from '../../../src/sources/directory/state/row.ts';
import { DirectorySource } from '../../../src/sources/directory/source.ts';
import { killedAt } from '../../support/dying-disk.ts';
import { TestClock } from './source-support.ts';
import { openState, put, tempFolder } from './state/support.ts';

const passwords = {
  r1: 'canary-killed-one-2b',
  r2: 'canary-killed-two-9e',
  r3: 'canary-killed-three-41',
} as const;
const shop = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'web' }, uid: 'uid-web' };

/** A process of ours. */
function operator(directory: string): Outputs {
  const gate = new EffectGate({ nowMs: () => 0 });
  return new Outputs({ directory, gate, versionOf: versionsBy(Buffer.alloc(32, 1)) });
}

const output = (revision: keyof typeof passwords) => ({
  name: 'web-login',
  revision,
  entries: { password: [Secret.of('role/web', revision, passwords[revision])], username: ['web'] },
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

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
    const { stateDir, state, space } = await left();
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
    await source.open(keyText(shop.key))?.release({ removed: false });
    expect([readdirSync(space), state.rows.size]).toEqual([['..backup'], 0]);
  });
});
