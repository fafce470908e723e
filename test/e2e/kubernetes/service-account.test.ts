// A login as a service account of the cluster, for an audience: with a token that the API server signs and knows again.
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { serve } from '../../api/servers.ts';
import { folder } from '../../support/cli.ts';
import { serveSecrets } from '../../support/secrets.ts';
import { assets } from './assets.ts';
import { auditOf, useOf } from './audit.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { edit, install, settled, start, type Stored } from './deployed.ts';
import { kubectl } from './objects.ts';
import { apply } from './two-tenants.ts';

const path = '/apis/holdfast.dev/v1alpha1/secretsconnections/main';
const accepted = 'canary-accepted-jwt-0b1d';
const login = z.object({ role: z.string(), jwt: z.string() });
const review = z.looseObject({
  status: z.looseObject({
    authenticated: z.boolean().default(false),
    user: z.looseObject({ username: z.string().default('') }).default({ username: '' }),
    audiences: z.array(z.string()).default([]),
  }),
});

/** A secrets service that asks the cluster whose a token is, as Vault's Kubernetes method does. */
async function serviceOf(cluster: Cluster, audience: string) {
  const secrets = await serveSecrets('vault');
  await secrets.call('POST', '/setup/authRoles', {
    mount: 'kubernetes',
    name: 'holdfast',
    accepts: accepted,
    policies: ['default'],
    ttlSeconds: 3_600,
    maxTtlSeconds: 3_600,
  });
  const users: string[] = [];
  const jwts: string[] = [];

  /** The body that the embedded service takes for that login. */
  async function reviewed(body: string): Promise<string> {
    const { role, jwt } = login.parse(JSON.parse(body));
    jwts.push(jwt);
    const { body: answer } = await cluster.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: jwt, audiences: [audience] },
      },
    });
    const { authenticated, user, audiences } = review.parse(answer).status;
    users.push(`${user.username} for ${audiences.join()}`);
    return JSON.stringify({ role, jwt: authenticated ? accepted : 'nobody' });
  }

  const { url } = await serve(({ method, url: to, headers, body }, response) => {
    const forwarded = async () => {
      const { 'x-vault-token': token = '', 'x-vault-request': asked = '' } = headers;
      const reply = await request(secrets.url + to, {
        method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).parse(method),
        headers: { 'x-vault-token': token, 'x-vault-request': asked },
        body: to === '/v1/auth/kubernetes/login' ? await reviewed(body) : body || null,
      });
      response.writeHead(reply.statusCode).end(await reply.body.text());
    };
    forwarded().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  return { url, users, jwts };
}

const grant = (name: string) => [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { namespace: 'shop', name: 'token' },
    rules: [
      { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [name], verbs: ['create'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace: 'shop', name: 'token' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'token' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'holdfast-system', name: 'holdfast' }],
  },
];

const messageOf = ({ status }: Stored): string | undefined =>
  status.conditions.find(({ type }) => type === 'Ready')?.message;

describe.skipIf(assets === undefined)('a service account (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    await install(cluster, 'base');
  });
  afterAll(() => cluster?.stop());

  test(
    'may log in for its audience once the token may be requested; until then the condition names what lacks',
    { timeout: 120_000 },
    async () => {
      const { url, users, jwts } = await serviceOf(cluster, 'vault');
      const { process } = await start(cluster, 'base', await folder());
      const serviceAccountRef = { namespace: 'shop', name: 'login', audiences: ['vault'] };
      const spec = {
        addresses: [url],
        dialect: 'vault',
        auth: { kubernetes: { role: 'holdfast', serviceAccountRef } },
      };
      await kubectl(cluster, ['create', 'serviceaccount', 'login', '-n', 'shop']);
      const metadata = { name: 'main' };
      await apply(cluster, [
        { apiVersion: 'holdfast.dev/v1alpha1', kind: 'SecretsConnection', metadata, spec },
      ]);

      const refused = messageOf(await settled(cluster, path, 'LoginFailed'));
      expect(refused).toContain("can't request a token of service account shop/login");
      expect(refused).toContain('cannot create resource "serviceaccounts/token"');

      await apply(cluster, grant('login'));
      await settled(cluster, path);
      expect(users).toEqual(['system:serviceaccount:shop:login for vault']);
      const requested = auditOf(cluster).filter((event) => useOf(event) === '/serviceaccounts/token create');
      expect(requested.length).toBeGreaterThan(0);
      expect(requested.map(({ objectRef }) => `${objectRef?.namespace}/${objectRef?.name}`)).toEqual(
        requested.map(() => 'shop/login'),
      );

      // Meant for somebody else: the service does not know its bearer.
      const toOther = { ...serviceAccountRef, audiences: ['somebody-else'] };
      await edit(cluster, path, { spec: { auth: { kubernetes: { serviceAccountRef: toOther } } } });
      await settled(cluster, path, 'LoginFailed');
      expect(users.at(-1)).toBe(' for ');

      await apply(cluster, grant('absent'));
      const gone = { ...serviceAccountRef, name: 'absent' };
      await edit(cluster, path, { spec: { auth: { kubernetes: { serviceAccountRef: gone } } } });
      const absent = await settled(cluster, path, 'LoginFailed');
      expect(messageOf(absent)).toContain('service account shop/absent: serviceaccounts.token: NotFound');

      const everything = process.stdout + process.stderr + JSON.stringify(absent);
      for (const jwt of jwts) expect(everything).not.toContain(jwt);
      expect(jwts.length).toBeGreaterThan(1);
    },
  );
});
