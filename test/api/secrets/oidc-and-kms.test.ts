// OIDC logins and key stores through the client: what is sent where, and on the embedded service in both dialects what
// comes of it.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Call, ReadOp, SecretsEffect } from '../../../src/api/routes.ts';
import { secretsRoutes, type SecretsOperations } from '../../../src/api/secrets/routes.ts';
import type { SecretsDialectName } from '../../../src/api/dialects.ts';
import { Secret } from '../../../src/core/secret.ts';
import { startSecrets } from '../../../src/embedded/secrets/server.ts';
import { HttpClient } from '../../contract/client.ts';
import { startIssuer, type Issuer } from '../../support/issuer.ts';
import { failure, json, never } from '../servers.ts';
import { proves } from '../../coverage/proves.ts';
import { secretsClient, secretsJson } from './service.ts';

const mount = 'teams/oidc';
const store = { mount: 'keymgmt', name: 'shop' };
const oneRole = { mount, role: 'staff' };
const key = 'OIDCConfig/shop/staff';
const clientSecret = 'canary-client-secret-0c41';

const config = (issuer: string, more: object = {}): SecretsEffect => ({
  port: 'secrets',
  op: 'oidc.config.write',
  params: { mount },
  body: {
    oidc_discovery_url: issuer,
    oidc_client_id: 'holdfast',
    oidc_client_secret: Secret.of('shop/oidc', '3', clientSecret),
    ...more,
  },
});
const role: SecretsEffect = {
  port: 'secrets',
  op: 'oidc.role.write',
  params: oneRole,
  body: { user_claim: 'sub', allowed_redirect_uris: ['https://a/cb'], token_policies: ['shop'] },
};
const keyStore: SecretsEffect = {
  port: 'secrets',
  op: 'kms.provider.write',
  params: store,
  body: {
    provider: 'cloud_keystore',
    key_collection: 'vault-a',
    credentials: {
      tenant_id: 't',
      client_id: 'c',
      client_secret: Secret.of('shop/kms', '1', 'canary-kms-secret'),
      environment: 'PublicCloud',
    },
  },
};
const goneRole: SecretsEffect = { port: 'secrets', op: 'oidc.role.delete', params: oneRole };
const goneStore: SecretsEffect = { port: 'secrets', op: 'kms.provider.delete', params: store };

const reads: readonly { call: Call<Extract<ReadOp, keyof SecretsOperations>>; line: string }[] = [
  {
    call: { op: 'oidc.mount.read', params: { mount } },
    line: 'GET /v1/sys/internal/ui/mounts/auth/teams/oidc',
  },
  { call: { op: 'oidc.config.read', params: { mount } }, line: 'GET /v1/auth/teams/oidc/config' },
  { call: { op: 'oidc.role.list', params: { mount } }, line: 'GET /v1/auth/teams/oidc/role?list=true' },
  { call: { op: 'oidc.role.read', params: oneRole }, line: 'GET /v1/auth/teams/oidc/role/staff' },
  {
    call: { op: 'oidc.login.begin', params: { ...oneRole, redirect_uri: 'http://a/cb' } },
    line: 'POST /v1/auth/teams/oidc/oidc/auth_url {"role":"staff","redirect_uri":"http://a/cb"}',
  },
  {
    call: { op: 'kms.mount.read', params: { mount: 'keymgmt' } },
    line: 'GET /v1/sys/internal/ui/mounts/keymgmt',
  },
  { call: { op: 'kms.provider.list', params: { mount: 'keymgmt' } }, line: 'GET /v1/keymgmt/kms?list=true' },
  { call: { op: 'kms.provider.read', params: store }, line: 'GET /v1/keymgmt/kms/shop' },
];
const writes: readonly { effect: SecretsEffect; line: string }[] = [
  { effect: config('https://idp'), line: 'POST /v1/auth/teams/oidc/config' },
  { effect: role, line: 'POST /v1/auth/teams/oidc/role/staff' },
  { effect: goneRole, line: 'DELETE /v1/auth/teams/oidc/role/staff' },
  { effect: keyStore, line: 'PUT /v1/keymgmt/kms/shop' },
  { effect: goneStore, line: 'DELETE /v1/keymgmt/kms/shop' },
];

describe('what is asked', () => {
  test.for(reads)('$call.op: $line', async ({ call, line }) => {
    const { url, seen } = await json({ data: { keys: [] } });
    await secretsClient([url]).client.read(call.op, call.params, never);
    expect(seen.map((one) => `${one.method} ${one.url} ${one.body}`.trim())).toEqual([line]);
  });

  test.for(writes)('$effect.op: $line', async ({ effect, line }) => {
    const { url, seen } = await secretsJson('', 204);
    await secretsClient([url]).client.perform(effect, key, never);
    expect(seen.map((one) => `${one.method} ${one.url}`)).toEqual([line]);
  });

  test('no operation on logins and key stores is left out', () => {
    const tried = [...reads.map((one) => one.call.op), ...writes.map((one) => one.effect.op)];
    const all = Object.keys(secretsRoutes).filter((op) => /^(oidc|kms)\./.test(op));
    expect(tried.toSorted()).toEqual(all.toSorted());
  });

  test('an account in a box is sent open, under the name that the dialect has for it', async () => {
    const { url, seen } = await secretsJson('', 204);
    const provider_config = {
      provider: 'workspace_directory',
      workspace_service_account: Secret.of('shop/google', '1', '{"type":"service_account"}'),
    };
    await secretsClient([url]).client.perform(config('https://idp', { provider_config }), key, never);
    expect(JSON.parse(seen[0]?.body ?? '').provider_config).toEqual({
      provider: 'gsuite',
      gsuite_service_account: '{"type":"service_account"}',
    });
  });
});

test('what must not be read back is dropped, should a service show it all the same', async () => {
  const data = {
    oidc_client_secret: 'canary',
    provider_config: { provider: 'gsuite', gsuite_service_account: 'canary', fetch_groups: true },
    credentials: { client_secret: 'canary' },
  };
  const { url } = await json({ data });
  const { client } = secretsClient([url]);
  expect(await client.read('oidc.config.read', { mount }, never)).toEqual({
    provider_config: { provider: 'workspace_directory', fetch_groups: true },
  });
  expect(await client.read('kms.provider.read', store, never)).toEqual({
    provider_config: { provider: 'workspace_directory', fetch_groups: true },
  });
});

/** A client of the embedded service, with an issuer, and the service by HTTP. */
async function served(dialect: SecretsDialectName) {
  const token = 'canary-root-token';
  const mounts = [
    { path: 'auth/teams/oidc', type: 'oidc' },
    { path: 'keymgmt', type: 'keymgmt' },
  ];
  const server = await startSecrets({ dialect, token, seed: { mounts } });
  const issuer: Issuer = await startIssuer();
  const made = secretsClient([server.url], { dialect, token: Secret.of('shop/token', '1', token) });
  const http = new HttpClient(server.url, { authorization: `Bearer ${token}` });
  onTestFinished(async () => {
    await http.close();
    await issuer.stop();
    await server.stop();
  });
  const perform = (effect: SecretsEffect) => made.client.perform(effect, key, never);
  return { client: made.client, issuer, http, perform };
}

describe.for(['secrets', 'vault'] as const)('on the embedded service, %s', (dialect) => {
  test('a login is configured, read in the documents’ shape, and its roles come and go', async () => {
    proves('`GET /v1/auth/{mount}/config` reads it without the client secret');
    const { client, issuer, perform } = await served(dialect);
    expect(await client.read('oidc.config.read', { mount }, never)).toBeUndefined();
    const provider_config = { provider: 'cloud_directory' };
    expect(await perform(config(issuer.url, { provider_config }))).toEqual({ is: 'done' });
    const read = await client.read('oidc.config.read', { mount }, never);
    expect(read).toMatchObject({ oidc_discovery_url: issuer.url, provider_config });
    expect(JSON.stringify(read)).not.toContain('canary');
    expect(await client.read('oidc.role.list', { mount }, never)).toBeUndefined();
    expect(await perform(role)).toEqual({ is: 'done' });
    expect(await client.read('oidc.role.list', { mount }, never)).toEqual({ keys: ['staff'] });
    expect(await client.read('oidc.role.read', oneRole, never)).toMatchObject({
      token_policies: ['shop'],
      oidc_scopes: null,
    });
    for (const _ of [1, 2]) expect(await perform(goneRole)).toEqual({ is: 'done' });
    expect(await client.read('oidc.role.read', oneRole, never)).toBeUndefined();
  });

  test('an issuer that does not answer is an outage, not a fault of the declaration; other refusals are', async () => {
    const { issuer, perform } = await served(dialect);
    for (const url of ['http://127.0.0.1:1', `${issuer.url}/`]) {
      expect(await perform(config(url))).toMatchObject({
        is: 'rejected',
        error: { class: 'unavailable', reason: 'DiscoveryUnavailable', status: 400 },
      });
    }
    const wrong = await perform(config(issuer.url, { oidc_response_mode: 'canary' }));
    expect(wrong).toMatchObject({ is: 'rejected', error: { class: 'refused', reason: 'Rejected' } });
    expect(JSON.stringify(wrong)).not.toContain(clientSecret);
  });

  test('a warning of the service is told with what was done', async () => {
    const { perform } = await served(dialect);
    expect(await perform(config('http://127.0.0.1:1', { skip_jwks_validation: true }))).toEqual({
      is: 'done',
      warnings: ['error checking oidc discovery URL'],
    });
  });

  test('a key store is written, read and deleted, unless it holds keys', async () => {
    proves('`DELETE /v1/{mount}/kms/{name}` deletes one that holds no keys');
    const { client, http, perform } = await served(dialect);
    expect(await client.read('kms.provider.read', store, never)).toBeUndefined();
    expect(await perform(keyStore)).toEqual({ is: 'done' });
    expect(await client.read('kms.provider.read', store, never)).toMatchObject({
      provider: 'cloud_keystore',
      key_collection: 'vault-a',
    });
    expect(await client.read('kms.provider.list', { mount: 'keymgmt' }, never)).toEqual({ keys: ['shop'] });
    await http.post('/setup/kmsKeys', { mount: 'keymgmt', provider: 'shop', name: 'invoices' });
    expect(await perform(goneStore)).toMatchObject({
      is: 'rejected',
      error: { class: 'waiting', reason: 'KeysInUse' },
    });
    await http.delete('/v1/keymgmt/kms/shop/key/invoices');
    expect(await perform(goneStore)).toEqual({ is: 'done' });
    expect(await client.read('kms.provider.read', store, never)).toBeUndefined();
  });

  test('a service that only writes key stores says so by its status', async () => {
    const { client, http, perform } = await served(dialect);
    await http.post('/setup/switches', { kmsReads: false });
    expect(await perform(keyStore)).toEqual({ is: 'done' });
    expect(await failure(client.read('kms.provider.read', store, never))).toMatchObject({
      class: 'refused',
      status: 405,
    });
    expect(await perform(goneStore)).toMatchObject({ is: 'rejected', error: { status: 405 } });
  });
});
