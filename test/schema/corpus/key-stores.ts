// The fields of key stores.
import { absent, put, valuesOf, type Case } from './case.ts';
import { keyStore } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);
const secretRef = { name: 'kms', key: 'secret' };
const references = ['tenantIDSecretRef', 'clientIDSecretRef', 'clientSecretSecretRef'];

export const keyStoreCases: readonly Case[] = [
  ...valuesOf(keyStore, '/spec/connectionRef', {
    valid: [{ name: 'vault' }],
    invalid: [{ name: '../a' }, { name: 'a', namespace: 'blog' }, 'vault', absent],
  }),
  ...valuesOf(keyStore, '/spec/externalName', {
    valid: ['invoices', 'Invoices_1', '_a', 'a-b.c', x(128), absent],
    invalid: ['', 'a/b', '..', 'a..b', 'a.', '-a', 'a-', 'a b', x(129), 5],
  }),
  ...valuesOf(keyStore, '/spec/mount', {
    valid: ['keymgmt', 'teams/keymgmt', 'a_b-c.d'],
    invalid: ['', 'auth/a', 'sys', 'identity/a', 'cubbyhole', '/a', 'a/', 'a//b', 'a/../b', 'a b', absent],
  }),
  ...valuesOf(keyStore, '/spec/provider', {
    valid: ['cloud_keystore'],
    invalid: ['azurekeyvault', 'awskms', '', 5, absent],
  }),
  ...valuesOf(keyStore, '/spec/keyCollection', {
    valid: ['a', 'Invoices 2', x(128)],
    invalid: ['', 'a\nb', x(129), 5, absent],
  }),
  ...valuesOf(keyStore, '/spec/replacePolicy', { invalid: ['Never'] }),
  ...valuesOf(keyStore, '/spec/credentials', {
    valid: [
      absent,
      {},
      { environment: 'PublicCloud' },
      Object.fromEntries(references.map((name) => [name, secretRef])),
    ],
    invalid: ['secret', [], { clientSecret: 'secret' }, { tenantID: 't' }, { environment: '' }],
  }),
  ...references.flatMap((name) =>
    valuesOf(put(keyStore, '/spec/credentials', {}), `/spec/credentials/${name}`, {
      valid: [secretRef],
      invalid: ['secret', { name: 'kms' }, { ...secretRef, namespace: 'blog' }, { ...secretRef, key: '..' }],
    }),
  ),
  ...valuesOf(put(keyStore, '/spec/credentials', {}), '/spec/credentials/environment', {
    valid: ['China', x(64)],
    invalid: ['a b', 'https://cloud', '1a', x(65), 5],
  }),
];
