// The answer to a create is lost, the declaration is edited, and somebody else makes what is declared now. It was taken for what the create
// had made, and written over, though that had asked for something else.
import { describe, expect, test } from 'vitest';
import { noStatus, type Status } from '../../src/core/status/status.ts';
import * as kms from './kms-provider/situation.ts';
import * as ldapConfig from './ldap-config/situation.ts';
import * as ldapRole from './ldap-static-role/situation.ts';
import * as oidcConfig from './oidc-config/situation.ts';
import * as oidcRole from './oidc-role/situation.ts';

/** @param applied what the create sent */
const lost = (applied: Status<never>['applied']): Status<never> => ({
  ...noStatus,
  pending: { op: 'create', token: 't' },
  applied,
});

/** What is there is as declared. @param sent what the create had asked for instead */
const kinds = [
  {
    kind: 'KMSProvider',
    outline: kms.outline,
    applied: kms.recorded.applied,
    sent: { '/keyCollection': 'others' },
  },
  {
    kind: 'LDAPConfig',
    outline: ldapConfig.outline,
    applied: ldapConfig.recorded.applied,
    sent: { '/bindDN': 'cn=others,dc=example,dc=org' },
  },
  {
    kind: 'LDAPStaticRole',
    outline: ldapRole.outline,
    applied: ldapRole.recorded.applied,
    sent: { '/username': 'others', '/dn': 'uid=others,dc=example,dc=org' },
  },
  {
    kind: 'OIDCConfig',
    outline: oidcConfig.outline,
    applied: oidcConfig.recorded.applied,
    sent: { '/discoveryURL': 'https://others' },
  },
  {
    kind: 'OIDCRole',
    outline: oidcRole.outline,
    applied: oidcRole.recorded.applied,
    sent: { '/userClaim': 'email' },
  },
] as const;

describe.each(kinds)('$kind: of a create without an answer', ({ outline, applied, sent }) => {
  test('what is as it was sent is its own', () => {
    expect(outline({ memory: lost(applied) })).toMatch(/^adopt|^in-sync/);
  });

  test('what is only as declared since is somebody else’s', () => {
    expect(outline({ memory: lost({ ...applied, ...sent }) })).toMatch(/^stalled AdoptionRefused/);
  });

  test('what is as declared is its own, where what was sent is not recorded', () => {
    expect(outline({ memory: lost({}) })).toMatch(/^adopt|^in-sync/);
  });
});
