// A password is made outside only where it can be published afterwards. So a trial has to refuse where publishing would, and
// to take as much of the disk; and nothing of it may stay.
import fs, { lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { versionsBy } from '../../../src/sources/directory/identity.ts';
import { Outputs } from '../../../src/sources/directory/outputs.ts';
import { tempFolder } from './state/support.ts';

const shop = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'web' }, uid: 'uid-web' };
const other = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'api' }, uid: 'uid-api' };
const output = { name: 'web-login', revision: 'r1', entries: { password: ['canary-tried-5d'] } };
const whole = { is: 'ours', revision: 'r1', whole: true } as const;

/** @param amid called at the moment from which on others may see what is written */
function begin(amid: (directory: string) => void = () => {}) {
  const directory = tempFolder();
  const effects: string[] = [];
  const gate = new EffectGate({
    nowMs: () => 0,
    onEffect: ({ op }) => effects.push(op),
    fault: ({ op }, phase) => {
      if (op === 'output.try' && phase === 'during') amid(directory);
    },
  });
  const outputs = new Outputs({ directory, gate, versionOf: versionsBy(Buffer.alloc(32, 1)) });
  return { directory, outputs, effects, place: join(directory, 'shop', 'web-login') };
}

test.for([
  { why: 'the first', publishes: false, at: 'shop/..holdfast.uid-web/..one', leaves: [] },
  { why: 'the next', publishes: true, at: 'shop/web-login/..two', leaves: ['web-login'] },
])(
  'the trial of $why takes what the largest output takes, for its owner alone, and gives it back',
  ({ publishes, at, leaves }) => {
    const seen: { mode: number; size: number }[] = [];
    const { directory, outputs, effects } = begin((folder) => {
      for (const name of readdirSync(join(folder, at))) {
        const { mode, size } = statSync(join(folder, at, name));
        seen.push({ mode: mode & 0o777, size });
      }
    });
    if (publishes) outputs.publish(shop, output);
    effects.length = 0;
    outputs.tryPublish(shop, 'web-login');
    expect(effects).toEqual(['output.try']);
    expect(seen).toHaveLength(33); // 32 keys and the mark
    expect(new Set(seen.map(({ mode }) => mode))).toEqual(new Set([0o600]));
    expect(seen.reduce((sum, { size }) => sum + size, 0)).toBe(128 * 1024);
    expect(readdirSync(join(directory, 'shop'))).toEqual(leaves);
    if (publishes) expect(outputs.published(shop, 'web-login')).toEqual(whole);
  },
);

test('where it fails, nothing of it stays, and what stood there is read on', () => {
  const { directory, outputs } = begin(() => {
    throw new Error('no space left');
  });
  expect(() => outputs.tryPublish(shop, 'web-login')).toThrow("can't be used");
  expect(readdirSync(join(directory, 'shop'))).toEqual([]);
  outputs.publish(shop, output);
  expect(() => outputs.tryPublish(shop, 'web-login')).toThrow("can't be used");
  expect(outputs.published(shop, 'web-login')).toEqual(whole);
});

test.for<{ why: string; before: (at: ReturnType<typeof begin>) => void; message: string }>([
  {
    why: 'it is another’s',
    before: ({ outputs }) => outputs.publish(other, output),
    message: 'output shop/web-login belongs to LDAPStaticRole/shop/api',
  },
  {
    why: 'a folder stands in it, which a write does not take away',
    before: ({ outputs, place }) => {
      outputs.publish(shop, output);
      mkdirSync(join(place, 'notes'));
    },
    message: "output shop/web-login can't be used: a folder stands in it that is not ours",
  },
  {
    why: 'the folder of its namespace leads elsewhere',
    before: ({ directory }) => symlinkSync(tempFolder(), join(directory, 'shop')),
    message: "output shop/web-login can't be used: the folder of its namespace is a link",
  },
])('refuses where a write would, and says why: $why', ({ before, message }) => {
  const at = begin();
  before(at);
  const names = readdirSync(join(at.directory, 'shop'));
  expect(() => at.outputs.tryPublish(shop, 'web-login')).toThrow(message);
  expect(() => at.outputs.publish(shop, { ...output, revision: 'r2' })).toThrow('output shop/web-login');
  expect(readdirSync(join(at.directory, 'shop'))).toEqual(names);
});

test('a folder in the place of a link’s draft goes: it bears our name', () => {
  const { outputs, place } = begin();
  outputs.publish(shop, output);
  mkdirSync(join(place, '..link'));
  outputs.publish(shop, output);
  expect(outputs.published(shop, 'web-login')).toEqual(whole);
  expect(lstatSync(join(place, '..link'), { throwIfNoEntry: false })).toBeUndefined();
});

test('a disk that has no links is found out by the trial, not by the write', () => {
  const { directory, outputs } = begin();
  const { symlinkSync: link } = fs;
  const setLink = (symlink: typeof link) => {
    Object.assign(fs, { symlinkSync: symlink });
    syncBuiltinESMExports();
  };
  setLink(() => {
    throw new Error('operation not permitted');
  });
  try {
    expect(() => outputs.tryPublish(shop, 'web-login')).toThrow("output shop/web-login can't be used");
  } finally {
    setLink(link);
  }
  expect(readdirSync(join(directory, 'shop'))).toEqual([]);
});
