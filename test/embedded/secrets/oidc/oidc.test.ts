import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import type { SecretsDialectName } from '../../../../src/api/dialects.ts';
import { startIssuer } from '../../../support/issuer.ts';
import { running } from '../running.ts';
import { portOf } from '../../../support/port.ts';

/** An address that answers so. */
async function answering(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

async function written(body: object, dialect: SecretsDialectName = 'vault'): Promise<number> {
  const here = await running({ dialect });
  const { status } = await here.client.post('/v1/auth/oidc/config', body);
  await here.stop();
  return status;
}

test('an issuer is taken at its word at its own address only: another one, that it points to, is not', async () => {
  const issuer = await startIssuer();
  const url = await answering(({ url: path }, response) => {
    response.writeHead(302, { location: `${issuer.url}${path}` }).end();
  });
  expect(await written({ oidc_discovery_url: url })).toBe(400);
  expect(await written({ oidc_discovery_url: issuer.url })).toBe(204);
  await issuer.stop();
});

test('the built-in issuer is one at any path, so that examples need no other; nobody logs in with it', async () => {
  const here = await running({ dialect: 'secrets' });
  const callback = 'http://localhost:8250/oidc/callback';
  const client = { oidc_client_id: 'holdfast', oidc_client_secret: 'canary' };
  for (const url of ['https://embedded', 'https://embedded/a/v2.0']) {
    const config = { ...client, oidc_discovery_url: url };
    expect((await here.client.post('/v1/auth/oidc/config', config)).status).toBe(204);
    const role = { user_claim: 'sub', allowed_redirect_uris: callback };
    expect((await here.client.post('/v1/auth/oidc/role/staff', role)).status).toBe(204);
    const asked = { role: 'staff', redirect_uri: callback };
    const begun = (await here.client.post('/v1/auth/oidc/oidc/auth_url', asked)).json().data;
    expect(begun.auth_url).toMatch(`${url}/authorize?client_id=holdfast&`);
  }
  const jwt = { user_claim: 'sub', role_type: 'jwt', bound_subject: 'me' };
  await here.client.post('/v1/auth/oidc/role/signed', jwt);
  const token = ['{"alg":"RS256"}', '{"sub":"me"}', 'x'].map((part) =>
    Buffer.from(part).toString('base64url'),
  );
  const login = { role: 'signed', jwt: token.join('.') };
  expect((await here.client.post('/v1/auth/oidc/login', login)).status).toBe(400);
  expect(await written({ oidc_discovery_url: 'https://embedded.example.invalid' })).toBe(400);
  await here.stop();
});

test('by the documents an issuer signs with RS256, unless another algorithm is asked for', async () => {
  const issuer = await startIssuer({ algorithms: ['ES256'] });
  const body = { oidc_discovery_url: issuer.url };
  expect(await written(body, 'secrets')).toBe(400);
  expect(await written({ ...body, jwt_supported_algs: ['ES256'] }, 'secrets')).toBe(204);
  expect(await written(body, 'vault')).toBe(204); // a login finds it out
  await issuer.stop();
});

test.each([
  { what: 'no JSON', answer: () => 'canary' },
  { what: 'no object', answer: () => '"canary"' },
  { what: 'without end', answer: (url: string) => `{"issuer":"${url}","more":"${'x'.repeat(2 ** 20)}"}` },
  { what: 'an error', answer: (url: string) => `{"issuer":"${url}"}`, status: 500 },
])('an answer that is $what is no issuer', async ({ answer, status = 200 }) => {
  const url = await answering(({ headers }, response) => {
    response.writeHead(status).end(answer(`http://${headers.host}`));
  });
  expect(await written({ oidc_discovery_url: url })).toBe(400);
});

test('an issuer that does not answer is not waited for by a service that ends', async () => {
  const asked = Promise.withResolvers<void>();
  const url = await answering(() => asked.resolve());
  const here = await running();
  const write = here.client.post('/v1/auth/oidc/config', { oidc_discovery_url: url }).catch(() => 'cut');
  await asked.promise;
  await here.stop();
  expect(await write).toBe('cut');
});

test('over TLS an issuer is believed by the authority that was named, by the name it is reached by or one that is allowed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-issuer-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=idp.example.org', '-addext', 'subjectAltName=DNS:idp.example.org'];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', ...made, ...subject, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  const issuer = await startIssuer({ tls });
  const body = { oidc_discovery_url: issuer.url };
  const trusted = { ...body, oidc_discovery_ca_pem: tls.cert };
  expect(await written(body)).toBe(400);
  expect(await written(trusted)).toBe(400); // 127.0.0.1 is no name of its
  expect(await written({ ...trusted, override_allowed_server_names: 'idp.example.org' })).toBe(204);
  expect(await written({ ...trusted, override_allowed_server_names: 'other.example.org' })).toBe(400);
  expect(await written({ ...trusted, oidc_discovery_ca_pem: 'canary' })).toBe(400);
  await issuer.stop();
});

test('a new process knows what the last one was told of logins and key stores, but for what is never shown', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-secrets-'));
  const options = { file: join(folder, 'secrets.sqlite'), switches: { checksIssuers: false } };
  const first = await running(options);
  const config = { oidc_discovery_url: 'http://127.0.0.1:1', default_role: 'staff' };
  await first.client.post('/v1/auth/oidc/config', config);
  await first.client.post('/v1/auth/oidc/role/staff', {
    user_claim: 'sub',
    allowed_redirect_uris: 'https://a/b',
  });
  await first.client.post('/v1/sys/namespaces/team', {});
  await first.client.post('/v1/team/sys/mounts/keymgmt', { type: 'keymgmt' });
  const credentials = { tenant_id: 't', client_id: 'c', client_secret: 'canary' };
  const store = { provider: 'azurekeyvault', key_collection: 'a', credentials };
  await first.client.put('/v1/team/keymgmt/kms/shop', store);
  await first.stop();
  const second = await running({ ...options, dialect: 'secrets' });
  const read = async (path: string) => (await second.client.get(`/v1/${path}`)).json().data;
  expect(await read('auth/oidc/config')).toMatchObject(config);
  expect(await read('auth/oidc/role/staff')).toMatchObject({ user_claim: 'sub' });
  expect(await read('team/keymgmt/kms/shop')).toEqual({
    name: 'shop',
    provider: 'cloud_keystore',
    key_collection: 'a',
  });
  await second.stop();
  rmSync(folder, { recursive: true });
});
