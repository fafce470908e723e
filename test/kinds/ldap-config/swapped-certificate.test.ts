// The certificate of the directory is sent from a Secret, and can't be compared with that. One that somebody swapped at the service
// was not noticed, and roles trusted it where they bind to test a password.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { ldapConfig } from '../../../src/kinds/ldap-config/kind.ts';
import { box, declared, key, outline, planned, recorded, sent, type Given } from './situation.ts';

const ours = { $secret: 'ldap/ca', version: '1' };
const caSecretRef = { name: 'ldap', key: 'ca' };
const trusting = { root: 'declared', rotation: '' } as const;
/** As after a write and a look: the service answered `A`. */
const looked: Given = {
  spec: { caSecretRef },
  secrets: { caSecretRef: box('ldap/ca') },
  memory: {
    ...recorded,
    applied: { ...recorded.applied, '/caSecretRef': ours },
    own: { ...trusting, certificate: 'A' },
  },
};
const swapped: Given = { ...looked, live: { certificate: 'B' } };
const written = 'update by ldap.config.write /caSecretRef';

test.for<readonly [why: string, given: Given, outcome: string]>([
  ['what was answered first is no drift', { ...looked, live: { certificate: 'A' } }, 'in-sync'],
  ['another certificate is drift', swapped, written],
  ['one that was taken away is drift', { ...looked, live: { certificate: '' } }, written],
  [
    'a service that does not show it is trusted',
    { ...looked, hides: ['certificate', 'request_timeout'] },
    'in-sync',
  ],
  ['where drift is ignored, it stays', { ...swapped, policy: { drift: { mode: 'Ignore' } } }, 'in-sync'],
  [
    'where nothing was recorded, what is there is taken for ours',
    { ...swapped, memory: { ...recorded, applied: { ...recorded.applied, '/caSecretRef': ours } } },
    'in-sync',
  ],
])('%s', ([, given, outcome]) => {
  expect(outline(given)).toBe(outcome);
});

test('drift that is only warned of says what differs, and shows no certificate', () => {
  expect(planned({ ...swapped, policy: { drift: { mode: 'Warn' } } })).toMatchObject({
    drift: [{ path: '/caSecretRef', desired: ours, live: 'another certificate', cause: 'drift' }],
  });
});

test('another version of the Secret stays an edit', () => {
  const given = { ...swapped, secrets: { caSecretRef: box('ldap/ca', '2') } };
  expect(planned(given)).toMatchObject({ steps: [{ changes: [{ path: '/caSecretRef', cause: 'edit' }] }] });
});

describe('a certificate that drift leaves as found', () => {
  const left = { ...swapped, policy: { drift: { mode: 'Warn' } } } as const;
  const why =
    'the service trusts another certificate, unlike /caSecretRef declares, and drift leaves that as found. Have caSecretRef corrected, or declare what is there';

  test('keeps the bind password from being sent', () => {
    expect(planned({ ...left, password: '2' })).toMatchObject({
      message: expect.stringContaining(`/bindPasswordSecretRef: it is not sent: ${why}`),
    });
  });

  test('is nothing amiss where none is declared any more: the bind password is sent', () => {
    const memory = { ...recorded, own: { ...trusting, certificate: 'A' } };
    expect(
      outline({
        ...left,
        without: ['caSecretRef'],
        memory,
        password: '2',
      }),
    ).toBe('update by ldap.config.write /bindPasswordSecretRef');
  });

  test('keeps the bind password from being rotated', () => {
    expect(planned({ ...left, requests: { 'rotate-root': 't' } })).toMatchObject({
      reason: 'AnotherServer',
      message: `rotate-root was asked for, and the password is not rotated there: ${why}`,
    });
  });

  test('is not told to roles, which bind by the one that was read first', () => {
    const spec = { ...declared, caSecretRef };
    const told = (certificate: string) =>
      ldapConfig.open({ key, spec, requests: {} }, {}).outputs({
        ...noStatus,
        own: { ...trusting, certificate: 'A' },
        observed: { urls: declared.urls ?? [], certificate },
      });
    expect(told('B')).toMatchObject({
      certificate: 'A',
      astray: 'the service trusts another certificate, unlike /caSecretRef declares',
    });
    expect(told('A')).toMatchObject({ certificate: 'A' });
    expect(told('A')).not.toHaveProperty('astray');
  });
});

test.for([
  { why: 'tells of no certificate', shown: {}, is: undefined },
  {
    why: 'has none any more',
    shown: { requestTimeout: 90 },
    is: 'the service trusts another certificate, unlike /caSecretRef declares',
  },
])('a service that $why: roles are told what the configuration says of itself', ({ shown, is }) => {
  const spec = { ...declared, caSecretRef };
  const own = { ...trusting, certificate: 'A' };
  const observed = { urls: declared.urls ?? [], ...shown };
  const { astray } = ldapConfig.open({ key, spec, requests: {} }, {}).outputs({ ...noStatus, own, observed });
  expect(astray).toBe(is);
});

test('it is corrected along with the bind password', () => {
  expect(sent({ ...swapped, password: '2' })).toMatchObject({ certificate: ours });
});
