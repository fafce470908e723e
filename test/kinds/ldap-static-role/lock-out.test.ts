// Whose password a role may not set: that of the entry with which the service binds itself, and that of an account with which
// another configuration binds.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { firstStep, planned, type Given } from './situation.ts';

const dn = 'uid=app,dc=example,dc=org';
const found = { bindDN: dn, userDN: 'dc=example,dc=org', userAttr: 'uid' };
const ofDomain = { bindDN: 'app', upnDomain: 'a.org', userAttr: 'userPrincipalName' };
const nameless: Given = { nameless: true, role: 'absent', memory: noStatus, held: false };

describe('the entry with which the service binds', () => {
  test.for<readonly [which: string, given: Given, field: string]>([
    ['is declared', { config: { bindDN: dn } }, 'dn'],
    ['is shown by the service', { nameless: true, role: { dn }, config: { bindDN: dn } }, 'dn'],
    ['is found by the user name', { ...nameless, config: found }, 'username'],
    ['is the user of a domain', { ...nameless, spec: { username: 'App' }, config: ofDomain }, 'username'],
    ['is that user in full', { ...nameless, spec: { username: 'app@A.org' }, config: ofDomain }, 'username'],
    ['is named as that user', { spec: { dn: 'app' }, config: ofDomain }, 'dn'],
  ])('stalls a role whose entry $0', ([, given, field]) => {
    expect(planned(given)).toMatchObject({
      verdict: 'blocked',
      reason: 'RoleOfBindDN',
      message: `/${field}: the service binds with it, and a rotation by this role would lock the service out: use rotate-root of the configuration`,
      stalls: true,
      wake: { on: 'object' },
    });
  });

  test.for<readonly [which: string, given: Given]>([
    ['has another entry', { config: { ...found, bindDN: 'cn=admin,dc=example,dc=org' } }],
    ['has another name', { ...nameless, spec: { username: 'other' }, config: found }],
    ['is looked for elsewhere', { ...nameless, config: { ...found, userDN: 'ou=b,dc=example,dc=org' } }],
    ['is looked for by another attribute', { ...nameless, config: { ...found, userAttr: 'mail' } }],
    ['is another user of the domain', { ...nameless, spec: { username: 'app2@a.org' }, config: ofDomain }],
    ['is of another domain', { ...nameless, spec: { username: 'app@b.org' }, config: ofDomain }],
    ['leaves', { deleting: true, config: { bindDN: dn } }],
    ['is only observed', { policy: { management: 'ObserveOnly' }, config: { bindDN: dn } }],
    ['has no configuration that says how it binds', {}],
  ])('does not stall a role that $0', ([, given]) => {
    expect(planned(given)).not.toMatchObject({ reason: 'RoleOfBindDN' });
  });
});

describe('an account with which another configuration may bind', () => {
  const config = { places: 'one.example.com,two.example.com' };
  const accounts = [`the account ${dn} at one.example.com`, `the account ${dn} at two.example.com`];
  const made: Given = { role: 'absent', memory: noStatus, held: false };

  test('is named by the step that makes the role, which is asked again within a minute', () => {
    expect(firstStep({ ...made, config })).toMatchObject({ locksOut: accounts, dueMs: 60_000 });
  });

  test('is named by a rotation that is asked for', () => {
    expect(firstStep({ requests: { rotate: 'now' }, config })).toMatchObject({ locksOut: accounts });
  });

  test('is named by a change of a role that never rotated: the service rotates it then', () => {
    const changed: Given = { role: 'never rotated', spec: { rotationPeriod: '2h' }, config };
    expect(firstStep(changed)).toMatchObject({ locksOut: accounts, trial: 'app-login' });
  });

  test('is that which the service shows, where none is declared', () => {
    const step = firstStep({ nameless: true, role: { dn }, requests: { rotate: 'now' }, config });
    expect(step).toMatchObject({ locksOut: accounts });
  });

  test.for<readonly [which: string, given: Given]>([
    ['keeps the password', { ...made, spec: { onCreate: 'Keep' }, config }],
    ['is for an entry that nobody names', { ...nameless, config }],
    ['has a configuration that names no place', { ...made }],
    ['that has rotated is changed', { spec: { rotationPeriod: '2h' }, config }],
    [
      'that never rotated goes',
      { role: 'never rotated', deleting: true, policy: { deletion: 'Delete' }, config },
    ],
  ])('is not named where a role $0', ([, given]) => {
    expect(firstStep(given)).not.toHaveProperty('locksOut');
  });
});
