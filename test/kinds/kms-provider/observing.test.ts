// KMSProvider: what observing makes of odd answers, and the policy where nobody chooses.
import { describe, expect, test } from 'vitest';
import { kmsProvider } from '../../../src/kinds/kms-provider/kind.ts';
import type { Spec } from '../../../src/kinds/kms-provider/schema.ts';
import { failure } from '../../api/servers.ts';
import { momentAt } from '../../support/moment.ts';
import { observe, type Answers } from '../observe.ts';
import { canary, declared, existing, key, resolvedOf } from './situation.ts';

const looked = (answers: Answers) =>
  observe(kmsProvider, { key, spec: declared, resolved: resolvedOf(declared, {}) }, answers);

const provider = '/v1/keymgmt/kms/invoices';
const mount = '/v1/sys/internal/ui/mounts/keymgmt';
const denied = { status: 403, json: { errors: ['permission denied'] } };
const unsupported = { status: 405, json: { errors: ['unsupported operation'] } };
const isKMS = { json: { data: { type: 'keymgmt' } } };

describe('a look', () => {
  test.for<{ why: string; answers: Answers }>([
    { why: 'it is a key-management engine', answers: { [mount]: isKMS } },
    { why: 'nobody may ask', answers: { [mount]: denied } },
    { why: 'nobody can tell', answers: {} },
  ])('finds nothing where nothing is: $why', async ({ answers }) => {
    expect((await looked(answers)).plan(momentAt(0))).toMatchObject({ steps: [{ verb: 'create' }] });
  });

  test.for<{ why: string; answers: Answers }>([
    { why: 'it has no way to read', answers: { [provider]: unsupported, [mount]: isKMS } },
    { why: 'it shows nothing', answers: { [provider]: { json: { data: {} } }, [mount]: isKMS } },
    {
      why: 'it shows no collection',
      answers: { [provider]: { json: { data: { provider: 'azurekeyvault' } } }, [mount]: denied },
    },
    {
      why: 'it shows no type',
      answers: { [provider]: { json: { data: { key_collection: 'invoices-keys' } } } },
    },
  ])('guesses nothing where a service does not tell: $why', async ({ answers }) => {
    const seen = await looked(answers);
    expect(seen.report().observed).toEqual({});
    expect(seen.plan(momentAt(0))).toMatchObject({
      reason: 'AdoptionRefused',
      message: expect.stringContaining('the service can not tell'),
    });
  });

  test.for<{ why: string; answers: Answers; expect: object }>([
    {
      why: 'another engine, which would keep the credentials readable',
      answers: { [mount]: { json: { data: { type: 'kv' } } } },
      expect: { class: 'refused', reason: 'MountTypeMismatch', message: expect.stringContaining('"kv"') },
    },
    {
      why: 'another engine, which has something at that path',
      answers: {
        [provider]: { json: { data: { password: 'x' } } },
        [mount]: { json: { data: { type: 'kv' } } },
      },
      expect: { reason: 'MountTypeMismatch' },
    },
    {
      why: 'another engine, which can not be read',
      answers: { [provider]: unsupported, [mount]: { json: { data: { type: 'transit' } } } },
      expect: { reason: 'MountTypeMismatch' },
    },
    {
      why: 'something else',
      answers: { [provider]: { json: { data: { ...existing, provider: ['x'] } } } },
      expect: { class: 'unreadable', reason: 'InvalidResponse' },
    },
    {
      why: 'a path that the service does not know',
      answers: {
        [provider]: { status: 404, json: { errors: ['unsupported path'] } },
        [mount]: isKMS,
      },
      expect: { reason: 'Rejected' },
    },
    { why: 'no permission', answers: { [provider]: denied }, expect: { reason: 'PermissionDenied' } },
    {
      why: 'a service that is not there to answer about its mounts',
      answers: { [mount]: { status: 503, json: { errors: ['Vault is sealed'] } } },
      expect: { class: 'unavailable' },
    },
  ])('takes nothing for a provider that is none: $why', async ({ answers, expect: outcome }) => {
    expect(await failure(looked(answers))).toMatchObject(outcome);
  });

  test('shows what it found bounded, with its place, and no credential that a service may show', async () => {
    const data = { ...existing, key_collection: 'x'.repeat(9_000), credentials: { client_secret: canary } };
    const { observed } = (await looked({ [provider]: { json: { data } } })).report();
    expect(observed).toEqual({ mount: 'keymgmt', name: 'invoices', provider: 'cloud_keystore' });
  });
});

const policyOf = (spec: Spec, defaults = {}) =>
  kmsProvider.open({ key, spec, requests: {} }, defaults).policy;

test('it is kept with its declaration gone, unless spec or connection say otherwise', () => {
  expect(policyOf(declared).deletion).toBe('Retain');
  expect(policyOf(declared, { deletion: 'Delete' }).deletion).toBe('Delete');
  expect(policyOf({ ...declared, deletionPolicy: 'Delete' }).deletion).toBe('Delete');
});
