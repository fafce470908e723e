// SecretsConnection: where a secrets service is, how Holdfast logs in to it, and who may use it. PURE.
import * as z from 'zod';
import {
  access,
  addresses,
  backendID,
  connectionRules,
  defaults,
  limits,
  probeHosts,
  tls,
  tlsReferences,
} from '../../schema/connection/parts.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { clusterSecretKeyRef, clusterServiceAccountRef, line, segments, text } from '../../schema/parts.ts';

const mount = (usual: string) =>
  segments('the path of an auth method, without auth/')
    .describe(`Where the auth method is mounted, without auth/. Default: ${usual}.`)
    .exactOptional();

const auth = z
  .strictObject({
    tokenSecretRef: clusterSecretKeyRef().describe('A token. It is renewed, never revoked.').exactOptional(),
    kubernetes: z
      .strictObject({
        mount: mount('kubernetes'),
        role: line(128).describe('Role to log in with.'),
        tokenFile: text(/^\/\P{Cc}+$/u, 256, 'an absolute path of up to 256 characters')
          .describe(
            "File with the service account's token, read at every login. Default: /var/run/secrets/kubernetes.io/serviceaccount/token.",
          )
          .exactOptional(),
        serviceAccountRef: clusterServiceAccountRef()
          .describe(
            'Service account to log in as. A token of ten minutes is requested for every login. Kubernetes only.',
          )
          .exactOptional(),
      })
      .describe("Log in with a service account: Holdfast's own by default.")
      .exactOptional(),
    appRole: z
      .strictObject({
        mount: mount('approle'),
        roleID: line(256).describe('ID of the role.'),
        secretIDSecretRef: clusterSecretKeyRef().describe('Secret ID of the role.'),
      })
      .describe('Log in with an AppRole.')
      .exactOptional(),
    jwt: z
      .strictObject({
        mount: mount('jwt'),
        role: line(128).describe('Role to log in with.'),
        jwtSecretRef: clusterSecretKeyRef().describe('The signed token to log in with.'),
      })
      .describe('Log in with a signed token of somebody whom the service trusts.')
      .exactOptional(),
  })
  .describe(
    'How Holdfast proves who it is: one of these methods. Absent, for embedded: with the token of the state directory.',
  );

const spec = z
  .strictObject({
    addresses: addresses('the secrets service'),
    dialect: z
      .enum(['secrets', 'vault'])
      .describe(
        'The names and behaviours of the API: as in its document, or as Vault and OpenBao have them.',
      ),
    namespace: segments('a namespace')
      .describe("The service's namespace, where it has them. Default: none is named.")
      .exactOptional(),
    auth: auth.exactOptional(),
    tls: tls().exactOptional(),
    access: access({}).exactOptional(),
    probeHosts: probeHosts().exactOptional(),
    defaults: defaults().exactOptional(),
    limits: limits().exactOptional(),
    backendID: backendID('the secrets service').exactOptional(),
  })
  .describe('A connection to a secrets service.');

export type Spec = z.infer<typeof spec>;

const methods = ['tokenSecretRef', 'kubernetes', 'appRole', 'jwt'];

export const declaration = {
  kind: 'SecretsConnection',
  plural: 'secretsconnections',
  shortNames: ['secconn'],
  scope: 'Cluster',
  description:
    "A connection to a secrets service. The administrator's: it says who may use it, and for what.",
  spec,
  fields: {},
  references: [
    { field: '/auth/tokenSecretRef', to: 'secret', namespace: 'given' },
    { field: '/auth/appRole/secretIDSecretRef', to: 'secret', namespace: 'given' },
    { field: '/auth/jwt/jwtSecretRef', to: 'secret', namespace: 'given' },
    ...tlsReferences,
  ],
  rules: [
    ...connectionRules,
    {
      rule: "has(self.auth) || self.addresses.exists(a, a == 'embedded')",
      message: 'is required, but for embedded',
      fieldPath: '.auth',
    },
    {
      rule: `!has(self.auth) || ${methods.map((method) => `(has(self.auth.${method}) ? 1 : 0)`).join(' + ')} == 1`,
      message: `exactly one of ${methods.join(', ')} is needed`,
      fieldPath: '.auth',
    },
    {
      rule: '!has(self.auth) || !has(self.auth.kubernetes) || !(has(self.auth.kubernetes.tokenFile) && has(self.auth.kubernetes.serviceAccountRef))',
      message: 'tokenFile and serviceAccountRef exclude each other',
      fieldPath: '.auth.kubernetes',
    },
  ],
  columns: [
    { name: 'Address', type: 'string', jsonPath: '.spec.addresses[0]' },
    { name: 'Dialect', type: 'string', jsonPath: '.spec.dialect' },
    { name: 'Version', type: 'string', jsonPath: '.status.observed.version', priority: 1 },
  ],
} as const satisfies Declaration;
