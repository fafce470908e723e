// What is said of credentials that no service shows: who wrote them, and what goes before them.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { credentialsWritten } from '../../../src/kinds/kms-provider/credentials.ts';
import { canary, credentials, recorded, situation, type Given } from './situation.ts';

const stated = (given: Given) => credentialsWritten(situation(given), 'CLOUD_');
const precedence =
  "/credentials: the service's variables CLOUD_TENANT_ID, CLOUD_CLIENT_ID, CLOUD_CLIENT_SECRET and CLOUD_ENVIRONMENT go before them";
const byDefault = '/credentials/environment: PublicCloud, the default';
const { own: _own, ...unsent } = recorded;
const { tenantIDSecretRef: _tenant, ...tenantless } = credentials;

test.for<{ why: string; given: Given; is: string }>([
  { why: 'Holdfast wrote them', given: {}, is: 'True Written' },
  {
    why: 'they were adopted',
    given: { memory: { ...recorded, own: { written: false } } },
    is: 'Unknown CredentialsUnknown',
  },
  { why: 'nobody remembers who wrote them', given: { memory: unsent }, is: 'Unknown CredentialsUnknown' },
  { why: 'nothing is there yet', given: { memory: noStatus }, is: 'Unknown CredentialsUnknown' },
  {
    why: 'a source moved, and the write waits',
    given: { versions: { tenant: '2' } },
    is: 'Unknown CredentialsUnknown',
  },
  {
    why: 'the answer to a write was lost',
    given: { wrote: { '/credentials/clientSecretSecretRef': null } },
    is: 'Unknown CredentialsUnknown',
  },
  { why: 'none are declared', given: { bare: true }, is: 'False CredentialsNotDeclared' },
  { why: 'nor is one of them', given: { spec: { credentials: {} } }, is: 'False CredentialsNotDeclared' },
])('$why: $is', ({ given, is }) => {
  const { type, status, reason } = stated(given);
  expect([type, `${status} ${reason}`]).toEqual(['CredentialsWritten', is]);
});

test.for<{ why: string; given: Given; message: string }>([
  { why: 'the environment that is the default', given: {}, message: `${precedence}; ${byDefault}` },
  {
    why: 'the environment that is declared',
    given: { spec: { credentials: { ...credentials, environment: 'China' } } },
    message: `${precedence}; /credentials/environment: China`,
  },
  {
    why: 'what has to come from elsewhere',
    given: { spec: { credentials: { tenantIDSecretRef: credentials.tenantIDSecretRef } } },
    message: `${precedence}; ${byDefault}; the service needs CLOUD_CLIENT_ID and CLOUD_CLIENT_SECRET, or an identity of its own at the key store`,
  },
  {
    why: 'a client without its secret',
    given: {
      spec: {
        credentials: {
          tenantIDSecretRef: credentials.tenantIDSecretRef,
          clientIDSecretRef: credentials.clientIDSecretRef,
        },
      },
    },
    message: `${precedence}; ${byDefault}; the service needs CLOUD_CLIENT_SECRET, or an identity of its own at the key store`,
  },
  {
    why: 'a tenant is needed in any case',
    given: { spec: { credentials: tenantless } },
    message: `${precedence}; ${byDefault}; /credentials/tenantIDSecretRef: the service needs CLOUD_TENANT_ID`,
  },
])('the message names $why', ({ given, message }) => {
  expect(stated(given).message).toBe(message);
});

test('no message shows a credential', () => {
  expect(JSON.stringify(stated({ versions: { secret: '2' } }))).not.toContain(canary);
});
