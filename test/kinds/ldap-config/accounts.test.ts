// Two configurations bind with one account where it has one name at one of the same servers.
import { expect, test } from 'vitest';
import { accountsOf } from '../../../src/kinds/ldap-config/accounts.ts';
import type { Spec } from '../../../src/kinds/ldap-config/schema.ts';
import { declared, planned } from './situation.ts';

const urls = ['ldap://one.example.com', 'ldaps://two.example.com'];
const isShared = (a: Partial<Spec>, b: Partial<Spec>): boolean => {
  const others = accountsOf({ ...declared, ...b });
  return accountsOf({ ...declared, ...a }).some((one) => others.includes(one));
};

test.for<readonly [why: string, other: Partial<Spec>, shared: boolean]>([
  ['in another spelling', { urls, bindDN: 'CN=holdfast, dc=example,dc=org' }, true],
  ['with and without TLS', { urls: ['ldaps://one.example.com:636'] }, true],
  ['at a server of several', { urls: ['ldap://two.example.com'] }, true],
  ['at another server', { urls: ['ldap://three.example.com'] }, false],
  ['of another name', { urls, bindDN: 'cn=other,dc=example,dc=org' }, false],
])('an account $0', ([, other, shared]) => {
  expect(isShared({ urls }, other)).toBe(shared);
});

test('a server that is another one for each service is known by the connection', () => {
  const usual: Partial<Spec> = { urls: ['ldap://127.0.0.1'] };
  const { urls: _, ...without } = declared;
  expect(accountsOf(without)).toEqual(accountsOf({ ...declared, ...usual }));
  expect(isShared(usual, { ...usual, connectionRef: { name: 'staging' } })).toBe(false);
});

test('rotate-root says whom it would lock out, and is looked at again within a minute', () => {
  expect(planned({ requests: { 'rotate-root': 't1' } })).toMatchObject({
    steps: [{ locksOut: accountsOf(declared), dueMs: 60_000 }],
  });
});
