// KMSProvider: its spec, the behaviour of each field, and its references. PURE.
import * as z from 'zod';
import type { FieldTable } from '../../core/planning/diff.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { envelope, line, secretKeyRef, segments, text } from '../../schema/parts.ts';

const {
  externalName: _name,
  replacePolicy: _replace, // no field needs a replacement
  deletionPolicy: _deletion,
  ...common
} = envelope(['Retain', 'Delete']);

/** The service accepts no other names (services.md#key-management). */
const providerName = text(
  /^[A-Za-z0-9_](\.?-*[A-Za-z0-9_])*$/,
  128,
  'a name of letters, digits and _, with - and single dots inside, up to 128 characters',
);

const credential = (what: string, variable: string) =>
  secretKeyRef()
    .describe(
      `${what} The variable ${variable} of the service goes before it (AZURE_ instead of CLOUD_ in Vault).`,
    )
    .exactOptional();

const credentials = z
  .strictObject({
    tenantIDSecretRef: credential(
      'ID of the tenant of the directory organization. The service needs one.',
      'CLOUD_TENANT_ID',
    ),
    clientIDSecretRef: credential(
      'ID of the client. Not needed where the service has an identity of its own at the key store.',
      'CLOUD_CLIENT_ID',
    ),
    clientSecretSecretRef: credential(
      'Secret of the client. Not needed where the service has an identity of its own at the key store.',
      'CLOUD_CLIENT_SECRET',
    ),
    environment: text(/^[A-Za-z][A-Za-z0-9]*$/, 64, 'the name of a cloud environment: letters and digits')
      .describe(
        'Cloud environment whose API is called. The variable CLOUD_ENVIRONMENT of the service goes before it. Default: PublicCloud.',
      )
      .exactOptional(),
  })
  .describe(
    'How the service logs in at the key store. It shows none of them: they are written when a source changes, all at once, without white space at their ends.',
  );

const spec = z
  .strictObject({
    ...common,
    externalName: providerName
      .describe("Name of the provider. Default: the object's own name. Never changes.")
      .exactOptional(),
    deletionPolicy: z
      .enum(['Retain', 'Delete'])
      .describe(
        'When this object is deleted: Retain: the provider stays as it is; Delete: it is deleted, which the service refuses while it has keys. Default: Retain.',
      )
      .exactOptional(),
    mount: segments('the path of a mount').describe(
      'Path at which the key-management engine is mounted. The access rules of the connection have to allow it, like the name. Mounts are named, never made. Never changes.',
    ),
    provider: z.enum(['cloud_keystore']).describe('Type of the key store. Never changes.'),
    keyCollection: line(128).describe('Name of an existing key store instance. Never changes.'),
    credentials: credentials.exactOptional(),
  })
  .describe('A key store, as the key-management engine of a secrets service shall know it.');

export type Spec = z.infer<typeof spec>;

const credentialField = { change: 'in-place', unreadable: 'always', unset: '' } as const;

export const environmentDefault = 'PublicCloud';

export const fields = {
  '/connectionRef': { change: 'identity' },
  '/externalName': { change: 'identity' },
  '/mount': { change: 'identity' },
  '/provider': { change: 'identity' },
  '/keyCollection': { change: 'identity' },
  '/credentials/tenantIDSecretRef': credentialField,
  '/credentials/clientIDSecretRef': credentialField,
  '/credentials/clientSecretSecretRef': credentialField,
  '/credentials/environment': { ...credentialField, unset: environmentDefault },
} as const satisfies FieldTable;

export const declaration = {
  kind: 'KMSProvider',
  plural: 'kmsproviders',
  shortNames: ['kmsp'],
  scope: 'Namespaced',
  description:
    'A provider of the key-management engine: a key store, and the credentials with which the service reaches it.',
  spec,
  fields,
  references: [
    { field: '/connectionRef', to: 'object', kind: 'SecretsConnection', scope: 'Cluster', holds: true },
    { field: '/credentials/tenantIDSecretRef', to: 'secret', namespace: 'own' },
    { field: '/credentials/clientIDSecretRef', to: 'secret', namespace: 'own' },
    { field: '/credentials/clientSecretSecretRef', to: 'secret', namespace: 'own' },
  ],
  rules: [
    {
      rule: "!self.mount.matches('^(auth|sys|identity|cubbyhole)(/|$)')",
      message: 'must be the mount of a secrets engine: auth, sys, identity and cubbyhole are none',
      fieldPath: '.mount',
    },
  ],
  columns: [
    { name: 'External-Name', type: 'string', jsonPath: '.status.externalRef.name' },
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Key-Collection', type: 'string', jsonPath: '.spec.keyCollection' },
    { name: 'Connection', type: 'string', jsonPath: '.spec.connectionRef.name', priority: 1 },
  ],
} as const satisfies Declaration;
