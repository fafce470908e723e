// LDAPConfig: its spec, the behaviour of each field, and its references. PURE.
import * as z from 'zod';
import type { FieldTable } from '../../core/planning/diff.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { duration, envelope, line, secretKeyRef, segments, text } from '../../schema/parts.ts';

/** The mount is its name, and no field needs a replacement. */
const { externalName: _name, replacePolicy: _replace, ...common } = envelope(['Retain', 'Delete']);

const url = text(
  /^ldaps?:\/\/(\[[0-9A-Fa-f:.]+\]|[-._A-Za-z0-9]+)(:[0-9]{1,5})?$/,
  300,
  'ldap(s)://host, or ldap(s)://host:port, without path and trailing slash',
);

const attribute = text(
  /^[A-Za-z][-A-Za-z0-9]*$/,
  64,
  'the name of an attribute: letters, digits and -, up to 64 characters',
);

const flag = (what: string) => z.boolean().describe(`${what} Default: false.`).exactOptional();
const dn = (what: string) => line(1024).describe(what);
const tlsVersion = (what: string) =>
  z.enum(['tls10', 'tls11', 'tls12', 'tls13']).describe(`${what} Default: tls12.`).exactOptional();

const spec = z
  .strictObject({
    ...common,
    mount: segments('the path of a mount').describe(
      'Path at which the LDAP engine is mounted. Mounts are named, never made. Never changes.',
    ),
    bindDN: dn('DN with which the service searches, and changes passwords.'),
    bindPasswordSecretRef: secretKeyRef()
      .describe(
        'Password of bindDN, sent without a newline at its end. Needed until the service owns the password (request rotate-root); from then on it is read again only for a request reseed-root, and may be taken out.',
      )
      .exactOptional(),
    urls: z
      .array(url.describe('ldap(s)://host:port.'))
      .min(1)
      .max(8)
      .describe('Servers of the directory, tried in this order. Default: ldap://127.0.0.1.')
      .exactOptional(),
    schema: z
      .enum(['ldap', 'ad', 'racf'])
      .describe('How the directory stores passwords. Default: ldap.')
      .exactOptional(),
    userDN: dn('DN below which the service looks for users.').exactOptional(),
    userAttr: attribute
      .describe(
        'Attribute that holds the name of a user. Default: what is usual in the schema. OpenBao knows a few, and each in one spelling, such as uid, cn and sAMAccountName: with another it rotates nothing.',
      )
      .exactOptional(),
    upnDomain: line(253)
      .describe(
        'Domain of user principal names. With it, the service binds as the user bindDN@upnDomain, so bindDN is no DN then.',
      )
      .exactOptional(),
    passwordPolicy: line(128)
      .describe("Name of the service's password policy by which passwords are made.")
      .exactOptional(),
    length: z
      .int()
      .min(1)
      .max(1024)
      .describe('Length of the passwords that are made, in characters. Deprecated: use passwordPolicy.')
      .exactOptional(),
    requestTimeout: duration().describe('Longest wait for an answer. Default: 90s.').exactOptional(),
    connectionTimeout: duration()
      .describe('Longest wait for a server before the next is tried. Default: 30s.')
      .exactOptional(),
    startTLS: flag('Ask for TLS on an unencrypted connection.'),
    insecureTLS: flag("Don't verify the server's certificate."),
    caSecretRef: secretKeyRef().describe('PEM of the authority to trust.').exactOptional(),
    clientCertificateSecretRef: secretKeyRef().describe('PEM of the client certificate.').exactOptional(),
    clientKeySecretRef: secretKeyRef().describe("PEM of the client certificate's key.").exactOptional(),
    tlsMinVersion: tlsVersion('Lowest version of TLS.'),
    tlsMaxVersion: tlsVersion('Highest version of TLS.'),
    caseSensitiveNames: flag('Names that differ in case only are different names.'),
    skipStaticRoleImportRotation: flag("Don't rotate a password when a static role for it is made."),
  })
  .describe('The configuration of an LDAP engine as it shall be.');

export type Spec = z.infer<typeof spec>;

/**
 * `unset` holds the defaults of the service (services.md#ldap-configuration). A field that a server may omit is
 * `when-absent`; the server of the documented API returns only some. An empty userAttr means the default of the schema.
 */
export const fields = {
  '/connectionRef': { change: 'identity' },
  '/mount': { change: 'identity' },
  '/bindDN': { change: 'in-place', compare: 'dn' },
  '/bindPasswordSecretRef': { change: 'in-place', unreadable: 'always' },
  '/urls': { change: 'in-place', unset: ['ldap://127.0.0.1'] },
  '/schema': { change: 'in-place', unreadable: 'when-absent', unset: 'ldap' },
  '/userDN': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/userAttr': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/upnDomain': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/passwordPolicy': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/length': { change: 'in-place', unreadable: 'when-absent', unset: 0 },
  '/requestTimeout': { change: 'in-place', unreadable: 'when-absent', unset: 90 },
  '/connectionTimeout': { change: 'in-place', unreadable: 'when-absent', unset: 30 },
  '/startTLS': { change: 'in-place', unreadable: 'when-absent', unset: false },
  '/insecureTLS': { change: 'in-place', unreadable: 'when-absent', unset: false },
  '/caSecretRef': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/clientCertificateSecretRef': { change: 'in-place', unreadable: 'always', unset: '' },
  '/clientKeySecretRef': { change: 'in-place', unreadable: 'always', unset: '' },
  '/tlsMinVersion': { change: 'in-place', unreadable: 'when-absent', unset: 'tls12' },
  '/tlsMaxVersion': { change: 'in-place', unreadable: 'when-absent', unset: 'tls12' },
  '/caseSensitiveNames': { change: 'in-place', unreadable: 'when-absent', unset: false },
  '/skipStaticRoleImportRotation': { change: 'in-place', unreadable: 'when-absent', unset: false },
} as const satisfies FieldTable;

export const declaration = {
  kind: 'LDAPConfig',
  plural: 'ldapconfigs',
  shortNames: ['ldapcfg'],
  scope: 'Namespaced',
  description:
    "The configuration of a secrets service's LDAP engine, written as declared; the service may come to own its bind password.",
  spec,
  fields,
  references: [
    { field: '/connectionRef', to: 'object', kind: 'SecretsConnection', scope: 'Cluster', holds: true },
    { field: '/bindPasswordSecretRef', to: 'secret', namespace: 'own' },
    { field: '/caSecretRef', to: 'secret', namespace: 'own' },
    { field: '/clientCertificateSecretRef', to: 'secret', namespace: 'own' },
    { field: '/clientKeySecretRef', to: 'secret', namespace: 'own' },
  ],
  rules: [
    {
      rule: "!self.mount.matches('^(auth|sys|identity|cubbyhole)(/|$)')",
      message: 'must be the mount of a secrets engine: auth, sys, identity and cubbyhole are none',
      fieldPath: '.mount',
    },
    {
      rule: '!has(self.length) || !has(self.passwordPolicy)',
      message: 'length and passwordPolicy exclude each other',
      fieldPath: '.length',
    },
    {
      rule: 'has(self.clientCertificateSecretRef) == has(self.clientKeySecretRef)',
      message: 'a client certificate and its key go together',
    },
    {
      rule: "!has(self.tlsMinVersion) || self.tlsMinVersion <= (has(self.tlsMaxVersion) ? self.tlsMaxVersion : 'tls12')",
      message: 'must not be above tlsMaxVersion, which is tls12 where it is not set',
      fieldPath: '.tlsMinVersion',
    },
  ],
  columns: [
    { name: 'External-Name', type: 'string', jsonPath: '.spec.mount' },
    {
      name: 'Root-Owned',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="RootPasswordOwned")].status',
    },
    { name: 'Connection', type: 'string', jsonPath: '.spec.connectionRef.name', priority: 1 },
  ],
} as const satisfies Declaration;
