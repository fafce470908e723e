// What a write of a KMS provider sends: what never changes, and all of its credentials or none.
import { expect, test } from 'vitest';
import { have, want } from '../../../src/kinds/kms-provider/body.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import {
  credentials,
  declared,
  existing,
  recorded,
  resolvedOf,
  secretOf,
  sent,
  type Given,
} from './situation.ts';

const absent: Given = { live: 'absent', memory: noStatus, held: false };
const plain = { provider: 'cloud_keystore', key_collection: 'invoices-keys' };
const whole = {
  ...plain,
  credentials: {
    tenant_id: secretOf('tenant'),
    client_id: secretOf('client'),
    client_secret: secretOf('secret'),
  },
};

test('a create sends all that is declared, and nothing else: defaults are those of the service', () => {
  expect(sent(absent)).toStrictEqual(whole);
  expect(sent({ ...absent, spec: { credentials: { ...credentials, environment: 'China' } } })).toStrictEqual({
    ...plain,
    credentials: { ...whole.credentials, environment: 'China' },
  });
  expect(sent({ live: 'absent' })).toStrictEqual(whole);
});

test('without credentials none are sent, so that those of the environment are not replaced by nothing', () => {
  for (const none of [{ bare: true }, { spec: { credentials: {} } }] as const)
    expect(sent({ ...absent, ...none })).toStrictEqual(plain);
});

test('an update sends every credential, because a write replaces all', () => {
  expect(sent({ versions: { secret: '2' } })).toStrictEqual({
    ...plain,
    credentials: { ...whole.credentials, client_secret: secretOf('secret', '2') },
  });
});

test('what is let go is left out; if nothing is left, that is said', () => {
  const { clientSecretSecretRef: _secret, ...others } = credentials;
  const { client_secret: _gone, ...rest } = whole.credentials;
  expect(sent({ spec: { credentials: others } })).toStrictEqual({ ...plain, credentials: rest });
  expect(sent({ spec: { credentials: {} } })).toStrictEqual({ ...plain, credentials: {} });
  expect(sent({ spec: { credentials: {} }, live: 'unknown' })).toStrictEqual({ ...plain, credentials: {} });
  const environment = { ...recorded, applied: { ...plain, '/credentials/environment': 'China' } };
  expect(sent({ spec: { credentials: {} }, memory: environment })).toStrictEqual({
    ...plain,
    credentials: {},
  });
});

test('nothing is wanted that is not declared, and credentials are never seen', () => {
  const { credentials: _credentials, ...bare } = declared;
  const identity = { '/provider': 'cloud_keystore', '/keyCollection': 'invoices-keys' };
  expect(want(bare, resolvedOf(bare, {}))).toStrictEqual(identity);
  expect(Object.keys(want(declared, resolvedOf(declared, {})))).toStrictEqual(Object.keys(recorded.applied));
  expect(have(existing)).toStrictEqual(identity);
});
