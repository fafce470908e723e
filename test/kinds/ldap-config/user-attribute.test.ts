// The service keeps the attribute of users when the schema changes, also one that nobody chose: logins would then search for the
// attribute of another directory.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { ldapConfig } from '../../../src/kinds/ldap-config/kind.ts';
import { useless } from '../../../src/kinds/ldap-config/useless.ts';
import type { LDAPConfigRead } from '../../../src/api/secrets/wire.ts';
import { declared, existing, key, sent, type Given } from './situation.ts';

test.for([
  { from: 'ldap', userattr: 'cn', to: 'racf' },
  { from: 'ad', userattr: 'userPrincipalName', to: 'racf' },
  { from: 'racf', userattr: 'racfid', to: 'ad' },
] as const)(
  'the usual attribute of $from becomes that of the new schema',
  ({ from: schema, userattr, to }) => {
    const given = { spec: { schema: to }, wrote: { '/schema': schema }, live: { schema, userattr } };
    expect(sent(given)).toEqual({ schema: to, userattr: '' });
  },
);

const schema = 'racf';
test.for<{ readonly why: string; readonly given: Given }>([
  {
    why: 'that somebody else chose',
    given: { spec: { schema }, wrote: { '/schema': 'ad' }, live: { schema: 'ad', userattr: 'uid' } },
  },
  {
    why: 'that is declared, though it is the usual one',
    given: { spec: { schema, userAttr: 'cn' }, wrote: { '/schema': 'ldap', '/userAttr': 'cn' } },
  },
  {
    why: 'that the service does not show',
    given: { spec: { schema }, wrote: { '/schema': 'ad' }, hides: ['schema', 'userattr'] },
  },
])('an attribute stays $why', ({ given }) => {
  expect(sent(given)).toEqual({ schema });
});

test('roles are told the usual attribute of the schema that is found, and none of a schema that nobody knows', () => {
  const { userAttr: _userAttr, ...spec } = declared;
  const told = (found: string) =>
    ldapConfig.open({ key, spec, requests: {} }, {}).outputs({ ...noStatus, observed: { schema: found } });
  expect(told('racf')).toMatchObject({ userAttr: 'racfid' });
  expect(told('ipa')).toMatchObject({ userAttr: '' });
});

const speaking = (documentAlone: boolean) =>
  new Map([['/connectionRef', { state: 'ready', outputs: { documentAlone: `${documentAlone}` } } as const]]);

test.for<readonly [live: Partial<LDAPConfigRead>, reason: string, message: string]>([
  [
    { userattr: 'mail' },
    'EntryNotFound',
    '/userAttr: the service knows no mail, and can set no password (it knows uid, cn, sAMAccountName and a few more)',
  ],
  [
    { userattr: 'samaccountname' },
    'EntryNotFound',
    '/userAttr: the service knows no samaccountname, and can set no password (did you mean sAMAccountName?)',
  ],
  [
    { upndomain: 'example.org' },
    'DirectoryError',
    `/bindDN: with upnDomain, the service binds as ${existing.binddn}@example.org, which is no user: declare the user's name`,
  ],
])('a configuration is not ready where every rotation fails: %o', ([live, reason, message]) => {
  expect(useless({ ...existing, ...live }, speaking(false))).toEqual({ reason, message });
  expect(useless({ ...existing, ...live }, speaking(true))).toBeUndefined();
});

test.for<Partial<LDAPConfigRead>>([
  {},
  { userattr: '' },
  { userattr: 'uid' },
  { binddn: 'admin', upndomain: 'example.org', userattr: 'userPrincipalName' },
])('nothing is said against %o', (live) => {
  expect(useless({ ...existing, ...live }, speaking(false))).toBeUndefined();
});
