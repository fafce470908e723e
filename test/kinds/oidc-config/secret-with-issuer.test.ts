// A client, its secret and the issuer that knows them can only be right together. The service sends the secret to the issuer.
import { describe, expect, test } from 'vitest';
import { outline, planned, sent, type Given } from './situation.ts';

const issuer = 'https://issuer.example.net';
const live = { oidc_discovery_url: issuer, oidc_client_id: 'another' };
const edited: Given = { live, spec: { defaultRole: 'everybody' } };
const refused = 'stalled ImmutableFieldChanged until edit';

describe.for<{ why: string; policy: NonNullable<Given['policy']> }>([
  { why: 'drift is left as found', policy: { drift: { mode: 'Warn' } } },
  { why: 'drift of the issuer is ignored', policy: { drift: { ignore: ['/discoveryURL'] } } },
])('where $why', ({ policy }) => {
  test('an edit of another field gives the declared secret to no other issuer, and names that one', () => {
    const given = { ...edited, policy };
    expect(outline(given)).toMatch(refused);
    expect(planned(given)).toMatchObject({
      message: expect.stringMatching(
        `^/discoveryURL: the service has ${issuer}, which drift leaves as found; .*; have discoveryURL corrected, `,
      ),
    });
  });

  test('nor does a secret that moves go there', () => {
    expect(outline({ live, secret: '2', policy })).toMatch(refused);
  });

  test('an edit of the issuer takes it back, with its client', () => {
    const spec = { discoveryURL: 'https://embedded/other' };
    const wrote = { '/discoveryURL': 'https://embedded/staff' };
    expect(sent({ live, spec, wrote, policy })).toMatchObject({
      oidc_discovery_url: spec.discoveryURL,
      oidc_client_id: 'holdfast',
    });
  });

  test('without a client there is no secret to send, and edits are written', () => {
    const bare: Given = {
      ...edited,
      without: ['clientID', 'clientSecretSecretRef'],
      live: { oidc_discovery_url: issuer, oidc_client_id: '' },
      policy,
    };
    expect(sent(bare)).toMatchObject({ oidc_discovery_url: issuer, default_role: 'everybody' });
  });
});

test('where drift is corrected, the issuer and its client go back together', () => {
  expect(sent(edited)).toMatchObject({
    oidc_discovery_url: 'https://embedded/staff',
    oidc_client_id: 'holdfast',
    default_role: 'everybody',
  });
});

test('a service without any issuer is said to have none', () => {
  const given: Given = { ...edited, live: { oidc_discovery_url: '' }, policy: { drift: { mode: 'Warn' } } };
  expect(planned(given)).toMatchObject({ message: expect.stringContaining('the service has none') });
});

test.each<{ policy: NonNullable<Given['policy']> }>([
  { policy: { drift: { mode: 'Warn' } } },
  { policy: { drift: { ignore: ['/discoveryCA'] } } },
])(
  'whoever has the service trust another certificate gets no secret of the declared client: $policy',
  ({ policy }) => {
    const trusted = { oidc_discovery_ca_pem: 'another' };
    const trusting: Given = {
      spec: { discoveryCA: 'declared', defaultRole: 'everybody' },
      wrote: { '/discoveryCA': 'declared' },
      live: { oidc_discovery_ca_pem: 'another' },
      policy,
    };
    expect(outline(trusting)).toMatch(refused);
    expect(planned(trusting)).toMatchObject({
      message: expect.stringMatching(
        /^\/discoveryCA: the service trusts another certificate, which drift leaves as found; .*; have discoveryCA corrected, /,
      ),
    });
    expect(sent({ ...trusting, spec: { discoveryCA: 'new' } })).toMatchObject({
      oidc_discovery_ca_pem: 'new',
    });
    expect(sent({ ...trusting, hides: ['oidc_discovery_ca_pem'] })).toMatchObject({
      default_role: 'everybody',
    });
    const bare: Given = { ...trusting, without: ['clientID', 'clientSecretSecretRef'] };
    expect(sent({ ...bare, live: { ...trusted, oidc_client_id: '' } })).toMatchObject({
      oidc_discovery_ca_pem: 'another',
    });
  },
);
