// What suspends an object, from what a command has read.
import { expect, test } from 'vitest';
import { keyText, type DeclaredObject, type Key } from '../../../src/core/resource.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { suspensionIn } from '../../../src/runtime/place/listing.ts';

const object = (key: Key, spec: unknown, requests: DeclaredObject['requests'] = {}): DeclaredObject => ({
  key,
  uid: 'u',
  generation: 1,
  deleting: false,
  held: false,
  requests,
  spec,
});
const shop = (kind: string, name: string): Key => ({ kind, namespace: 'shop', name });

const connection = object(
  { kind: 'SecretsConnection', namespace: '', name: 'vault' },
  {},
  { suspend: 'true' },
);
const bind = { name: 'ldap', key: 'password' };
const config = object(shop('LDAPConfig', 'directory'), {
  connectionRef: { name: 'vault' },
  mount: 'ldap',
  urls: ['ldaps://ldap.example.com'],
  bindDN: 'cn=admin',
  bindPasswordSecretRef: bind,
});
const role = object(shop('LDAPStaticRole', 'web'), {
  configRef: { name: 'directory' },
  username: 'web',
  rotationPeriod: '24h',
  onCreate: 'Rotate',
});

const suspending = (all: readonly DeclaredObject[], of: DeclaredObject) =>
  suspensionIn(of, (key) => {
    const found = all.find((one) => keyText(one.key) === key);
    return found && { object: found, status: noStatus };
  });

test('a suspended connection is found through the objects in between: a role names only its configuration', () => {
  const found = suspending([connection, config, role], role);
  expect(found).toEqual({ by: 'annotation', connection: connection.key });
});

test.for([
  { why: 'the connection was not read', all: [config, role] },
  { why: 'what is in between was not read', all: [connection, role] },
])('nothing is said of what can not be known: $why', ({ all }) => {
  expect(suspending(all, role)).toBeUndefined();
});

test('an object whose spec is not valid any more tells what suspends it itself', () => {
  const broken = object(role.key, { configRef: 7 }, { suspend: 'true' });
  expect(suspending([connection, config], broken)).toEqual({ by: 'annotation' });
});
