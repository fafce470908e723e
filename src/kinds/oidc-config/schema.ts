// OIDCConfig: its spec, the behaviour of each field, and its references. PURE.
import * as z from 'zod';
import type { FieldTable } from '../../core/planning/diff.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { envelope, line, roleName, secretKeyRef, segments, text } from '../../schema/parts.ts';

/** The mount is its name, no field needs a replacement, and the service can't delete a configuration. */
const {
  externalName: _name,
  replacePolicy: _replace,
  deletionPolicy: _deletion,
  ...common
} = envelope(['Retain']);

const issuer = text(
  /^https?:\/\/[!"$->@-~]+$/,
  512,
  'http(s)://host, or http(s)://host/path, without query and fragment',
);

const pem = text(
  /^[ \t\r\n]*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\t\r\n ]+-----END CERTIFICATE-----[ \t\r\n]*)+$/,
  65_536,
  'certificates as PEM, up to 65536 characters',
);

const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
] as const;

const flag = (what: string) => z.boolean().describe(`${what} Default: false.`).exactOptional();

const providerConfig = z
  .strictObject({
    provider: z
      .enum(['cloud_directory', 'workspace_directory'])
      .describe(
        'cloud_directory reads the groups of users who are in more than 200 from the directory. It has no other fields. workspace_directory reads groups and users with a service account.',
      ),
    serviceAccountSecretRef: secretKeyRef().describe('Key of the service account, as JSON.').exactOptional(),
    serviceAccountPath: text(/^\/\P{Cc}+$/u, 256, 'an absolute path of up to 256 characters')
      .describe("File with that key, on the service's machine.")
      .exactOptional(),
    adminImpersonate: line(256)
      .describe('E-mail address of the administrator as whom the directory is read.')
      .exactOptional(),
    fetchGroups: flag('Read the groups of users from the directory.'),
    fetchUserInfo: flag('Read the fields of userCustomSchemas from the directory.'),
    groupsRecurseMaxDepth: z
      .int()
      .min(0)
      .max(100)
      .describe('How deep groups within groups are read. Default: 0.')
      .exactOptional(),
    userCustomSchemas: z
      .array(
        text(/^[-._A-Za-z0-9]+$/, 128, 'the name of a schema: letters, digits, -, _ and .').describe(
          'Name of a schema.',
        ),
      )
      .max(32)
      .describe('Schemas whose fields become claims, as /schema/field. fetchUserInfo needs them.')
      .exactOptional(),
  })
  .describe('What the service reads from the directory of the identity provider, besides tokens.');

const spec = z
  .strictObject({
    ...common,
    mount: segments('the path of an auth method, without auth/').describe(
      'Path at which the OIDC or JWT method is mounted, without auth/. Mounts are named, never made. Never changes.',
    ),
    identityProvider: z
      .enum(['CloudDirectory', 'Hosted', 'SourceHosting', 'WorkspaceDirectory', 'OpenSource', 'Enterprise'])
      .describe(
        'Sort of identity provider, whose rules are then checked. Default: none of these, and no rules.',
      )
      .exactOptional(),
    discoveryURL: issuer.describe(
      'URL of the issuer, exactly as the issuer spells it, without /.well-known/openid-configuration.',
    ),
    discoveryCA: pem
      .describe('Authorities to trust at discoveryURL. Default: those of the machine.')
      .exactOptional(),
    clientID: line(512)
      .describe('ID of the client at the identity provider. Without a client, only signed tokens log in.')
      .exactOptional(),
    clientSecretSecretRef: secretKeyRef()
      .describe(
        'Secret of the client, sent without white space at its ends. It is sent with every write, because a write replaces everything.',
      )
      .exactOptional(),
    defaultRole: roleName.describe('Role of a login that names none. It need not exist.').exactOptional(),
    boundIssuer: line(512).describe('Issuer that tokens have to name. Default: any.').exactOptional(),
    jwtSupportedAlgs: z
      .array(z.enum(algorithms).describe('A signing algorithm.'))
      .max(16)
      .describe('Algorithms that tokens may be signed with. Default: RS256.')
      .exactOptional(),
    responseMode: z
      .enum(['query', 'form_post'])
      .describe('How the identity provider answers. Default: query.')
      .exactOptional(),
    responseTypes: z
      .array(z.enum(['code', 'id_token']).describe('A response type.'))
      .max(2)
      .describe('What the identity provider is asked for. Default: code.')
      .exactOptional(),
    namespaceInState: z
      .boolean()
      .describe("The service's namespace is part of the state, not of the redirect URI. Default: true.")
      .exactOptional(),
    providerConfig: providerConfig.exactOptional(),
  })
  .describe('The configuration of an OIDC or JWT method as it shall be.');

export type Spec = z.infer<typeof spec>;

/** A write replaces everything, so every optional field can be unset (services.md#oidc-configuration). */
export const fields = {
  '/connectionRef': { change: 'identity' },
  '/mount': { change: 'identity' },
  '/discoveryURL': { change: 'in-place' },
  '/discoveryCA': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/clientID': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/clientSecretSecretRef': { change: 'in-place', unreadable: 'always', unset: '' },
  '/defaultRole': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/boundIssuer': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/jwtSupportedAlgs': { change: 'in-place', compare: 'set', unreadable: 'when-absent', unset: [] },
  '/responseMode': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/responseTypes': { change: 'in-place', compare: 'set', unreadable: 'when-absent', unset: [] },
  '/namespaceInState': { change: 'in-place', unreadable: 'when-absent', unset: true },
  '/providerConfig/provider': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/providerConfig/serviceAccountSecretRef': { change: 'in-place', unreadable: 'always', unset: '' },
  '/providerConfig/serviceAccountPath': { change: 'in-place', unreadable: 'always', unset: '' },
  '/providerConfig/adminImpersonate': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/providerConfig/fetchGroups': { change: 'in-place', unreadable: 'when-absent', unset: false },
  '/providerConfig/fetchUserInfo': { change: 'in-place', unreadable: 'when-absent', unset: false },
  '/providerConfig/groupsRecurseMaxDepth': { change: 'in-place', unreadable: 'when-absent', unset: 0 },
  '/providerConfig/userCustomSchemas': {
    change: 'in-place',
    compare: 'set',
    unreadable: 'when-absent',
    unset: [],
  },
} as const satisfies FieldTable;

const account =
  'has(self.providerConfig.serviceAccountSecretRef) || has(self.providerConfig.serviceAccountPath)';
const readsUsers = 'has(self.providerConfig.fetchUserInfo) && self.providerConfig.fetchUserInfo';

/** Declarations that can't work. Those that may fail at a login set a condition (rules.ts). */
const rules: Declaration['rules'] = [
  {
    rule: "!self.mount.startsWith('auth/')",
    message: 'must leave out auth/',
    fieldPath: '.mount',
  },
  {
    rule: "!self.discoveryURL.contains('/.well-known/')",
    message: 'must be the issuer, without /.well-known/openid-configuration',
    fieldPath: '.discoveryURL',
  },
  {
    rule: 'has(self.clientID) == has(self.clientSecretSecretRef)',
    message: 'clientID and clientSecretSecretRef go together',
  },
  {
    rule: '!has(self.identityProvider) || has(self.clientID)',
    message: 'a login with this provider needs clientID and clientSecretSecretRef',
    fieldPath: '.identityProvider',
  },
  {
    rule: "!has(self.identityProvider) || self.identityProvider != 'CloudDirectory' || self.discoveryURL.endsWith('/v2.0')",
    message: 'must end in /v2.0: a cloud directory tells groups there only',
    fieldPath: '.discoveryURL',
  },
  {
    rule: "!has(self.responseTypes) || !self.responseTypes.exists(t, t == 'id_token') || (has(self.responseMode) && self.responseMode == 'form_post')",
    message: 'id_token needs responseMode: form_post',
    fieldPath: '.responseTypes',
  },
  {
    rule: "!has(self.providerConfig) || !has(self.identityProvider) || self.identityProvider == (self.providerConfig.provider == 'cloud_directory' ? 'CloudDirectory' : 'WorkspaceDirectory')",
    message: 'must be that of identityProvider; only CloudDirectory and WorkspaceDirectory have one',
    fieldPath: '.providerConfig.provider',
  },
  {
    rule: `!has(self.providerConfig) || self.providerConfig.provider != 'cloud_directory' || !(${account} || has(self.providerConfig.adminImpersonate) || has(self.providerConfig.fetchGroups) || has(self.providerConfig.fetchUserInfo) || has(self.providerConfig.groupsRecurseMaxDepth) || has(self.providerConfig.userCustomSchemas))`,
    message: 'cloud_directory has no other fields',
    fieldPath: '.providerConfig',
  },
  {
    rule: `!has(self.providerConfig) || self.providerConfig.provider != 'workspace_directory' || ((${account}) && has(self.providerConfig.adminImpersonate))`,
    message: 'workspace_directory needs a service account and adminImpersonate',
    fieldPath: '.providerConfig',
  },
  {
    rule: '!has(self.providerConfig) || !has(self.providerConfig.serviceAccountSecretRef) || !has(self.providerConfig.serviceAccountPath)',
    message: 'serviceAccountSecretRef and serviceAccountPath exclude each other',
    fieldPath: '.providerConfig',
  },
  {
    rule: `!has(self.providerConfig) || !(${readsUsers}) || (has(self.providerConfig.userCustomSchemas) && self.providerConfig.userCustomSchemas.size() > 0)`,
    message: 'fetchUserInfo needs userCustomSchemas',
    fieldPath: '.providerConfig.userCustomSchemas',
  },
];

export const declaration = {
  kind: 'OIDCConfig',
  plural: 'oidcconfigs',
  shortNames: ['oidccfg'],
  scope: 'Namespaced',
  description:
    "The configuration of a secrets service's OIDC or JWT method, always written whole. The service deletes none, so it stays when this object is deleted.",
  spec,
  fields,
  references: [
    { field: '/connectionRef', to: 'object', kind: 'SecretsConnection', scope: 'Cluster', holds: true },
    { field: '/clientSecretSecretRef', to: 'secret', namespace: 'own' },
    { field: '/providerConfig/serviceAccountSecretRef', to: 'secret', namespace: 'own' },
  ],
  rules,
  columns: [
    { name: 'External-Name', type: 'string', jsonPath: '.spec.mount' },
    { name: 'Issuer', type: 'string', jsonPath: '.spec.discoveryURL' },
    {
      name: 'At-Risk',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="LoginAtRisk")].status',
    },
    { name: 'Connection', type: 'string', jsonPath: '.spec.connectionRef.name', priority: 1 },
  ],
} as const satisfies Declaration;
