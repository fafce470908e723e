// What the manifests declare logs a person in: a real browser, a real identity provider, and the embedded secrets service.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { folder, holdfast } from '../support/cli.ts';
import { listening, loggedIn, type Login } from '../support/login.ts';
import { startLoginIssuer, type LoginIssuerOptions } from '../support/login-issuer.ts';
import { installation, secret, Tree, type Spec } from '../support/manifests.ts';
import { oidcConfig, oidcRole, secretsConnection, serveSecrets } from '../support/secrets.ts';
import { executablePath, launch } from '../web/browser.ts';

/** @param secretThere what the client's secret is declared to be, if not what it is */
async function declared(role: Spec = {}, options: Partial<LoginIssuerOptions> = {}, secretThere?: string) {
  const callback = await listening();
  const issuer = await startLoginIssuer({ redirects: [callback.redirect], ...options });
  onTestFinished(() => issuer.stop());
  const secrets = await serveSecrets('vault');
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree'));
  const { url: discoveryURL, clientID, clientSecret } = issuer;
  tree.put('holdfast.yaml', installation());
  tree.put('secrets.yaml', ...secretsConnection(secrets, { probeHosts: ['127.0.0.1'] }));
  tree.put(
    'login.yaml',
    oidcConfig({ discoveryURL, clientID }),
    secret('shop', 'staff', { 'client-secret': secretThere ?? clientSecret }),
    oidcRole(role),
  );
  const applied = await holdfast(['apply', 'tree', '--state-dir', 'state'], { cwd });
  expect(applied.code, applied.stdout + applied.stderr).toBe(0);
  const login: Login = { url: secrets.url, mount: 'oidc', role: 'staff', user: 'shop', callback };
  return { secrets, login };
}

describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test('a person who logs in gets what the role says: claims, groups, and a token with its policies', async () => {
    const { secrets, login } = await declared({
      userClaim: 'email',
      groupsClaim: 'groups',
      scopes: ['profile', 'email', 'groups'],
      claimMappings: { team: 'squad' },
      boundClaims: { team: ['till'] },
      boundAudiences: ['holdfast'],
      tokenPolicies: ['shop-read'],
      tokenTTL: '1h',
    });
    const answer = await loggedIn(browser, login);
    expect(answer).toMatchObject({
      status: 200,
      auth: {
        policies: ['default', 'shop-read'],
        metadata: { role: 'staff', squad: 'till' },
        lease_duration: 3_600,
      },
    });
    const token = answer.auth?.client_token ?? '';
    const looked = await request(`${secrets.url}/v1/auth/token/lookup-self`, {
      headers: { 'x-vault-token': token },
    });
    expect(await looked.body.json()).toMatchObject({
      data: {
        display_name: 'oidc-shop@example.org',
        policies: ['default', 'shop-read'],
        meta: { role: 'staff' },
      },
    });
    expect(await secrets.call('POST', '/setup/tokens/groups', { token })).toEqual(['sellers', 'openers']);
  });

  test('a person logs in also where the Secret of the client ends in a newline, as most files do', async () => {
    const { login } = await declared({}, {}, 'canary-client-secret-5d20\n');
    expect(await loggedIn(browser, login)).toMatchObject({ status: 200 });
  });

  test.for<{
    why: string;
    role?: Spec;
    options?: Partial<LoginIssuerOptions>;
    secretThere?: string;
    status: number;
    says: string;
  }>([
    {
      why: 'a claim has another value than the role is bound to',
      role: { scopes: ['profile'], boundClaims: { team: ['warehouse'] } },
      status: 400,
      says: 'claim "team" does not match any associated bound claim values',
    },
    {
      why: 'the audience is that of somebody else',
      role: { boundAudiences: ['api://other'] },
      status: 400,
      says: 'audience claim does not match any expected audience',
    },
    {
      why: 'the scope that brings the groups is not asked for',
      role: { groupsClaim: 'groups' },
      status: 400,
      says: '"groups" claim not found in token',
    },
    {
      why: 'the user has no such claim',
      role: { userClaim: 'email' },
      status: 400,
      says: 'claim "email" not found in token',
    },
    {
      why: 'the client secret is wrong',
      secretThere: 'canary-old-88a1',
      status: 400,
      says: 'invalid_client',
    },
    {
      why: 'the redirect URI is not registered',
      options: { redirects: ['http://localhost:1/oidc/callback'] },
      status: 0,
      says: 'redirect_uri',
    },
    {
      why: 'a scope is not allowed',
      role: { scopes: ['email'] },
      options: { clientScope: 'openid profile' },
      status: 0,
      says: 'invalid_scope',
    },
  ])(
    'nobody logs in where $why, and who tries is told',
    async ({ role, options, secretThere, status, says }) => {
      const { login } = await declared(role, options, secretThere);
      const { status: came, errors = [] } = await loggedIn(browser, login);
      expect([came, errors.join()]).toEqual([status, expect.stringContaining(says)]);
    },
  );
});
