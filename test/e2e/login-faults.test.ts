// What is wrong with an identity provider, or with what is declared of it, is named by a condition before people find it out at a
// login: each fault is planted, and one operator reads them all.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { conditionOf } from '../../src/core/status/condition.ts';
import type { ConditionType } from '../../src/core/status/reasons.ts';
import { openStateReadOnly } from '../../src/sources/directory/state/snapshot.ts';
import { deadUrl } from '../api/servers.ts';
import { hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { folder, Holdfast } from '../support/cli.ts';
import { startLoginIssuer, type LoginIssuerOptions } from '../support/login-issuer.ts';
import { installation, secret, Tree, type Spec } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { oidcConfig, oidcRole, secretsConnection, serveSecrets } from '../support/secrets.ts';
import { report } from './report.ts';

const callback = 'http://localhost:8250/oidc/callback';
const webCallback = 'https://vault.example.com/ui/vault/auth/elsewhere/oidc/callback';

interface Fault {
  readonly why: string;
  /** Of the issuer; absent: a sound one. */
  readonly issuer?: Partial<LoginIssuerOptions>;
  readonly config?: Spec;
  readonly role?: Spec;
  readonly clientSecret?: string;
  /** The kind and the type of the condition that names it. */
  readonly by: 'config' | 'role';
  readonly type: ConditionType;
  /** status/reason */
  readonly is: string;
  readonly says?: string;
}

type Answering = NonNullable<LoginIssuerOptions['instead']>;
const isDocument = ({ url = '' }: IncomingMessage): boolean => url.endsWith('/openid-configuration');
const atDocument =
  (answer: (response: ServerResponse, base: string) => unknown): Answering =>
  (request, response) => {
    if (!isDocument(request)) return false;
    answer(response, `http://${request.headers.host}`);
    return true;
  };
const saying = (of: (base: string) => object): Answering =>
  atDocument((response, base) => response.end(JSON.stringify(of(base))));
const endpoints = (base: string) => ({
  issuer: base,
  authorization_endpoint: `${base}/auth`,
  token_endpoint: `${base}/token`,
  jwks_uri: `${base}/jwks`,
});

const discovery = (why: string, is: string, more: Partial<Fault> = {}): Fault => ({
  why,
  is,
  by: 'config',
  type: 'DiscoverySucceeded',
  ...more,
});
const login = (why: string, is: string, more: Partial<Fault> = {}): Fault => ({
  why,
  is,
  by: 'role',
  type: 'LoginVerified',
  ...more,
});
const risk = (why: string, says: string, more: Partial<Fault> = {}): Fault => ({
  why,
  says,
  is: 'True/ProviderRulesBroken',
  by: 'role',
  type: 'LoginAtRisk',
  ...more,
});

const withSecret = { loginCheck: { clientSecretSecretRef: { name: 'NAME', key: 'client-secret' } } };
const skewed: Answering = (_, response) => {
  response.setHeader('date', new Date(Date.now() - 300_000).toUTCString());
  return false;
};
const closed: Answering = (request, response) => {
  const isLogin = request.url?.startsWith('/auth') === true;
  if (isLogin) response.writeHead(503).end();
  return isLogin;
};

const faults = (
  pem: { ca: string; other: string; cert: string; expired: string; key: string },
  dead: string,
) => [
  discovery('nothing, for the configuration', 'True/IssuerAnswers'),
  login('nothing, for the role', 'True/LoginAccepted', {
    role: withSecret,
    issuer: { clientCredentials: true },
  }),

  discovery('the issuer is called otherwise', 'False/IssuerMismatch', {
    issuer: { instead: saying((base) => ({ ...endpoints(base), issuer: 'https://other.example.com' })) },
    says: 'https://other.example.com',
  }),
  discovery('it does not sign with RS256', 'False/AlgorithmNotOffered', { issuer: { algorithm: 'ES256' } }),
  discovery('it signs with no algorithm that is declared', 'False/AlgorithmNotOffered', {
    config: { jwtSupportedAlgs: ['PS512'] },
  }),
  discovery('it has no token endpoint', 'False/EndpointsMissing', {
    issuer: { instead: saying((base) => ({ ...endpoints(base), token_endpoint: undefined })) },
  }),
  discovery('its document is huge', 'False/IssuerAnswerTooLarge', {
    issuer: { instead: atDocument((response) => response.end(`{"issuer":"${'x'.repeat(2 ** 21)}"}`)) },
  }),
  discovery('it redirects', 'False/IssuerRedirects', {
    issuer: { instead: atDocument((response) => response.writeHead(302, { location: '/' }).end()) },
  }),
  discovery('it is slow', 'Unknown/IssuerSlow', { issuer: { instead: atDocument(() => undefined) } }),
  discovery('it answers with a page', 'False/IssuerUnreadable', {
    issuer: { instead: atDocument((response) => response.end('<html>Welcome</html>')) },
  }),
  discovery('it is not well', 'Unknown/IssuerUnavailable', {
    issuer: { instead: atDocument((response) => response.writeHead(503).end()) },
  }),
  discovery('it is not there', 'Unknown/IssuerUnavailable', {
    config: { discoveryURL: dead },
    says: 'ECONNREFUSED',
  }),
  discovery('the path is wrong', 'False/IssuerRefused', { config: { discoveryURL: 'ISSUER/realms/other' } }),
  discovery('its authority is another', 'False/IssuerNotTrusted', {
    issuer: { tls: pem },
    config: { discoveryCA: pem.other },
  }),
  discovery('its authority is not declared', 'False/IssuerNotTrusted', { issuer: { tls: pem } }),
  discovery('its certificate has expired', 'False/IssuerNotTrusted', {
    issuer: { tls: { cert: pem.expired, key: pem.key } },
    config: { discoveryCA: pem.ca },
    says: 'CERT_HAS_EXPIRED',
  }),
  discovery('TLS is expected where there is none', 'False/IssuerNotTrusted', {
    config: { discoveryURL: 'SECURE' },
  }),

  login('the client is not known there', 'False/LoginRefused', {
    config: { clientID: 'unknown' },
    says: 'status 400',
  }),
  login('the redirect URI is not registered', 'False/LoginRefused', {
    issuer: { redirects: ['http://localhost:8251/oidc/callback'] },
    says: callback,
  }),
  login('the client may not ask for a scope', 'False/LoginRefused', {
    issuer: { clientScope: 'openid profile' },
    role: { scopes: ['email'] },
    says: 'invalid_scope',
  }),
  login('the client secret is wrong', 'False/ClientSecretRefused', {
    issuer: { clientCredentials: true },
    role: withSecret,
    clientSecret: 'canary-outdated-secret-19f0',
    says: 'invalid_client',
  }),
  login('the clocks differ', 'Unknown/ClockSkewed', { issuer: { instead: skewed }, says: 'behind' }),
  login('the user claim is missing', 'Unknown/ClaimNotAnnounced', {
    role: { userClaim: 'upn' },
    says: '/userClaim',
  }),
  login('the groups claim is missing', 'Unknown/ClaimNotAnnounced', {
    role: { groupsClaim: 'roles' },
    says: '/groupsClaim',
  }),
  login('a bound claim is missing', 'Unknown/ClaimNotAnnounced', {
    role: { boundClaims: { department: ['tills'] } },
    says: '/boundClaims',
  }),
  login('logins are closed', 'Unknown/IssuerUnavailable', { issuer: { instead: closed } }),

  risk('the audience is that of somebody else', '/boundAudiences: lacks the client ID (holdfast)', {
    role: { boundAudiences: ['api://other'] },
  }),
  risk('a user is in more than 200 groups', 'users in more than 200 groups get none', {
    config: { identityProvider: 'CloudDirectory', discoveryURL: 'https://embedded/tenant/v2.0' },
    role: { groupsClaim: 'groups', scopes: ['https://graph.example.com/.default'] },
  }),
  risk('a scope is missing', '/scopes: without profile', { config: { identityProvider: 'Enterprise' } }),
  risk('the callback is that of another mount', 'is not that of the mount', {
    role: { allowedRedirectURIs: [callback, webCallback] },
  }),
  risk(
    'a hosted provider is not let sign with RS256',
    '/jwtSupportedAlgs: a hosted provider signs with RS256',
    {
      by: 'config',
      config: { identityProvider: 'Hosted', jwtSupportedAlgs: ['ES256'] },
    },
  ),
];

async function certificates() {
  const at = await folder();
  const another = await folder();
  makeCertificates(at);
  makeCertificates(another);
  const authority = [
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '0',
    '-extfile',
    'server.ext',
  ];
  const args = ['x509', '-req', '-in', 'server.csr', ...authority, '-out', 'expired.pem'];
  execFileSync('openssl', args, { cwd: at, stdio: ['ignore', 'ignore', 'pipe'] });
  const read = (name: string, from = at) => readFileSync(join(from, name), 'utf8');
  return {
    ca: read('ca.pem'),
    other: read('ca.pem', another),
    cert: read('server.pem'),
    expired: read('expired.pem'),
    key: read('server.key'),
  };
}

test.skipIf(!hasOpenssl)(
  'every planted fault is named by a condition (skipped without openssl)',
  async () => {
    const secrets = await serveSecrets('vault');
    const planted = faults(await certificates(), await deadUrl());
    const cwd = await folder();
    const tree = new Tree(join(cwd, 'tree'));
    tree.put('holdfast.yaml', installation());
    tree.put('secrets.yaml', ...secretsConnection(secrets, { probeHosts: ['127.0.0.1'] }));
    for (const [at, fault] of planted.entries()) {
      const name = `fault-${at}`;
      const issuer = await startLoginIssuer({ redirects: [callback], ...fault.issuer });
      onTestFinished(() => issuer.stop());
      await secrets.call('POST', `/v1/sys/auth/${name}`, { type: 'oidc' });
      const { url, clientID, clientSecret } = issuer;
      const wrong = { ISSUER: url, SECURE: url.replace('http:', 'https:') };
      const text = JSON.stringify({ discoveryURL: url, clientID, ...fault.config })
        .replace('ISSUER', wrong.ISSUER)
        .replace('SECURE', wrong.SECURE);
      const reference = { clientSecretSecretRef: { name, key: 'client-secret' } };
      const config = { ...JSON.parse(text), mount: name, ...reference };
      const role = { configRef: { name }, loginCheck: {}, ...fault.role };
      const roleSpec = JSON.parse(JSON.stringify(role).replace('NAME', name));
      tree.put(
        `${name}.yaml`,
        { ...oidcConfig(config), metadata: { namespace: 'shop', name } },
        { ...oidcRole(roleSpec), metadata: { namespace: 'shop', name } },
        secret('shop', name, { 'client-secret': fault.clientSecret ?? clientSecret }),
      );
    }
    const process = new Holdfast(['run', '--source', 'tree'], { cwd });
    await process.says(/"msg":"running"/);
    const found = async () => {
      const rows =
        (await openStateReadOnly(join(cwd, '.holdfast/state.sqlite')))?.rows ?? new Map<string, never>();
      return planted.map(({ by, type }, at) => {
        const key = `${by === 'config' ? 'OIDCConfig' : 'OIDCRole'}/shop/fault-${at}`;
        const condition = conditionOf(rows.get(key)?.status.conditions ?? [], type);
        return condition && { is: `${condition.status}/${condition.reason}`, message: condition.message };
      });
    };
    const wrongIn = (seen: Awaited<ReturnType<typeof found>>) =>
      planted.flatMap(({ why, is, says = '' }, at) =>
        seen[at]?.is === is && seen[at].message.includes(says)
          ? []
          : [{ why, is, says, seen: seen[at] ?? 'nothing' }],
      );
    let last: ReturnType<typeof wrongIn> = [];
    await eventually('each fault is named', async () => (last = wrongIn(await found())).length === 0, {
      seen: () => JSON.stringify(last, undefined, 2),
    });
    const { stderr, stdout } = await process.stop();
    const rows = await openStateReadOnly(join(cwd, '.holdfast/state.sqlite'));
    const statuses = [...(rows?.rows ?? [])].map(([, row]) => row.status);
    expect(statuses.length).toBeGreaterThan(planted.length);
    expect(stdout + stderr + JSON.stringify(statuses)).not.toContain('canary-');
    const controls = 2;
    report(
      `planted faults that a condition names: ${planted.length - controls} of ${planted.length - controls}`,
    );
  },
);
