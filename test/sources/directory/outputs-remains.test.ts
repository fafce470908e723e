// Whoever removes the folder of an output while it is written may leave links that lead nowhere, and a set without its mark. They
// are nobody's: the output comes back by itself, and what somebody else put there stays.
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { Secret } from '../../../src/core/secret.ts';
import { versionsBy } from '../../../src/sources/directory/identity.ts';
import { Outputs } from '../../../src/sources/directory/outputs.ts';
import { tempFolder } from './state/support.ts';

const canary = 'canary-remains-5d';
const shop = { key: { kind: 'LDAPStaticRole', namespace: 'shop', name: 'web' }, uid: 'uid-web' };
const output = {
  name: 'web-login',
  revision: 'r1',
  entries: { password: [Secret.of('role/web', 'r1', canary)], username: ['web'] },
};

/** An output that was removed but for these links. */
function removed(links: Readonly<Record<string, string>>) {
  const directory = tempFolder();
  const gate = new EffectGate({ nowMs: () => 0 });
  const outputs = new Outputs({ directory, gate, versionOf: versionsBy(Buffer.alloc(32, 1)) });
  const place = join(directory, 'shop', 'web-login');
  outputs.publish(shop, output);
  rmSync(place, { recursive: true });
  mkdirSync(place);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(place, name));
  return { outputs, place };
}

function fill(place: string, name: string): void {
  mkdirSync(join(place, '..one'));
  writeFileSync(join(place, '..one', name), 'left');
}

test.for<readonly [what: string, leave: (place: string) => void]>([
  ['links of keys', () => {}],
  ['the link of the set that is gone', (place) => symlinkSync('..two', join(place, '..data'))],
  ['a link not renamed yet', (place) => symlinkSync('..one', join(place, '..link'))],
  ['a set without its mark', (place) => fill(place, 'username')],
])('$0 are nobody’s, and the output is published again', ([, leave]) => {
  const { outputs, place } = removed({ username: '..data/username', former: '..data/former' });
  leave(place);
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'absent' });
  outputs.tryPublish(shop, 'web-login');
  outputs.publish(shop, output);
  expect(readFileSync(join(place, 'password'), 'utf8')).toBe(canary);
  expect(outputs.published(shop, 'web-login')).toMatchObject({ is: 'ours', whole: true });
});

test.for<readonly [what: string, name: string, add: (path: string) => void]>([
  ['a file', 'notes', (path) => writeFileSync(path, 'theirs')],
  ['a folder', 'notes', (path) => mkdirSync(path)],
  ['a link that leads elsewhere', 'notes', (path) => symlinkSync('/nowhere', path)],
  ['a set with a mark that can’t be read', '..one', (path) => fill(join(path, '..'), '..holdfast')],
  ['a set with a folder in it', '..one', (path) => mkdirSync(join(path, 'notes'), { recursive: true })],
  ['a file that is called like a set', '..one', (path) => writeFileSync(path, 'theirs')],
  ['a file that is called like the link of the set', '..data', (path) => writeFileSync(path, 'theirs')],
  ['a file that is called like a draft of that', '..link', (path) => writeFileSync(path, 'theirs')],
])('beside $0 they are somebody’s, and nothing is touched', ([, name, add]) => {
  const { outputs, place } = removed({ username: '..data/username' });
  add(join(place, name));
  expect(outputs.published(shop, 'web-login')).toEqual({ is: 'foreign', owner: 'somebody else' });
  expect(() => outputs.publish(shop, output)).toThrow('belongs to somebody else');
  expect(readdirSync(place).toSorted()).toEqual([name, 'username'].toSorted());
  if (lstatSync(join(place, name)).isFile()) expect(readFileSync(join(place, name), 'utf8')).toBe('theirs');
});

test('an empty folder is somebody’s', () => {
  expect(removed({}).outputs.published(shop, 'web-login')).toEqual({
    is: 'foreign',
    owner: 'somebody else',
  });
});

test('the output is published again although a write that was killed left its draft beside the remains', () => {
  const { outputs, place } = removed({ username: '..data/username' });
  const draft = join(place, '../..holdfast.uid-web');
  mkdirSync(draft);
  writeFileSync(join(draft, 'password'), 'left');
  outputs.publish(shop, output);
  expect(readFileSync(join(place, 'password'), 'utf8')).toBe(canary);
  expect(readdirSync(join(place, '..'))).toEqual(['web-login']);
});
