// Published Secrets are passwords that programs run on: each must be whole, only its publisher's, and readable by nobody
// else; what somebody else put there must survive.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import type { EffectInfo } from '../../../src/core/effect.ts';
import { Secret } from '../../../src/core/secret.ts';
import { versionsBy } from '../../../src/sources/directory/identity.ts';
import { Outputs } from '../../../src/sources/directory/outputs.ts';
import { readSecretsDir } from '../../../src/sources/directory/secrets/files.ts';
import { tempFolder } from './state/support.ts';

const canary = { old: 'canary-output-old-1f0c', next: 'canary-output-new-77aa' };
const shop = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'web' }, uid: 'uid-web' };
const other = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'api' }, uid: 'uid-api' };

function begin(versionKey = Buffer.alloc(32, 1)) {
  const directory = tempFolder();
  const effects: EffectInfo[] = [];
  const gate = new EffectGate({ nowMs: () => 0, onEffect: (info) => effects.push(info) });
  const outputs = new Outputs({ directory, gate, versionOf: versionsBy(versionKey) });
  const read = (key: string) => readFileSync(join(directory, 'shop', 'web-login', key), 'utf8');
  return { directory, outputs, effects, read, gate };
}

const output = (revision: string, password: string, more: Record<string, readonly string[]> = {}) => ({
  name: 'web-login',
  revision,
  entries: {
    password: [Secret.of('role/web', revision, password)],
    url: ['ldap://web:', Secret.of('role/web', revision, password), '@host'],
    ...more,
  },
});

const refusal = (act: () => void): Error => {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was refused');
};

test('values are put together, only the owner can read them, and the effect is the object’s', () => {
  const { directory, outputs, effects, read } = begin();
  outputs.publish(shop, output('r1', canary.old));
  expect([read('password'), read('url')]).toEqual([canary.old, `ldap://web:${canary.old}@host`]);
  const place = join(directory, 'shop', 'web-login');
  const modes = ['.', '..data', 'password'].map((at) => statSync(join(place, at)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700, 0o600]);
  expect(statSync(join(directory, 'shop')).mode & 0o777).toBe(0o700);
  expect(effects).toEqual([
    { port: 'output', op: 'output.write', mutates: 'repeatable', key: 'LDAPStaticRole/shop/web' },
  ]);
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'ours', revision: 'r1', whole: true });
});

test('the next revision takes the place of the last in one move; keys that are gone go', () => {
  const { directory, outputs, read } = begin();
  outputs.publish(shop, output('r1', canary.old, { extra: ['x'] }));
  const place = join(directory, 'shop', 'web-login');
  for (const revision of ['r2', 'r3', 'r4']) {
    outputs.publish(shop, output(revision, canary.next));
    expect(read('password')).toBe(canary.next);
    expect(outputs.published(shop, 'web-login')).toEqual({ is: 'ours', revision, whole: true });
  }
  expect(readdirSync(place).filter((entry) => !entry.startsWith('..'))).toEqual(['password', 'url']);
  expect(lstatSync(join(place, 'password')).isSymbolicLink()).toBe(true);
  const sets = readdirSync(place).filter((entry) => entry.startsWith('..') && entry !== '..data');
  expect(sets).toHaveLength(1); // no old password stays behind
});

test('the mark holds no value', () => {
  const { directory, outputs } = begin();
  outputs.publish(shop, output('r1', canary.old));
  const mark = readFileSync(join(directory, 'shop', 'web-login', '..data', '..holdfast'), 'utf8');
  expect(mark).toContain('LDAPStaticRole/shop/web');
  expect(mark).not.toContain(canary.old);
});

test('what is published can be read as a directory of Secrets', () => {
  const { directory, outputs } = begin();
  outputs.publish(shop, output('r1', canary.old));
  const { secrets, problems } = readSecretsDir(directory);
  expect(problems).toEqual([]);
  expect(secrets.get('Secret/shop/web-login')?.entries.get('password')).toBe(canary.old);
});

test.for<[string, (place: string) => void]>([
  ['another value', (place) => writeFileSync(join(place, 'password'), 'edited')],
  ['a key less', (place) => rmSync(join(place, 'url'))],
  ['no link to the set', (place) => rmSync(join(place, '..data'))],
  ['a key more', (place) => writeFileSync(join(place, 'stray'), 'x')],
  [
    'a file in the place of a link',
    (place) => {
      rmSync(join(place, 'url'));
      writeFileSync(join(place, 'url'), 'x');
    },
  ],
  ['a value gone from behind its link', (place) => rmSync(join(place, '..data', 'password'))],
])('an output that somebody changed (%s) is not whole, and is put right', ([, change]) => {
  const { directory, outputs, read } = begin();
  outputs.publish(shop, output('r0', canary.next)); // the set that is read is then not the first
  outputs.publish(shop, output('r1', canary.old));
  change(join(directory, 'shop', 'web-login'));
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'ours', revision: 'r1', whole: false });
  outputs.publish(shop, output('r1', canary.old));
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'ours', revision: 'r1', whole: true });
  expect(read('url')).toBe(`ldap://web:${canary.old}@host`);
});

test('with another key of the state (it was lost), nothing counts as whole', () => {
  const { directory, outputs, gate } = begin();
  outputs.publish(shop, output('r1', canary.old));
  const after = new Outputs({ directory, gate, versionOf: versionsBy(Buffer.alloc(32, 2)) });
  expect(after.published(shop, 'web-login')).toEqual({ is: 'ours', revision: 'r1', whole: false });
});

test.for<[string, (place: string) => void, string]>([
  ['a directory of somebody’s', (place) => mkdirSync(place), 'somebody else'],
  ['a file', (place) => writeFileSync(place, 'mine'), 'somebody else'],
  ['a link to elsewhere', (place) => symlinkSync('/etc', place), 'somebody else'],
])('%s is not taken and stays as it is', ([, make, owner]) => {
  const { directory, outputs, effects } = begin();
  mkdirSync(join(directory, 'shop'));
  const place = join(directory, 'shop', 'web-login');
  make(place);
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'foreign', owner });
  expect(refusal(() => outputs.publish(shop, output('r1', canary.old)))).toMatchObject({
    class: 'waiting',
    reason: 'OutputConflict',
    message: 'output shop/web-login belongs to somebody else',
  });
  outputs.withdraw(shop, 'web-login');
  expect(existsSync(place)).toBe(true);
  expect(effects.map((effect) => effect.op)).toEqual(['output.write']);
});

test('published by an object of the same name whose state was lost: not its own, and it is told so', () => {
  const { outputs } = begin();
  outputs.publish(shop, output('r1', canary.old));
  const again = { ...shop, uid: 'uid-web-2' };
  expect(outputs.published(again, 'web-login')).toEqual({
    is: 'foreign',
    owner: 'an earlier LDAPStaticRole/shop/web, with the UID uid-web',
  });
});

test('published by the object that it took over from: its own, and not whole until it is written under its own UID', () => {
  const { outputs, read } = begin();
  outputs.publish(shop, output('r1', canary.old));
  const heir = { ...other, formerly: ['uid-between', shop.uid] };
  // Else it would belong to nobody once the heir was renamed many times: the UIDs before are remembered up to a bound.
  expect(outputs.published(heir, 'web-login')).toEqual({ is: 'ours', revision: 'r1', whole: false });
  expect(outputs.published({ ...other, formerly: ['uid-else'] }, 'web-login').is).toBe('foreign');
  outputs.publish(heir, output('r2', canary.next));
  expect(read('password')).toBe(canary.next);
  expect(outputs.published(heir, 'web-login')).toEqual({ is: 'ours', revision: 'r2', whole: true });
  expect(outputs.published(other, 'web-login').is).toBe('ours');
});

const mark = { object: 'LDAPStaticRole/shop/web', uid: 'uid-web', revision: 'r1', entries: {} };

test.for<[string, unknown, string]>([
  ['nothing', null, 'somebody else'],
  ['a text', 'x', 'somebody else'],
  ['no UID', { ...mark, uid: undefined }, 'somebody else'],
  ['a revision that is no text', { ...mark, revision: 1 }, 'somebody else'],
  ['no versions', { ...mark, entries: undefined }, 'somebody else'],
  ['versions that are no texts', { ...mark, entries: { password: 1 } }, 'somebody else'],
  ['another object’s name that never ends', { ...mark, object: 'x'.repeat(999), uid: '1' }, 'x'.repeat(400)],
  [
    'a UID that never ends',
    { ...mark, uid: 'u'.repeat(999) },
    `an earlier ${mark.object}, with the UID ${'u'.repeat(64)}`,
  ],
])('a mark with %s makes nothing ours, and what is told of it is short', ([, held, owner]) => {
  const { directory, outputs, read } = begin();
  outputs.publish(shop, output('r1', canary.old));
  const marks = join(directory, 'shop', 'web-login', '..data', '..holdfast');
  writeFileSync(marks, JSON.stringify(held));
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'foreign', owner });
  outputs.withdraw(shop, 'web-login');
  expect(read('password')).toBe(canary.old);
});

test('of two objects with one output the second is told whose it is, and can’t take it away', () => {
  const { outputs, read } = begin();
  outputs.publish(shop, output('r1', canary.old));
  expect(refusal(() => outputs.publish(other, output('r1', canary.next))).message).toBe(
    'output shop/web-login belongs to LDAPStaticRole/shop/web',
  );
  outputs.withdraw(other, 'web-login');
  expect(read('password')).toBe(canary.old);
});

test('what a write that was cut short left in its place is no more whole, is read by nobody, and goes with the next', () => {
  const { directory, outputs, read } = begin();
  outputs.publish(shop, output('r1', canary.old));
  const place = join(directory, 'shop', 'web-login');
  for (const leave of [
    () => {
      mkdirSync(join(place, '..two'));
      writeFileSync(join(place, '..two', 'password'), 'half');
    },
    () => symlinkSync('..one', join(place, '..link')),
  ]) {
    leave();
    expect(outputs.published(shop, 'web-login')).toEqual({ is: 'ours', revision: 'r1', whole: false });
    expect(read('password')).toBe(canary.old);
    outputs.publish(shop, output('r1', canary.old));
    expect(outputs.published(shop, 'web-login')).toEqual({ is: 'ours', revision: 'r1', whole: true });
  }
});

test('the set that the link names is read, whichever others a killed write left', () => {
  const { directory, outputs, read } = begin();
  for (const revision of ['r1', 'r2']) outputs.publish(shop, output(revision, canary.old)); // into the second set
  mkdirSync(join(directory, 'shop', 'web-login', '..one'));
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'ours', revision: 'r2', whole: false });
  outputs.publish(shop, output('r3', canary.next));
  expect(read('password')).toBe(canary.next);
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'ours', revision: 'r3', whole: true });
});

test('withdrawn, nothing of it is left', () => {
  const { directory, outputs, effects } = begin();
  outputs.publish(shop, output('r1', canary.old));
  outputs.withdraw(shop, 'web-login');
  expect(readdirSync(join(directory, 'shop'))).toEqual([]);
  outputs.withdraw(shop, 'web-login');
  expect(effects.map((effect) => effect.op)).toEqual(['output.write', 'output.delete']);
});

/** Ends in the midst of an effect, as a process does that is killed. */
function cutShort(directory: string, op: string): Outputs {
  const fault = (info: EffectInfo, phase: string) => {
    if (info.op === op && phase === 'during') throw new Error('killed');
  };
  const gate = new EffectGate({ nowMs: () => 0, fault });
  return new Outputs({ directory, gate, versionOf: versionsBy(Buffer.alloc(32, 1)) });
}

test('cut short while it is written, nobody sees it; the next write is whole', () => {
  const { directory, outputs, read } = begin();
  const cut = cutShort(directory, 'output.write');
  refusal(() => cut.publish(shop, output('r1', canary.old)));
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'absent' });
  expect(readdirSync(join(directory, 'shop'))).toEqual([]); // it failed, and could clean up
  outputs.publish(shop, output('r1', canary.old));
  const before = readdirSync(join(directory, 'shop', 'web-login'));
  refusal(() => cut.publish(shop, output('r2', canary.next)));
  expect(read('password')).toBe(canary.old);
  expect(readdirSync(join(directory, 'shop', 'web-login'))).toEqual(before);
  outputs.publish(shop, output('r2', canary.next));
  expect(read('password')).toBe(canary.next);
});

test('cut short while it is withdrawn, nothing nameless stays: the next time takes the rest', () => {
  const { directory, outputs } = begin();
  outputs.publish(shop, output('r1', canary.old));
  refusal(() => cutShort(directory, 'output.delete').withdraw(shop, 'web-login'));
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'absent' });
  outputs.withdraw(shop, 'web-login');
  expect(readdirSync(join(directory, 'shop'))).toEqual([]);
});

test('a directory that can’t be used is an error that says so, without path and value', () => {
  const { directory, outputs } = begin();
  writeFileSync(join(directory, 'shop'), 'a file where the namespace goes');
  for (const act of [
    () => outputs.published(shop, 'web-login'),
    () => outputs.publish(shop, output('r1', canary.old)),
  ]) {
    const error = refusal(act);
    expect(error).toMatchObject({ class: 'waiting', reason: 'OutputUnusable', cause: { code: 'ENOTDIR' } });
    expect(error.message).toBe("output shop/web-login can't be used: not a directory");
  }
});
