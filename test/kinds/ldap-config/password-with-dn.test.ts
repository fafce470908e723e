// bindDN and its password can only be right together (decision 38), also where it is the password that moves.
import { expect, test } from 'vitest';
import { bindDN, outline, passwordOf, planned, sent } from './situation.ts';

const ops = 'cn=ops,dc=example,dc=org';
const left = [
  { policy: { drift: { mode: 'Warn' } } },
  { policy: { drift: { mode: 'Ignore' } } },
  { policy: { drift: { ignore: ['/bindDN'] } } },
] as const;

test.for(left)(
  'with %j another bindDN stays as it was given, and so does its password: that is said',
  (policy) => {
    const given = { live: { binddn: ops }, ...policy };
    expect(outline(given)).toMatch(/^in-sync/);
    const moved = { ...given, password: '2' };
    expect(outline(moved)).toBe('stalled ImmutableFieldChanged until edit /bindPasswordSecretRef');
    expect(planned(moved)).toMatchObject({
      message: expect.stringMatching(
        `^/bindPasswordSecretRef: it is the password of ${bindDN}, and the service binds with ${ops}, `,
      ),
    });
  },
);

test('where bindDN is corrected, both are sent, and nobody has to choose', () => {
  expect(sent({ live: { binddn: ops }, password: '2' })).toEqual({
    binddn: bindDN,
    bindpass: passwordOf('2'),
  });
});

test.for(left)(
  'with %j a request for the declared password gives the service the account of it, too',
  (policy) => {
    const given = { live: { binddn: ops }, requests: { 'reseed-root': 's' }, ...policy };
    expect(sent(given)).toEqual({ binddn: bindDN, bindpass: passwordOf('1') });
    expect(planned(given)).toMatchObject({
      steps: [{ summary: `give ldap the bind password from ldap/password, and ${bindDN} to bind with` }],
    });
  },
);
