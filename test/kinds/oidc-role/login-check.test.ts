// Logins that are begun to see whether they would work: what stops one is named, an outage takes nothing back, nobody is asked who
// may not be, and the client's secret is nowhere.
import { describe, expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { Secret } from '../../../src/core/secret.ts';
import type { Resolution, Resolved } from '../../../src/core/resource.ts';
import { oidcRole } from '../../../src/kinds/oidc-role/kind.ts';
import { isOpen } from '../../../src/kinds/oidc-role/login-check.ts';
import type { Spec } from '../../../src/kinds/oidc-role/schema.ts';
import { serve, type Seen } from '../../api/servers.ts';
import { Driven, served } from '../driven.ts';
import { callback, config, declared, key } from './situation.ts';

const canary = 'canary-client-secret-83c1';
interface Answer {
  readonly status: number;
  readonly location?: string;
  readonly json?: object;
}

/** What an identity provider says at each of its endpoints, the document apart from what is always in it. */
const sound = {
  document: { status: 200, json: {} } as Answer,
  auth: { status: 303, location: '/interaction/1' } as Answer,
  token: { status: 200, json: { access_token: 'canary-access' } } as Answer,
};
type Provider = typeof sound;

async function checking(more: Partial<Provider> = {}, spec: Partial<Spec> = {}, outputs: object = {}) {
  const provider: { -readonly [P in keyof Provider]: Answer } = { ...sound, ...more };
  const { url, seen } = await serve((asked: Seen, response) => {
    const base = `http://${asked.headers.host}`;
    const [, name = ''] = /^\/(auth|token)/.exec(asked.url) ?? [];
    const { status, location, json } =
      name === 'auth' || name === 'token' ? provider[name] : provider.document;
    const endpoints = {
      issuer: base,
      authorization_endpoint: `${base}/auth`,
      token_endpoint: `${base}/token`,
      jwks_uri: `${base}/keys`,
    };
    response.writeHead(status, location === undefined ? {} : { location });
    response.end(JSON.stringify(name === '' ? { ...endpoints, ...json } : json));
  });
  const { here, service, clock } = await served('vault');
  const client = { oidc_client_id: 'holdfast', oidc_client_secret: canary };
  await here.client.post('/v1/auth/oidc/config', { oidc_discovery_url: url, ...client });
  const ready = {
    state: 'ready',
    outputs: { ...config, discoveryURL: url, probeHosts: '127.0.0.1', ...outputs },
  } as const;
  const secret = Secret.of('oidc/client', '1', canary);
  const resolved = ({ loginCheck }: Spec): Resolved => {
    const found = new Map<string, Resolution>([['/configRef', ready]]);
    if (loginCheck?.clientSecretSecretRef?.name === 'gone')
      return found.set('/loginCheck/clientSecretSecretRef', { state: 'missing', message: 'Secret is gone' });
    return loginCheck?.clientSecretSecretRef
      ? found.set('/loginCheck/clientSecretSecretRef', { state: 'secret', secret })
      : found;
  };
  const driven = new Driven<Spec>(
    { kind: oidcRole, key, service, resolved },
    { ...declared, loginCheck: {}, ...spec },
  );
  clock.turn(Date.now() - clock.nowMs());
  const checked = async () => {
    await driven.visit();
    const found = conditionOf(driven.memory.conditions, 'LoginVerified');
    return found && { is: `${found.status}/${found.reason}`, message: found.message };
  };
  const count = (path: string) => seen.filter((one) => one.url.startsWith(path)).length;
  return { here, provider, driven, clock, checked, count, seen };
}

const withSecret: Partial<Spec> = { loginCheck: { clientSecretSecretRef: { name: 'oidc', key: 'client' } } };
const back = (code: string) => ({ status: 303, location: `${callback}?error=${code}&state=x` });

describe('a login that is begun', () => {
  test.for<{
    why: string;
    provider?: Partial<Provider>;
    spec?: Partial<Spec>;
    outputs?: object;
    is: string;
    message?: string;
  }>([
    { why: 'leads to a page of the provider', is: 'True/LoginAccepted', message: '' },
    { why: 'is a page already', provider: { auth: { status: 200 } }, is: 'True/LoginAccepted' },
    {
      why: 'ends at once, for its redirect URI is not registered',
      provider: { auth: { status: 400 } },
      is: 'False/LoginRefused',
      message: `status 400: does the client have the redirect URI ${callback}?`,
    },
    {
      why: 'comes straight back with an error',
      provider: { auth: back('invalid_scope') },
      is: 'False/LoginRefused',
      message: 'the identity provider says invalid_scope',
    },
    {
      why: 'comes back with something else in its place',
      provider: { auth: back('%3Cscript%3E') },
      is: 'False/LoginRefused',
      message: 'the identity provider says script',
    },
    {
      why: 'goes elsewhere, whatever stands in that address',
      provider: { auth: { status: 302, location: 'https://sso.example.com/?error=x' } },
      is: 'True/LoginAccepted',
    },
    { why: 'meets an outage', provider: { auth: { status: 503 } }, is: 'Unknown/IssuerUnavailable' },
    {
      why: 'has an issuer that is not there',
      provider: { document: { status: 404 } },
      is: 'False/IssuerRefused',
    },
    {
      why: 'may not be tried at that host',
      outputs: { probeHosts: 'other' },
      is: 'Unknown/HostNotAllowed',
      message: "127.0.0.1: not among the connection's probeHosts",
    },
    {
      why: 'is one at the embedded issuer',
      outputs: { discoveryURL: 'https://embedded/a' },
      is: 'Unknown/LoginNotVerifiable',
    },
    {
      why: 'leads to a host that may not be asked',
      provider: { document: { status: 200, json: { authorization_endpoint: 'https://other.example.com/' } } },
      is: 'Unknown/HostNotAllowed',
      message: 'other.example.com',
    },
    {
      why: 'has a token endpoint that may not be asked',
      spec: withSecret,
      provider: { document: { status: 200, json: { token_endpoint: 'https://other.example.com/token' } } },
      is: 'Unknown/HostNotAllowed',
    },
    {
      why: 'has a token endpoint that is no address',
      spec: withSecret,
      provider: { document: { status: 200, json: { token_endpoint: 'ftp://127.0.0.1/token' } } },
      is: 'Unknown/HostNotAllowed',
    },
    { why: 'has a client whose secret is taken', spec: withSecret, is: 'True/LoginAccepted' },
    {
      why: 'has a client whose secret is not taken',
      spec: withSecret,
      provider: { token: { status: 401, json: { error: 'invalid_client', error_description: canary } } },
      is: 'False/ClientSecretRefused',
    },
    {
      why: 'has a client that may not do what would show it',
      spec: withSecret,
      provider: { token: { status: 400, json: { error: 'unauthorized_client' } } },
      is: 'Unknown/LoginNotVerifiable',
      message: '/loginCheck/clientSecretSecretRef: the token endpoint says unauthorized_client',
    },
    {
      why: 'has a client whose secret is not there',
      spec: { loginCheck: { clientSecretSecretRef: { name: 'gone', key: 'client' } } },
      is: 'Unknown/LoginNotVerifiable',
      message: '/loginCheck/clientSecretSecretRef: Secret is gone',
    },
    {
      why: 'needs a claim that is not announced',
      provider: { document: { status: 200, json: { claims_supported: ['sub', 'email'] } } },
      is: 'Unknown/ClaimNotAnnounced',
      message: '/groupsClaim: the issuer does not announce the claim groups',
    },
    {
      why: 'needs a claim of a certain value that is not announced',
      provider: { document: { status: 200, json: { claims_supported: ['sub', 'groups'] } } },
      spec: { boundClaims: { '/org/site': ['a'], team: ['a'] } },
      is: 'Unknown/ClaimNotAnnounced',
      message: '/boundClaims: the issuer does not announce the claim team',
    },
    {
      why: 'needs none that is missing',
      provider: { document: { status: 200, json: { claims_supported: ['sub', 'groups'] } } },
      is: 'True/LoginAccepted',
    },
  ])('$why: $is', async ({ provider, spec, outputs, is, message }) => {
    const { checked, driven } = await checking(provider, spec, outputs);
    const found = await checked();
    expect(found).toMatchObject({
      is,
      ...(message !== undefined && { message: expect.stringContaining(message) }),
    });
    expect(JSON.stringify(driven.memory)).not.toContain('canary');
    expect(conditionOf(driven.memory.conditions, 'Ready')?.status).toBe('True');
  });

  test('says why the service begins none', async () => {
    const { here, checked } = await checking();
    await here.client.post('/v1/auth/oidc/config', { jwks_url: 'https://embedded/keys' });
    expect(await checked()).toEqual({
      is: 'False/LoginNotBegun',
      message: expect.stringContaining('OIDC login is not configured for this mount'),
    });
  });

  test('is told of clocks that differ', async () => {
    const { clock, checked } = await checking();
    clock.turn(120_000);
    expect(await checked()).toEqual({
      is: 'Unknown/ClockSkewed',
      message: 'the clock of the issuer is behind that of Holdfast',
    });
  });
});

test('a secret is not sent open by an issuer that is asked by TLS', () => {
  expect(isOpen('http://id.example.com/token', 'https://id.example.com')).toMatchObject({
    status: 'Unknown',
  });
  expect(isOpen('https://id.example.com/token', 'https://id.example.com')).toBeUndefined();
  expect(isOpen('http://localhost/token', 'http://localhost')).toBeUndefined();
});

describe('the check', () => {
  test('is made once an interval, and a fault is looked at again within minutes; the last success stays', async () => {
    const { checked, count, clock, provider, driven } = await checking();
    const login = () => driven.memory.observed?.['login'];
    await checked();
    const first = login();
    expect(first).toEqual({ checked: expect.any(String), lastVerified: Object(first).checked });
    clock.turn(0.8 * 3_600_000 - 1);
    await checked();
    expect([count('/auth'), login()]).toEqual([1, first]);
    provider.auth = { status: 503 };
    clock.turn(1);
    expect(await checked()).toMatchObject({ is: 'Unknown/IssuerUnavailable' });
    expect(login()).toEqual({ checked: expect.any(String), lastVerified: Object(first).checked });
    expect(Object(login()).checked).not.toBe(Object(first).checked);
    provider.auth = sound.auth;
    clock.turn(60_000);
    expect(await checked()).toMatchObject({ is: 'True/LoginAccepted' });
    expect(count('/auth')).toBe(3);
  });

  test('is made no more often where another try tells no more', async () => {
    const claims_supported = ['sub'];
    const { checked, count, clock } = await checking({
      document: { status: 200, json: { claims_supported } },
    });
    await checked();
    clock.turn(600_000);
    expect(await checked()).toMatchObject({ is: 'Unknown/ClaimNotAnnounced' });
    expect(count('/auth')).toBe(1);
  });

  test('is made anew after an edit, and when a person asks to look', async () => {
    const { checked, count, driven, seen } = await checking();
    await checked();
    driven.spec = { ...driven.spec, scopes: ['profile'] };
    await checked();
    expect(seen.findLast((one) => one.url.startsWith('/auth'))?.url).toContain('scope=openid+profile');
    const before = count('/auth');
    driven.requests = { reconcile: 'now' };
    await checked();
    expect(count('/auth')).toBe(before + 1);
  });

  test('tries what the service has by then: the scopes of an edit, at the redirect URI that is named', async () => {
    const other = 'https://vault.example.com/ui/vault/auth/oidc/oidc/callback';
    const allowedRedirectURIs = [callback, other];
    const loginCheck = { redirectURI: other };
    const { checked, seen } = await checking({}, { allowedRedirectURIs, loginCheck, scopes: ['email'] });
    await checked();
    const asked = new URL(seen.findLast((one) => one.url.startsWith('/auth'))?.url ?? '', 'http://x')
      .searchParams;
    expect([asked.get('redirect_uri'), asked.get('scope')]).toEqual([other, 'openid email']);
  });

  test('is not made unless it is declared, nor for a role that leaves', async () => {
    const { checked, count, driven } = await checking();
    driven.spec = declared;
    expect(await checked()).toBeUndefined();
    driven.spec = { ...declared, loginCheck: {} };
    driven.deleting = true;
    await driven.visit();
    expect(count('/auth')).toBe(0);
  });
});
