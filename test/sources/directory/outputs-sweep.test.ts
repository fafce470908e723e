// What a killed process left behind may hold a password, so the next one takes it away. It once took away whatever began
// with two dots: live outputs of another operator, the layout of a mounted Secret, a stranger's folder.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import type { EffectInfo } from '../../../src/core/effect.ts';
import { Secret } from '../../../src/core/secret.ts';
import { versionsBy } from '../../../src/sources/directory/identity.ts';
import { Outputs } from '../../../src/sources/directory/outputs.ts';
import { tempFolder } from './state/support.ts';

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

const output = (revision: string, name = 'web-login') => ({
  name,
  revision,
  entries: { password: [Secret.of('role/web', revision, 'canary-swept-2b')], username: ['web'] },
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
    write(join(directory, '..holdfast.uid-vault', 'notes'), 'it publishes nothing');
    write(join(directory, 'elsewhere', '..holdfast.uid-web', 'notes'), 'not where ours publishes');
    const before = paths(directory);
    write(join(directory, 'shop', '..holdfast.uid-web', '..one', 'password'), 'left behind');
    const effects: EffectInfo[] = [];
    const ours = operator(directory, (info) => effects.push(info));
    const all = [shop, mounted, connection];
    ours.sweep(all);
    expect(paths(directory)).toEqual(before);
    expect(readFileSync(join(directory, 'db', 'password'), 'utf8')).toBe('mounted');
    expect(other.published(theirs, 'api-login')).toEqual({ is: 'ours', revision: 'r1', whole: true });
    ours.sweep(all);
    expect(effects).toEqual([{ port: 'output', op: 'output.sweep', mutates: 'repeatable' }]); // nothing is left, nothing is done
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
  write(join(directory, '..holdfast.uid-vault', 'notes'), 'it publishes nothing');
  const effects: string[] = [];
  const outputs = operator(directory, ({ op }) => effects.push(op));
  outputs.discard(theirs);
  outputs.discard(connection);
  expect(paths(join(directory, 'shop'))).toHaveLength(3);
  expect(effects).toEqual([]);
  outputs.discard(shop);
  expect(paths(directory)).toEqual(['..holdfast.uid-vault', '..holdfast.uid-vault/notes', 'shop']);
});

test.for<[string, (outputs: Outputs) => void]>([
  ['the first write', (o) => o.publish(shop, output('r1'))],
  ['a trial of it', (o) => o.tryPublish(shop, 'web-login')],
  ['withdrawing', (o) => o.withdraw(shop, 'web-login')],
])('a draft that was left is in the way of nothing: %s', ([what, act]) => {
  const directory = tempFolder();
  const outputs = operator(directory);
  if (what === 'withdrawing') outputs.publish(shop, output('r1'));
  write(join(directory, 'shop', '..holdfast.uid-web', 'password'), 'left behind');
  act(outputs);
  expect(readdirSync(join(directory, 'shop'))).toEqual(what === 'the first write' ? ['web-login'] : []);
});

test.for(['x/../../precious', '/../../precious', '', 'x'.repeat(65)])(
  'with a UID that leads elsewhere, or is none, nothing is made or taken away: %s',
  (uid) => {
    const directory = tempFolder();
    write(join(directory, 'precious', 'notes'), 'a stranger’s');
    mkdirSync(join(directory, 'shop'));
    const outputs = operator(directory);
    const leads = { ...shop, uid };
    const before = paths(directory);
    expect(() => outputs.publish(leads, output('r1'))).toThrow("output shop/web-login can't be used");
    const refusal = "LDAPStaticRole/shop/web: its UID can't be part of a path";
    expect(() => outputs.discard(leads)).toThrow(refusal);
    expect(() => outputs.withdraw(leads, 'web-login')).toThrow(refusal);
    expect(paths(directory)).toEqual(before);
  },
);
