// Two roles contend for one entry of one directory. Which directory it is, is told by what its configuration declares.
import { expect, test } from 'vitest';
import { entryOf, entryPlaces } from '../../../src/kinds/ldap-static-role/entry.ts';
import { placesOf } from '../../../src/schema/directory-places.ts';
import { declared } from './surroundings.ts';

const connection = 'SecretsConnection/main';

test.for([
  { why: 'in any spelling', url: 'LDAP://One.example.com', places: ['one.example.com'] },
  {
    why: 'with and without TLS, at the usual ports',
    url: 'ldap://one.example.com:389,ldaps://one.example.com:636,ldaps://one.example.com',
    places: ['one.example.com', 'one.example.com', 'one.example.com'],
  },
  { why: 'at another port', url: 'ldap://one.example.com:3890', places: ['one.example.com:3890'] },
  {
    why: 'on the machine of each service',
    url: 'ldap://localhost,ldap://[::1]:3890',
    places: [`localhost of ${connection}`, `::1:3890 of ${connection}`],
  },
  { why: 'where nothing is declared', url: '', places: [`127.0.0.1 of ${connection}`] },
])('a directory is known by its host: $why', ({ url, places }) => {
  expect(placesOf({ url }, connection)).toEqual(places);
});

test('an entry is known by its DN, in any spelling; only observed, a role contends for none', () => {
  expect(entryOf(declared({ dn: 'UID=app, dc=org' }))).toEqual(entryOf(declared({ dn: 'uid=app,dc=org' })));
  expect(entryOf(declared({ managementPolicy: 'ObserveOnly' }))).toEqual([]);
});

test('without a DN it is known by its user, and by how the service looks for it', () => {
  const { dn: _, ...nameless } = declared({ username: 'App' });
  const { dn: _dn, ...same } = declared({ username: 'app' });
  expect(entryOf(nameless)).toEqual(entryOf(same));
  expect(entryOf(nameless)).not.toEqual(entryOf(declared({ username: 'app' })));
  const url = 'ldap://one.example.com';
  const at = (userDN: string, userAttr = 'cn') => entryPlaces({ url, userDN, userAttr }, connection, {});
  expect(at('OU=a, dc=org', 'CN')).toEqual(at('ou=a,dc=org'));
  for (const other of [at('ou=b,dc=org'), at('ou=a,dc=org', 'uid')])
    expect(at('ou=a,dc=org')).not.toEqual(other);
  expect(entryPlaces({ url, userDN: 'ou=a' }, connection, declared({}))).toEqual(['one.example.com']);
});
