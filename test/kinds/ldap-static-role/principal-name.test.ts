// By the principal name, which is usual in Active Directory, Vault and OpenBao never find an entry by its DN: nobody learns that
// from `expected one matching entry, but received 0`, and a role that keeps its password would wait for ever.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { outline, planned, type Given } from './situation.ts';

const config = { documentAlone: 'false', userAttr: 'userPrincipalName', upnDomain: 'example.org' };
const made: Given = { role: 'absent', memory: noStatus, held: false, config };

test.for<readonly [what: string, given: Given]>([
  ['made', made],
  ['made with the password that it has', { ...made, spec: { onCreate: 'Keep' } }],
  ['rotated', { requests: { rotate: 'now' }, config }],
])('a role that names its entry is not $0', ([, given]) => {
  expect(planned(given)).toMatchObject({
    verdict: 'blocked',
    reason: 'EntryNotFound',
    message:
      '/dn: by userPrincipalName, the service looks for this name with @ and its upnDomain, and finds no entry: give the LDAPConfig another userAttr, such as sAMAccountName',
    wake: { on: 'object' },
  });
});

test.for<readonly [why: string, given: Given]>([
  ['another attribute is declared', { ...made, config: { ...config, userAttr: 'sAMAccountName' } }],
  ['a document alone says how the service works', { ...made, config: { ...config, documentAlone: 'true' } }],
  ['it is named as the service looks for it', { ...made, spec: { dn: 'app' } }],
  ['nothing names it', { ...made, nameless: true }],
])('a role is made where $0', ([, given]) => {
  expect(outline(given)).toMatch(/^create/);
});
