// The end of a login by browser, without a browser: what the issuer answers decides, and each code, state and token is for once.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startIssuer } from '../../../support/issuer.ts';
import { portOf } from '../../../support/port.ts';
import { ManualClock } from '../../manual-clock.ts';
import { running } from '../running.ts';

const redirect = 'http://localhost:8250/oidc/callback';
type Claims = Readonly<Record<string, unknown>>;

/** The service, and an issuer that gives these claims for any code. */
async function begun(role: Claims = {}, config: Claims = {}) {
  const signer = await startIssuer();
  const answers: { claims: Claims; token?: object; userInfo?: object; forms: string[] } = {
    claims: {},
    forms: [],
  };
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    const base = `http://${headers.host}`;
    const reply = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    if (url.endsWith('/openid-configuration'))
      return void reply(200, {
        issuer: base,
        authorization_endpoint: `${base}/auth`,
        token_endpoint: `${base}/token`,
        userinfo_endpoint: `${base}/me`,
        jwks_uri: `${signer.url}/jwks`,
      });
    if (url === '/me') return void reply(answers.userInfo ? 200 : 500, answers.userInfo ?? {});
    request.on('data', (piece: Buffer) => answers.forms.push(`${headers.authorization} ${piece.toString()}`));
    request.on('end', () => {
      const id_token = signer.sign('RS256', { iss: base, aud: 'holdfast', sub: 'shop', ...answers.claims });
      reply(answers.token ? 400 : 200, answers.token ?? { id_token, access_token: 'canary-access' });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const here = await running({}, new ManualClock(Date.now()));
  onTestFinished(async () => {
    await here.stop();
    await signer.stop();
    server.closeAllConnections();
    server.close();
  });
  const client = { oidc_client_id: 'holdfast', oidc_client_secret: 'canary secret' };
  const issuer = `http://127.0.0.1:${portOf(server)}`;
  const written = { oidc_discovery_url: issuer, ...client, ...config };
  expect((await here.client.post('/v1/auth/oidc/config', written)).status).toBe(204);
  const whole = { user_claim: 'sub', allowed_redirect_uris: redirect, ...role };
  expect((await here.client.post('/v1/auth/oidc/role/staff', whole)).status).toBe(204);
  const begin = async (more: Claims = {}) => {
    const asked = { role: 'staff', redirect_uri: redirect, ...more };
    const { data } = (await here.as(undefined, 'POST', '/v1/auth/oidc/oidc/auth_url', asked)).json();
    const query = new URL(data.auth_url).searchParams;
    answers.claims = { nonce: query.get('nonce'), ...answers.claims };
    return query;
  };
  const end = (fields: Readonly<Record<string, string>>, mount = 'oidc') =>
    here.as(undefined, 'GET', `/v1/auth/${mount}/oidc/callback?${new URLSearchParams(fields).toString()}`);
  return { here, answers, begin, end };
}

test('a code becomes a token, with the claims of both places and the groups among them', async () => {
  const { here, answers, begin, end } = await begun({
    groups_claim: 'groups',
    bound_claims: { team: 'till' },
  });
  const query = await begin();
  answers.userInfo = { sub: 'shop', team: 'till', groups: ['sellers'] };
  const answer = await end({ state: query.get('state') ?? '', code: 'c1' });
  expect(answer.status).toBe(200);
  const { client_token: token } = answer.json().auth;
  expect((await here.client.post('/setup/tokens/groups', { token })).json()).toEqual(['sellers']);
  const [form = ''] = answers.forms;
  const basic = Buffer.from('holdfast:canary%20secret').toString('base64');
  expect(form).toContain(`Basic ${basic} grant_type=authorization_code&code=c1&`);
  expect(new URLSearchParams(form).get('code_verifier')).toMatch(/^[-\w]{43}$/);
});

test('what the userinfo endpoint tells of somebody else is not taken', async () => {
  const { answers, begin, end } = await begun({ bound_claims: { team: 'till' } });
  const query = await begin();
  answers.userInfo = { sub: 'other', team: 'till' };
  const answer = await end({ state: query.get('state') ?? '', code: 'c1' });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('claim \\"team\\" is missing')]);
});

test('a login is for once, for ten minutes, for its mount, and for who began it', async () => {
  const { here, begin, end } = await begun();
  const said = async (fields: Readonly<Record<string, string>>, mount?: string) => {
    const { status, text } = await end({ code: 'c1', ...fields }, mount);
    return [status, text];
  };
  const unknown = [400, expect.stringContaining('Expired or missing OAuth state.')];
  const id = async (more: Claims = {}) => (await begin(more)).get('state') ?? '';
  const first = await id();
  expect((await said({ state: first }))[0]).toBe(200);
  expect(await said({ state: first })).toEqual(unknown);
  expect(await said({ state: 'st_guessed' })).toEqual(unknown);
  await here.client.post('/v1/sys/auth/other', { type: 'oidc' });
  expect((await said({ state: await id() }, 'other'))[0]).toBe(400);
  expect(await said({ state: await id(), code: '' })).toEqual([400, expect.stringContaining('No code')]);
  const mine = await id({ client_nonce: 'mine' });
  expect(await said({ state: mine, client_nonce: 'hers' })).toEqual([
    400,
    expect.stringContaining('client_nonce'),
  ]);
  const late = await id();
  here.clock.advance(600_000);
  expect(await said({ state: late })).toEqual(unknown);
});

test.for<{ why: string; role?: Claims; claims?: Claims; token?: object; says: string }>([
  { why: 'the secret is wrong', token: { error: 'invalid_client' }, says: 'oauth2: \\\\\\"invalid_client' },
  { why: 'there is no ID token', token: {}, says: 'id_token is missing' },
  { why: 'it is of another login', claims: { nonce: 'n_other' }, says: 'invalid id_token nonce' },
  {
    why: 'of another issuer',
    claims: { iss: 'https://evil.example.com' },
    says: 'invalid issuer (iss) claim',
  },
  { why: 'for another client', claims: { aud: 'other' }, says: 'it lacks the client_id' },
  {
    why: 'for no audience of the role',
    role: { bound_audiences: ['api://default'] },
    says: 'does not match any expected audience',
  },
  { why: 'it has expired', claims: { exp: 1_000 }, says: 'token is expired' },
  { why: 'it comes from the future', claims: { iat: 4_000_000_000 }, says: 'issued in the future' },
  { why: 'it does not say who', role: { user_claim: 'email' }, says: 'claim \\"email\\" not found in token' },
  {
    why: 'nor in which groups',
    role: { groups_claim: 'groups' },
    says: '\\"groups\\" claim not found in token',
  },
  {
    why: 'groups are no names',
    role: { groups_claim: 'groups' },
    claims: { groups: [{ id: 1 }] },
    says: 'could not be converted to string list',
  },
  { why: 'it was long ago', role: { max_age: 60 }, claims: { auth_time: 1_000 }, says: 'max_age' },
])('nobody logs in where $why', async ({ role = {}, claims = {}, token, says }) => {
  const { answers, begin, end } = await begun(role);
  const query = await begin();
  answers.claims = { ...answers.claims, ...claims };
  if (token) answers.token = token;
  const answer = await end({ state: query.get('state') ?? '', code: 'c1' });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(says)]);
});
