// Key stores of the key-management engine. Texts of its refusals are not published, so none is compared.
import { describe, expect, test } from 'vitest';
import { proves } from '../../coverage/proves.ts';
import { multi, said, type Bench, type Fields } from './bench.ts';

export function kmsCases(bench: Bench): void {
  const { target, dialect } = bench;
  const body = (more: Fields = {}) => ({
    provider: bench.value('provider', 'cloud_keystore'),
    key_collection: 'vault-a',
    credentials: { tenant_id: 'canary-t', client_id: 'canary-c', client_secret: 'canary-s' },
    ...more,
  });
  const write = async (mount: string, more: Fields = {}) =>
    (await bench.client.put(`/v1/${mount}/kms/shop`, body(more))).status;
  const switched = async <T>(switches: Fields, back: Fields, work: () => Promise<T>): Promise<T> => {
    await bench.client.post('/setup/switches', switches);
    try {
      return await work();
    } finally {
      await bench.client.post('/setup/switches', back);
    }
  };

  test.skipIf(target.hasKMS)('a server without key management says so when it is to be mounted', async () => {
    await expect(bench.mounted('keymgmt')).rejects.toThrow('plugin not found in the catalog');
  });

  describe.runIf(target.hasKMS)('key stores', () => {
    test('are written, read without their credentials, listed and deleted', async () => {
      proves('`PUT /v1/{mount}/kms/{name}` writes a key store, or updates it');
      proves('`GET /v1/{mount}/kms/{name}` reads it without credentials; `GET /v1/{mount}/kms` lists');
      const mount = await bench.mounted('keymgmt');
      const at = `/v1/${mount}/kms`;
      expect(said(await bench.client.get(`${at}/shop`))).toEqual([404, []]);
      expect(said(await bench.client.get(`${at}?list=true`))).toEqual([404, []]);
      expect(await write(mount)).toBe(204);
      const read = await bench.client.get(`${at}/shop`);
      expect(read.text).not.toContain('canary');
      expect(read.json().data).toMatchObject({
        provider: bench.value('provider', 'cloud_keystore'),
        key_collection: 'vault-a',
      });
      expect((await bench.client.get(`${at}?list=true`)).json().data.keys).toEqual(['shop']);
      expect((await bench.client.delete(`${at}/shop`)).status).toBe(204);
      expect((await bench.client.get(`${at}/shop`)).status).toBe(404);
    });

    test('take other credentials, but no other provider and no other collection', async () => {
      proves('`PUT /v1/{mount}/kms/{name}` writes a key store, or updates it');
      proves('`provider` and `key_collection` are required, and can not change');
      const mount = await bench.mounted('keymgmt');
      await write(mount);
      expect(await write(mount, { credentials: { ...body().credentials, client_secret: 'new' } })).toBe(204);
      expect(await write(mount, { key_collection: 'vault-b' })).toBe(400);
      expect(await write(mount, { provider: 'awskms' })).toBe(400);
      expect(await write(mount, { provider: undefined })).toBe(400);
      expect((await bench.client.get(`/v1/${mount}/kms/shop`)).json().data.key_collection).toBe('vault-a');
    });

    test('need a provider and a collection', async () => {
      proves('`provider` and `key_collection` are required, and can not change');
      const mount = await bench.mounted('keymgmt');
      expect(await write(mount, { provider: '' })).toBe(400);
      expect(await write(mount, { provider: 'nope' })).toBe(400);
      expect(await write(mount, { key_collection: '' })).toBe(400);
      expect((await bench.client.get(`/v1/${mount}/kms/shop`)).status).toBe(404);
    });
  });

  describe.runIf(target.embedded)('key stores, as this service may be set up', () => {
    test('credentials come from the request or from the environment of the service; a refusal shows none', async () => {
      proves('credentials come from the request or from the environment');
      const mount = await bench.mounted('keymgmt');
      for (const name of ['tenant_id', 'client_id', 'client_secret']) {
        const credentials = { ...body().credentials, [name]: undefined };
        const answer = await bench.client.put(`/v1/${mount}/kms/shop`, body({ credentials }));
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(name)]);
        expect(answer.text).not.toContain('canary');
        const variable = `${dialect.environmentPrefix}${name.toUpperCase()}`;
        expect(answer.text).toContain(variable);
        const environment = { [variable]: 'from-outside' };
        const status = await switched({ environment }, { environment: {} }, () =>
          write(mount, { credentials }),
        );
        expect(status).toBe(204);
        await bench.client.delete(`/v1/${mount}/kms/shop`);
      }
      expect(await write(mount, { credentials: { ...body().credentials, nope: 'x' } })).toBe(400);
    });

    test('a write that has credentials replaces all of them; one that has none keeps those that are there', async () => {
      const mount = await bench.mounted('keymgmt');
      const takes = async (credentials: Fields) => {
        const asked = { mount, provider: 'shop', credentials };
        return (await bench.client.post('/setup/keyStore/login', asked)).json().ok;
      };
      expect(await takes({})).toBe(false); // there is none
      await write(mount, { credentials: { ...body().credentials, environment: 'China' } });
      expect(await takes(body().credentials)).toBe(false);
      await write(mount);
      expect(await takes(body().credentials)).toBe(true);
      await write(mount, { credentials: undefined });
      expect(await takes(body().credentials)).toBe(true);
    });

    test('with an identity of its own the service needs to know the tenant only', async () => {
      proves('with a managed identity the tenant is enough');
      const mount = await bench.mounted('keymgmt');
      const statuses = await switched({ managedIdentity: true }, { managedIdentity: false }, async () => [
        await write(mount, { credentials: {} }),
        await write(mount, { credentials: { tenant_id: 't' } }),
      ]);
      expect(statuses).toEqual([400, 204]);
    });

    test('one that holds keys is not deleted', async () => {
      proves('`DELETE /v1/{mount}/kms/{name}` deletes one that holds no keys');
      const mount = await bench.mounted('keymgmt');
      await write(mount);
      await bench.client.post('/setup/kmsKeys', { mount, provider: 'shop', name: 'invoices' });
      expect((await bench.client.get(`/v1/${mount}/kms/shop/key?list=true`)).json().data.keys).toEqual([
        'invoices',
      ]);
      const blocked = await bench.client.delete(`/v1/${mount}/kms/shop`);
      expect([blocked.status, blocked.text]).toEqual([400, expect.stringContaining('keys')]);
      expect((await bench.client.get(`/v1/${mount}/kms/shop`)).status).toBe(200);
      await bench.client.delete(`/v1/${mount}/kms/shop/key/invoices`);
      expect((await bench.client.delete(`/v1/${mount}/kms/shop`)).status).toBe(204);
    });

    test('the documents show writing only: a service may do no more', async () => {
      const mount = await bench.mounted('keymgmt');
      await switched({ kmsReads: false }, { kmsReads: true }, async () => {
        expect(await write(mount)).toBe(204);
        const none = [405, [multi('unsupported operation')]];
        expect(said(await bench.client.get(`/v1/${mount}/kms/shop`))).toEqual(none);
        expect(said(await bench.client.get(`/v1/${mount}/kms?list=true`))).toEqual(none);
        expect(said(await bench.client.delete(`/v1/${mount}/kms/shop`))).toEqual(none);
      });
      expect((await bench.client.get(`/v1/${mount}/kms/shop`)).status).toBe(200);
    });

    test('a service may be without key management', async () => {
      const at = `/v1/sys/mounts/${bench.fresh('keymgmt')}`;
      await switched({ keyManagement: false }, { keyManagement: true }, async () => {
        const answer = await bench.client.post(at, { type: 'keymgmt' });
        expect(said(answer)).toEqual([400, ['plugin not found in the catalog: keymgmt']]);
      });
    });
  });
}
