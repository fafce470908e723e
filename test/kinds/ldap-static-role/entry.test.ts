// Two roles contend for one entry of one directory. Which directory it is, is told by what its configuration declares.
import { expect, test } from 'vitest';
import { entryOf } from '../../../src/kinds/ldap-static-role/entry.ts';
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

test('an entry is known by its DN, in any spelling; without one, or only observed, a role contends for none', () => {
  const { dn: _, ...nameless } = declared({});
  expect(entryOf(declared({ dn: 'UID=app, dc=org' }))).toEqual(entryOf(declared({ dn: 'uid=app,dc=org' })));
  expect(entryOf(nameless)).toEqual([]);
  expect(entryOf(declared({ managementPolicy: 'ObserveOnly' }))).toEqual([]);
});
