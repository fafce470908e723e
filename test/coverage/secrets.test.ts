// What the secrets service's document says that no other test asks: fields of bodies are read, defaults, key stores.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import type {
  KMSProviderBody,
  LDAPConfigBody,
  OIDCConfigBody,
  OIDCRoleBody,
  RoleBody,
} from '../../src/api/secrets/wire.ts';
import { configBody, roleBody, running, type Running } from '../embedded/secrets/running.ts';
import { namesIn, proves, type Named } from './proves.ts';

let here: Running;
beforeAll(async () => {
  here = await running({ dialect: 'secrets', switches: { checksIssuers: false } });
  await here.client.post('/v1/ldap/config', configBody());
});
afterAll(() => here.stop());

const client = { oidc_discovery_url: 'https://idp', oidc_client_id: 'a', oidc_client_secret: 'b' };
const credentials = { tenant_id: 't', client_id: 'c', client_secret: 's' };
/** Bodies that are taken as they are; what they say is not the default. */
const bodies = {
  'ldap.role.write': roleBody('shop', { rotation_period: 600 }),
  'ldap.config.write': configBody({
    schema: 'ad',
    request_timeout: 5,
    starttls: true,
    insecure_tls: true,
    length: 20,
  }),
  'oidc.config.write': {
    ...client,
    default_role: 'staff',
    provider_config: { provider: 'cloud_directory' },
  },
  'oidc.role.write': {
    user_claim: 'mail',
    allowed_redirect_uris: ['https://a/cb'],
    groups_claim: 'groups',
    policies: ['shop'],
    oidc_scopes: ['profile'],
    claim_mappings: { name: 'who' },
    bound_audiences: ['us'],
  },
  'kms.provider.write': { provider: 'cloud_keystore', key_collection: 'a', credentials },
} as const;
const secret = ['bindpass', 'oidc_client_secret', 'credentials'];
type Written = keyof typeof bodies;
const isWritten = (op: string): op is Written => Object.hasOwn(bodies, op);

const sent = {
  'ldap.config.write': namesIn(
    'fields of a directory to configure',
  ) satisfies readonly Named<LDAPConfigBody>[],
  'ldap.role.write': namesIn('fields of a static role to write') satisfies readonly Named<RoleBody>[],
  'oidc.config.write': namesIn('fields of a login to configure') satisfies readonly Named<OIDCConfigBody>[],
  'oidc.role.write': namesIn("fields of a login's role to write") satisfies readonly Named<OIDCRoleBody>[],
  'kms.provider.write': namesIn('fields of a key store') satisfies readonly Named<KMSProviderBody>[],
} satisfies Record<Written, readonly string[]>;
const wrong = Object.keys(bodies)
  .filter(isWritten)
  .flatMap((op) => sent[op].map((place) => ({ op, place })));

const pathOf = (op: Written): string =>
  routes[op].path
    .replace('/auth/{mount}', '/auth/oidc')
    .replace('{mount}', op.startsWith('kms') ? 'keymgmt' : 'ldap')
    .replace(/\{role\}|\{name\}/, 'shop');

const send = (op: Written, more: object = {}) =>
  here.client.send(routes[op].method, pathOf(op), { body: { ...bodies[op], ...more } });

test.each(wrong)(
  'in the body of $op a $place of another kind is refused by name: it is read',
  async (one) => {
    proves('fields of a login to configure', "fields of a login's role to write");
    proves('fields of a directory to configure', 'fields of a static role to write');
    proves('fields of a key store');
    const answer = await send(one.op, { [one.place]: [{}] });
    expect(answer.status).toBe(400);
    expect(answer.json().errors.join()).toContain(`error converting input for field "${one.place}"`);
  },
);

test.each(Object.keys(bodies).filter(isWritten))('what %s says is read back, without secrets', async (op) => {
  proves('fields of a login to configure', "fields of a login's role to write");
  proves('fields of a directory to configure', 'fields of a static role to write');
  proves('fields of a key store');
  expect((await send(op)).status).toBe(204);
  const { data } = (await here.client.get(pathOf(op))).json();
  const shown = Object.entries(bodies[op]).filter(([name]) => !secret.includes(name));
  expect(data).toMatchObject(Object.fromEntries(shown));
  for (const name of secret) expect(data).not.toHaveProperty(name);
});

test('what a configuration is where nothing was said', async () => {
  proves('`url` is a list, tried in order; by default `ldap://127.0.0.1`');
  proves('`schema` is `ldap`, `racf` or `ad`, by default `ldap`');
  proves('`request_timeout` is 90 seconds by default, and then an error');
  await here.client.post('/v1/sys/mounts/fresh', { type: 'ldap' });
  const { binddn, bindpass } = configBody();
  expect((await here.client.post('/v1/fresh/config', { binddn, bindpass })).status).toBe(204);
  const read = async () => (await here.client.get('/v1/fresh/config')).json().data;
  expect(await read()).toMatchObject({ url: 'ldap://127.0.0.1', schema: 'ldap', request_timeout: 90 });
  await here.client.post('/v1/fresh/config', { request_timeout: '2m' });
  expect(await read()).toMatchObject({ request_timeout: 120 });
});

test('a role for a cloud directory: a scope of its graph, its groups, and the profile', async () => {
  proves('a role for a cloud directory takes a scope that ends in `/.default`, `groups` and `profile`');
  const asked = { oidc_scopes: 'https://graph.example/.default,profile', groups_claim: 'groups' };
  expect((await send('oidc.role.write', asked)).status).toBe(204);
  const read = (await here.client.get('/v1/auth/oidc/role/shop')).json().data;
  expect(read).toMatchObject({
    oidc_scopes: ['https://graph.example/.default', 'profile'],
    groups_claim: 'groups',
  });
});

test('a key store of another provider is none', async () => {
  proves('`provider` is `cloud_keystore`');
  const answer = await here.client.put('/v1/keymgmt/kms/other', {
    ...bodies['kms.provider.write'],
    provider: 'x',
  });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('unsupported provider')]);
});

test('a key store in another cloud is one, too', async () => {
  proves('`environment` names another cloud');
  const more = { credentials: { ...credentials, environment: 'GovernmentCloud' } };
  expect((await send('kms.provider.write', more)).status).toBe(204);
});

test('the environment of the service goes before what a key store says', async () => {
  proves('the environment goes before the request');
  await here.client.post('/setup/switches', { environment: { CLOUD_TENANT_ID: 'outside' } });
  const { client_id, client_secret } = credentials;
  for (const tenant of [{}, { tenant_id: '' }]) {
    const more = { credentials: { client_id, client_secret, ...tenant } };
    expect((await send('kms.provider.write', more)).status).toBe(204);
  }
  await here.client.post('/setup/switches', { environment: {} });
  const answer = await send('kms.provider.write', { credentials: { client_id, client_secret } });
  expect(answer.status).toBe(400);
});
