// KMSProvider on the embedded service, in both dialects: whole journeys.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SecretsDialectName } from '../../../src/api/dialects.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { kmsProvider } from '../../../src/kinds/kms-provider/kind.ts';
import type { Spec } from '../../../src/kinds/kms-provider/schema.ts';
import { everythingOf, failure } from '../../api/servers.ts';
import { dialectNames } from '../../embedded/secrets/running.ts';
import { Driven, served } from '../driven.ts';
import { canary, credentials, declared, key, resolvedOf, type Versions } from './situation.ts';

const values = (versions: Versions = {}) => ({
  tenant_id: `${canary}-tenant${versions.tenant ?? ''}`,
  client_id: `${canary}-client${versions.client ?? ''}`,
  client_secret: `${canary}-secret${versions.secret ?? ''}`,
});

async function started(dialect: SecretsDialectName, first: Spec) {
  const { here, service, performed } = await served(dialect);
  const given: { versions: Versions; value: string } = { versions: {}, value: canary };
  const resolved = (now: Spec) => resolvedOf(now, given.versions, given.value, dialect);
  const driven = new Driven({ kind: kmsProvider, key, service, resolved }, first);
  const live = async (name = 'invoices') => (await here.client.get(`/v1/keymgmt/kms/${name}`)).json().data;
  /** Whether the key store would let the provider in with these, and no others. */
  const has = async (wanted: object, provider = 'invoices'): Promise<boolean> =>
    (
      await here.client.post('/setup/keyStore/login', { mount: 'keymgmt', provider, credentials: wanted })
    ).json().ok;
  const body = {
    provider: dialect === 'vault' ? 'azurekeyvault' : 'cloud_keystore',
    key_collection: 'invoices-keys',
    credentials: { tenant_id: 'theirs', client_id: 'theirs', client_secret: 'theirs' },
  };
  const byHand = (more: object = {}) => here.client.put('/v1/keymgmt/kms/invoices', { ...body, ...more });
  const credentialsCondition = () => conditionOf(driven.memory.conditions, 'CredentialsWritten');
  return { here, driven, performed, given, live, has, byHand, credentialsCondition };
}

const inSync = { verdict: 'in-sync', drift: [] };
const adopting: Spec = { ...declared, adoptionPolicy: 'Adopt' };
const deletable: Spec = { ...declared, deletionPolicy: 'Delete' };

describe.for(dialectNames)('on a service that speaks %s', (dialect) => {
  const prefix = dialect === 'vault' ? 'AZURE_' : 'CLOUD_';

  test('what is written is read back as declared, so that nothing is written twice', async () => {
    const { driven, performed, live, has, credentialsCondition } = await started(dialect, declared);
    for (let n = 0; n < 3; n++) expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toEqual(['kms.provider.write']);
    expect(await has(values())).toBe(true);
    expect(await live()).toMatchObject({ key_collection: 'invoices-keys' });
    expect(everythingOf(driven.memory)).not.toContain(canary);
    expect(credentialsCondition()).toMatchObject({
      status: 'True',
      message: expect.stringContaining(`${prefix}TENANT_ID`),
    });
  });

  test('a moved source, an environment and what is let go arrive, each with one write', async () => {
    const { driven, performed, has, given } = await started(dialect, declared);
    await driven.visit();
    given.versions = { secret: '2' };
    given.value = 'moved';
    expect(await driven.visit()).toMatchObject(inSync);
    const moved = { tenant_id: 'moved-tenant', client_id: 'moved-client', client_secret: 'moved-secret' };
    expect(await has(moved)).toBe(true);
    driven.spec = { ...declared, credentials: { ...credentials, environment: 'PublicCloud' } };
    expect(await driven.visit()).toMatchObject(inSync);
    const environment = dialect === 'vault' ? 'AzurePublicCloud' : 'PublicCloud';
    expect(await has({ ...moved, environment })).toBe(true);
    driven.spec = declared; // the default by another way
    expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toHaveLength(3);
  });

  test('what is there is adopted with its credentials, of which nothing is then claimed until one moves', async () => {
    const { driven, performed, has, given, byHand, credentialsCondition } = await started(dialect, declared);
    await byHand();
    expect(await driven.visit()).toMatchObject({ reason: 'AdoptionRefused' });
    driven.spec = adopting;
    expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toEqual([]);
    expect(credentialsCondition()).toMatchObject({ status: 'Unknown', reason: 'CredentialsUnknown' });
    given.versions = { tenant: '2' };
    expect(await driven.visit()).toMatchObject(inSync);
    expect(await has(values())).toBe(true);
    expect(credentialsCondition()).toMatchObject({ status: 'True', reason: 'Written' });
    expect(performed).toEqual(['kms.provider.write']);
  });

  test('one that was made anew for another collection is left alone, and named', async () => {
    const { driven, performed, here, byHand, live } = await started(dialect, deletable);
    await driven.visit();
    await here.client.delete('/v1/keymgmt/kms/invoices');
    await byHand({ key_collection: 'others-keys' });
    expect(await driven.visit()).toMatchObject({
      reason: 'AdoptionRefused',
      message: expect.stringContaining('/keyCollection'),
    });
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: false });
    expect(performed).toHaveLength(1);
    expect(await live()).toMatchObject({ key_collection: 'others-keys' });
  });

  test('credentials that are missing are named by the service, with the variable that could have them', async () => {
    const { driven, here } = await started(dialect, {
      ...declared,
      credentials: { tenantIDSecretRef: credentials.tenantIDSecretRef },
    });
    expect(await driven.visit()).toEqual({ verdict: 'failed', reason: 'Rejected' });
    const { message } = conditionOf(driven.memory.conditions, 'Ready') ?? {};
    expect(message).toMatch(new RegExp(`missing client_id.*${prefix}CLIENT_ID`));
    await here.client.post('/setup/switches', { managedIdentity: true });
    expect(await driven.visit()).toMatchObject(inSync);
  });

  test('without credentials it takes those of the environment, and says that it needs them', async () => {
    const { credentials: _credentials, ...bare } = declared;
    const { driven, here, has, credentialsCondition } = await started(dialect, bare);
    const environment = Object.fromEntries(
      ['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET'].map((name) => [prefix + name, 'of-the-service']),
    );
    await here.client.post('/setup/switches', { environment });
    expect(await driven.visit()).toMatchObject(inSync);
    expect(await has({})).toBe(true);
    expect(credentialsCondition()).toMatchObject({ status: 'False', reason: 'CredentialsNotDeclared' });
  });

  test('a write whose answer was lost is made again, or taken back', async () => {
    const { driven, performed, given, has, here } = await started(dialect, deletable);
    for (const is of ['died after', 'lost', 'unsent'] as const) {
      given.versions = { secret: is };
      given.value = is.replace(' ', '-');
      await driven.visit({ step: 0, is });
      expect(await driven.visit()).toMatchObject(inSync);
      expect(
        await has({
          tenant_id: `${given.value}-tenant`,
          client_id: `${given.value}-client`,
          client_secret: `${given.value}-secret`,
        }),
      ).toBe(true);
    }
    driven.memory = noStatus;
    driven.held = false;
    driven.spec = { ...deletable, externalName: 'second' };
    await driven.visit({ step: 0, is: 'unsent' });
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
    expect(performed.at(-1)).toBe('kms.provider.delete');
    expect((await here.client.get('/v1/keymgmt/kms/invoices')).status).toBe(200);
  });

  test('one that has keys is not deleted, and goes once they are gone', async () => {
    const { driven, here } = await started(dialect, deletable);
    await driven.visit();
    await here.client.post('/setup/kmsKeys', { mount: 'keymgmt', provider: 'invoices', name: 'orders' });
    driven.deleting = true;
    expect(await driven.visit()).toEqual({ verdict: 'failed', reason: 'KeysInUse' });
    await here.client.delete('/v1/keymgmt/kms/invoices/key/orders');
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
    expect((await here.client.get('/v1/keymgmt/kms/invoices')).status).toBe(404);
  });

  test('a service that can only be written to is written to, and what it has is said to be unknown', async () => {
    const { driven, here, performed, given, has } = await started(dialect, deletable);
    await here.client.post('/setup/switches', { kmsReads: false });
    expect(await driven.visit()).toMatchObject({ reason: 'AdoptionRefused' });
    driven.spec = { ...adopting, deletionPolicy: 'Delete' };
    for (let n = 0; n < 2; n++)
      expect(await driven.visit()).toMatchObject({ verdict: 'in-sync', unverified: true });
    expect(conditionOf(driven.memory.conditions, 'Synced')).toMatchObject({
      status: 'Unknown',
      reason: 'AppliedUnverified',
    });
    given.versions = { secret: '2' };
    await driven.visit();
    expect(performed).toEqual(['kms.provider.write', 'kms.provider.write']);
    expect(await has(values())).toBe(true);
    driven.deleting = true;
    expect(await driven.visit()).toEqual({ verdict: 'failed', reason: 'DeletionBlocked' });
    expect(conditionOf(driven.memory.conditions, 'Ready')?.message).toContain('deletionPolicy: Retain');
    driven.spec = declared;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: false });
  });

  test('a mount that is not there is said as such, and that some services have no such engine', async () => {
    const nowhere = await started(dialect, { ...declared, mount: 'nowhere' });
    expect(await failure(nowhere.driven.visit())).toMatchObject({
      class: 'waiting',
      reason: 'MountNotFound',
      message: expect.stringMatching(/`secrets enable -path=nowhere keymgmt`.*OpenBao/),
    });
    expect(nowhere.performed).toEqual([]);
  });

  test('no credential goes to an engine of another type', async () => {
    const { driven, performed } = await started(dialect, { ...declared, mount: 'ldap' });
    expect(await failure(driven.visit())).toMatchObject({
      reason: 'MountTypeMismatch',
      message: expect.stringContaining('"ldap"'),
    });
    expect(performed).toEqual([]);
  });
});

/** Of `values`, in their order. */
const fields = Object.keys(credentials);

const anySpec = fc
  .record(
    {
      tenantIDSecretRef: fc.constant(credentials.tenantIDSecretRef),
      clientIDSecretRef: fc.constant(credentials.clientIDSecretRef),
      clientSecretSecretRef: fc.constant(credentials.clientSecretSecretRef),
      environment: fc.constantFrom('PublicCloud', 'China'),
    },
    { requiredKeys: [] },
  )
  .map((some): Spec => ({ ...declared, credentials: some }));

test(
  'whatever was declared before, the service has what the last declaration says, and no credential of an earlier one',
  { timeout: 60_000 },
  async () => {
    const { here, driven, has } = await started('secrets', declared);
    const environment = { CLOUD_TENANT_ID: 'e', CLOUD_CLIENT_ID: 'e', CLOUD_CLIENT_SECRET: 'e' };
    await here.client.post('/setup/switches', { environment });
    await fc.assert(
      fc.asyncProperty(fc.array(anySpec, { minLength: 2, maxLength: 5 }), async (specs) => {
        await here.client.delete('/v1/keymgmt/kms/invoices');
        driven.memory = noStatus;
        driven.held = false;
        for (const spec of specs) {
          driven.spec = spec;
          expect(await driven.visit()).toMatchObject(inSync);
        }
        const { environment: cloud = 'PublicCloud', ...references } = specs.at(-1)?.credentials ?? {};
        const sent = Object.fromEntries(
          Object.entries(values()).filter((_, at) => Object.hasOwn(references, fields[at] ?? '')),
        );
        // The default need not be spelt out.
        const isDefault = cloud === 'PublicCloud' && (await has(sent));
        expect(isDefault || (await has({ ...sent, environment: cloud }))).toBe(true);
      }),
      { numRuns: 25 },
    );
  },
);
