// Logging in by a signed token, and how a login by browser begins.
import { describe, expect, test } from 'vitest';
import { proves } from '../../coverage/proves.ts';
import { said, type Bench, type Fields } from './bench.ts';

const minimal = { user_claim: 'sub', allowed_redirect_uris: ['http://localhost:8250/oidc/callback'] };

export function oidcLoginCases(bench: Bench): void {
  const configured = async (type: 'oidc' | 'jwt', role: Fields, config: Fields = {}) => {
    const mount = await bench.mounted(type);
    const { url, clientID, clientSecret } = bench.issuer;
    const client = type === 'oidc' && { oidc_client_id: clientID, oidc_client_secret: clientSecret };
    await bench.client.post(`/v1/${mount}/config`, { oidc_discovery_url: url, ...client, ...config });
    const made = await bench.client.post(`/v1/${mount}/role/app`, { user_claim: 'sub', ...role });
    if (made.status !== 204) throw new Error(`a role to start from: ${made.text}`);
    return mount;
  };
  const login = (mount: string, body: Fields) => bench.as(undefined, 'POST', `/v1/${mount}/login`, body);
  const forJwt = {
    role_type: 'jwt',
    bound_audiences: ['holdfast'],
    token_policies: ['default'],
    token_ttl: '1h',
  };
  const claims = { sub: 'shop', aud: 'holdfast' };

  const as = (mount: string, team: unknown) =>
    login(mount, { role: 'app', jwt: bench.issuer.sign('RS256', { ...claims, team }) });
  const begin = (mount: string, redirect_uri: string, role = 'app') =>
    bench.as(undefined, 'POST', `/v1/${mount}/oidc/auth_url`, { role, redirect_uri });

  describe('logging in by a signed token', () => {
    test('grants what the role says, with the claims that are mapped', async () => {
      proves('`default_role` is the one of a login that names none');
      proves('`groups_claim`, `policies` and `claim_mappings` say what a login gets');
      proves(
        '`POST /v1/auth/{mount}/login` logs in by a service account, a role ID or a signed token, at any path',
      );
      const mapped = { claim_mappings: { team: 'squad', '/org/site': 'site' } };
      const mount = await configured('jwt', { ...forJwt, ...mapped }, { default_role: 'app' });
      const more = { team: 'a', org: { site: 'x' } };
      for (const role of ['app', undefined]) {
        const jwt = bench.issuer.sign('RS256', { ...claims, ...more });
        const { auth } = (await login(mount, { ...(role && { role }), jwt })).json();
        expect(auth).toMatchObject({
          policies: ['default'],
          lease_duration: 3_600,
          renewable: true,
          metadata: { role: 'app', squad: 'a', site: 'x' },
        });
        expect((await bench.as(auth.client_token, 'GET', '/v1/auth/token/lookup-self')).status).toBe(200);
      }
    });

    test.each([
      { body: () => ({ jwt: 'x' }), says: 'missing role' },
      { body: () => ({ role: 'none', jwt: 'x' }), says: 'role "none" could not be found' },
      { body: () => ({ role: 'app' }), says: 'missing token' },
      {
        body: () => ({ role: 'app', jwt: 'x' }),
        says: 'error validating token: error verifying token signature',
      },
      {
        body: () => ({ role: 'app', jwt: `${bench.issuer.sign('RS256', claims).slice(0, -8)}AAAAAAAA` }),
        says: 'error validating token: error verifying token signature',
      },
      {
        body: () => ({ role: 'app', jwt: bench.issuer.sign('RS256', { ...claims, iat: 500, exp: 1_000 }) }),
        says: 'error validating token: invalid expiration time (exp) claim: token is expired',
      },
      {
        body: () => ({ role: 'app', jwt: bench.issuer.sign('RS256', { ...claims, aud: 'x' }) }),
        says: 'error validating token: invalid audience (aud) claim',
      },
      {
        body: () => ({ role: 'app', jwt: bench.issuer.sign('RS256', { aud: 'holdfast' }) }),
        says: 'claim "sub" not found in token',
      },
    ])('is refused: $says', async ({ body, says }) => {
      proves('`user_claim` is required, and identifies the user');
      const mount = await configured('jwt', forJwt);
      expect(said(await login(mount, body()))).toEqual([400, [expect.stringContaining(says)]]);
    });

    test('an issuer that signs otherwise than is expected is refused: mostly RS256 is', async () => {
      proves('signatures are RS256');
      const mount = await configured('jwt', forJwt, { jwt_supported_algs: ['RS256'] });
      const at = (algorithm: 'RS256' | 'ES256') =>
        login(mount, { role: 'app', jwt: bench.issuer.sign(algorithm, claims) });
      expect((await at('RS256')).status).toBe(200);
      const other = await at('ES256');
      expect(said(other)).toEqual([400, [expect.stringMatching(/error validating token: .*algorithm/)]]);
    });

    test('claims are compared as the role says', async () => {
      const bound = { ...forJwt, bound_claims: { team: 'a*' } };
      const exact = await configured('jwt', bound);
      const glob = await configured('jwt', { ...bound, bound_claims_type: 'glob' });
      expect(said(await as(exact, 'ab'))).toEqual([
        400,
        [expect.stringContaining('claim "team" does not match any associated bound claim values')],
      ]);
      expect((await as(exact, 'a*')).status).toBe(200);
      expect([(await as(glob, ['x', 'ab'])).status, (await as(glob, 'b')).status]).toEqual([200, 400]);
    });

    test('a token with an audience needs a role that takes it', async () => {
      proves('`bound_audiences` say whose tokens are taken');
      const mount = await configured('jwt', { role_type: 'jwt', bound_subject: 'shop' });
      const answer = await login(mount, { role: 'app', jwt: bench.issuer.sign('RS256', claims) });
      expect(said(answer)).toEqual([400, ['audience claim found in JWT but no audiences bound to the role']]);
    });

    test('a role for browsers takes none, and nothing works without a configuration', async () => {
      const mount = await configured('oidc', minimal);
      const answer = await login(mount, { role: 'app', jwt: bench.issuer.sign('RS256', claims) });
      expect(said(answer)).toEqual([400, ['role with oidc role_type is not allowed']]);
      const bare = await bench.mounted('jwt');
      expect(said(await login(bare, { role: 'app' }))).toEqual([400, ['could not load configuration']]);
    });
  });

  describe('a login by browser', () => {
    test('begins at the issuer, with what it is to come back with', async () => {
      proves('`oidc_scopes` are asked for besides `openid`');
      proves('`POST /v1/auth/{mount}/oidc/auth_url` tells where a login begins');
      const mount = await configured('oidc', { ...minimal, oidc_scopes: ['profile'] });
      const [redirect = ''] = minimal.allowed_redirect_uris;
      const answer = await begin(mount, redirect);
      const url = new URL(answer.json().data.auth_url);
      expect(`${url.origin}${url.pathname}`).toBe(`${bench.issuer.url}/auth`);
      const { searchParams: asked } = url;
      expect(Object.fromEntries(asked)).toMatchObject({
        client_id: bench.issuer.clientID,
        response_type: 'code',
        redirect_uri: redirect,
        scope: 'openid profile',
        code_challenge_method: 'S256',
      });
      const again = new URL((await begin(mount, redirect)).json().data.auth_url).searchParams;
      for (const name of ['state', 'nonce', 'code_challenge']) {
        expect(asked.get(name)).toMatch(/^[\w-]{20,}$/);
        expect(again.get(name)).not.toBe(asked.get(name));
      }
    });

    test('comes back to a place that the role allows, on the loopback at any port', async () => {
      proves('`allowed_redirect_uris` say where a login may come back to');
      proves('the command line and the web interface have their callbacks');
      const allowed = ['http://localhost:8250/oidc/callback', 'https://a.example.org/cb'];
      const mount = await configured('oidc', { ...minimal, allowed_redirect_uris: allowed });
      const isGiven = async (uri: string) => (await begin(mount, uri)).json().data.auth_url !== '';
      expect(await isGiven('https://a.example.org/cb')).toBe(true);
      expect(await isGiven('http://localhost:1234/oidc/callback')).toBe(true);
      expect(await isGiven('https://a.example.org:444/cb')).toBe(false);
      expect(await isGiven('http://localhost:8250/oidc/callback/x')).toBe(false);
      expect(await isGiven('http://evil.example.org/cb')).toBe(false);
    });

    test('is for a role that there is, at a mount with a client', async () => {
      const mount = await configured('oidc', minimal);
      expect(said(await begin(mount, 'http://a/cb', 'none'))).toEqual([
        400,
        ['role "none" could not be found'],
      ]);
      expect(said(await begin(mount, ''))).toEqual([400, ['missing redirect_uri']]);
      const other = await configured('jwt', forJwt);
      expect(said(await begin(other, 'http://a/cb'))).toEqual([
        400,
        ['OIDC login is not configured for this mount'],
      ]);
    });
  });
}
