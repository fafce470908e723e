// The secrets service's half of the table of dialects: sent in the connection's, read in either.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lowerSecrets, raiseSecrets, secretsDialect, secretsDialects } from '../../../src/api/dialects.ts';
import { holdsSecret, Secret, type Sealed } from '../../../src/core/secret.ts';
import { json } from '../../support/arbitraries.ts';

const { secrets, vault } = secretsDialects;

test('a dialect is found by its name; any other name behaves as the document says', () => {
  expect(secretsDialect('vault')).toBe(vault);
  for (const name of ['secrets', 'Vault', '', 'constructor', '__proto__']) {
    expect(secretsDialect(name)).toBe(secrets);
  }
});

const shapes: readonly { readonly why: string; readonly neutral: Sealed; readonly vault: Sealed }[] = [
  {
    why: 'the last rotation',
    neutral: { username: 'u', last_service_rotation: '2026-01-01T00:00:00Z' },
    vault: { username: 'u', last_vault_rotation: '2026-01-01T00:00:00Z' },
  },
  { why: 'a schema', neutral: { schema: 'ldap', url: 'ldap' }, vault: { schema: 'openldap', url: 'ldap' } },
  { why: 'a schema of one name', neutral: { schema: 'racf' }, vault: { schema: 'racf' } },
  {
    why: 'an identity provider, deep inside',
    neutral: {
      provider_config: {
        provider: 'workspace_directory',
        workspace_service_account: '/x',
        fetch_groups: true,
      },
    },
    vault: { provider_config: { provider: 'gsuite', gsuite_service_account: '/x', fetch_groups: true } },
  },
  {
    why: 'a key store',
    neutral: { provider: 'cloud_keystore', credentials: { tenant_id: 't', environment: 'PublicCloud' } },
    vault: { provider: 'azurekeyvault', credentials: { tenant_id: 't', environment: 'AzurePublicCloud' } },
  },
];

describe.for(shapes)('$why', (shape) => {
  test('is sent in the dialect of the connection', () => {
    expect(lowerSecrets(secrets, shape.neutral)).toEqual(shape.neutral);
    expect(lowerSecrets(vault, shape.neutral)).toEqual(shape.vault);
  });

  test('is read in either', () => {
    expect(raiseSecrets(shape.neutral)).toEqual(shape.neutral);
    expect(raiseSecrets(shape.vault)).toEqual(shape.neutral);
  });
});

test('what users named is theirs: nothing inside mappings and metadata is renamed', () => {
  for (const holder of ['claim_mappings', 'bound_claims', 'metadata', 'meta', 'options']) {
    const value = {
      [holder]: { schema: 'ldap', provider: 'azure', last_vault_rotation: '1', last_service_rotation: '2' },
    };
    expect(lowerSecrets(vault, value)).toEqual(value);
    expect(raiseSecrets(value)).toEqual(value);
  }
});

test('a value is renamed in its own field only: a user may be called what a schema is', () => {
  const value = { username: 'ldap', binddn: 'cloud_directory', keys: ['ldap', 'openldap'] };
  expect(lowerSecrets(vault, value)).toEqual(value);
  expect(raiseSecrets(value)).toEqual(value);
});

test('boxes stay boxed on their way to the wire, under the name that they have there', () => {
  const workspace_service_account = Secret.of('oidc/account', '1', 'canary');
  const lowered = lowerSecrets(vault, { provider_config: { workspace_service_account } });
  expect(holdsSecret(lowered)).toBe(true);
  expect(lowered).toEqual({ provider_config: { gsuite_service_account: workspace_service_account } });
});

test('what is undefined is left out: it would not be sent either', () => {
  expect(lowerSecrets(vault, { schema: undefined, length: null })).toStrictEqual({ length: null });
});

const names = fc.constantFrom(
  'schema',
  'provider',
  'environment',
  'last_service_rotation',
  'username',
  '__proto__',
);
const values = fc.oneof(fc.constantFrom('ldap', 'ad', 'cloud_directory', 'PublicCloud', 'constructor'), json);

test.for(Object.entries(secretsDialects))(
  'what was sent in %s is read back as it was meant',
  ([, dialect]) => {
    const wire = new Set(['openldap', 'azure', 'gsuite', 'azurekeyvault', 'AzurePublicCloud']);
    fc.assert(
      fc.property(fc.dictionary(names, values, { noNullPrototype: true }), (body) => {
        fc.pre(![...wire].some((name) => JSON.stringify(body).includes(name)));
        expect(JSON.stringify(raiseSecrets(lowerSecrets(dialect, body)))).toBe(JSON.stringify(body));
      }),
    );
  },
);
