// SchedulerConnection: where a scheduler is, who may use it, within which limits. PURE.
import * as z from 'zod';
import type { Declaration } from '../../schema/declaration.ts';
import { adoptionPolicy, clusterSecretKeyRef, drift, line, text } from '../../schema/parts.ts';

const address = text(
  /^(embedded|https?:\/\/(\[[0-9A-Fa-f:.]+\]|[-.A-Za-z0-9]+)(:[0-9]{1,5})?)$/,
  300,
  '"embedded", or http(s)://host:port without user, path, query and trailing slash',
);

/** As the scheduler names its namespaces and regions. */
const schedulerName = text(
  /^[-._A-Za-z0-9]+$/,
  128,
  'a name of letters, digits, -, _ and ., up to 128 characters',
);

const pattern = text(
  /^([-._/A-Za-z0-9]+\*?|\*)$/,
  128,
  'a name, or the beginning of names followed by *, up to 128 characters',
);

const access = z
  .strictObject({
    namespaces: z
      .array(pattern.describe('A namespace, or prefix*.'))
      .max(64)
      .describe('Namespaces of the objects that may use it. Absent: all.')
      .exactOptional(),
    kinds: z
      .array(pattern.describe('A kind, or prefix*.'))
      .max(64)
      .describe('Kinds of objects that may use it. Absent: all.')
      .exactOptional(),
    externalNames: z
      .array(pattern.describe('An external name, or prefix*.'))
      .max(64)
      .describe('Names of external objects that may be managed. Absent: all.')
      .exactOptional(),
    actions: z
      .array(z.enum(['Exec', 'Restart', 'Signal', 'Stop']).describe('One action.'))
      .max(4)
      .describe('Actions on allocations that may be asked for. Absent: none.')
      .exactOptional(),
  })
  .describe('Who may use the connection, and for what. Everything that a line names must hold.');

const limits = z
  .strictObject({
    maxConcurrent: z
      .int()
      .min(1)
      .max(256)
      .describe('Most requests under way at once. Default: 32.')
      .exactOptional(),
    deletions: z
      .strictObject({
        perHour: z
          .int()
          .min(0)
          .max(1_000_000)
          .describe('Objects that may leave per hour without approval. Default: 20.')
          .exactOptional(),
        percent: z
          .int()
          .min(0)
          .max(100)
          .describe(
            "Per cent of the connection's objects that may leave at once without approval, from six objects on. Default: 30.",
          )
          .exactOptional(),
      })
      .describe('How much may be deleted before a person has to approve it.')
      .exactOptional(),
  })
  .describe('How much may happen at once.');

const spec = z
  .strictObject({
    addresses: z
      .array(address.describe('"embedded", or http(s)://host:port.'))
      .min(1)
      .max(8)
      .describe('Where the scheduler is; the first that answers is used.'),
    dialect: z
      .enum(['cluster', 'nomad'])
      .describe('The names and behaviours of the API: as in its document, or as Nomad has them.'),
    region: schedulerName.describe('Region of the scheduler. Default: that of the server.').exactOptional(),
    namespace: schedulerName.describe("The scheduler's namespace. Default: default.").exactOptional(),
    auth: z
      .strictObject({ tokenSecretRef: clusterSecretKeyRef().describe('ACL token.') })
      .describe('How Holdfast proves who it is. Absent: anonymously.')
      .exactOptional(),
    tls: z
      .strictObject({
        caSecretRef: clusterSecretKeyRef().describe('PEM of the authorities to trust.').exactOptional(),
        clientCertificateSecretRef: clusterSecretKeyRef()
          .describe('PEM of the client certificate.')
          .exactOptional(),
        clientKeySecretRef: clusterSecretKeyRef()
          .describe("PEM of the client certificate's key.")
          .exactOptional(),
        serverName: line(253).describe("Name that the server's certificate must hold.").exactOptional(),
      })
      .describe('How the connection is secured.')
      .exactOptional(),
    access: z
      .array(access)
      .max(64)
      .describe('Who may use the connection. Absent or empty: nobody.')
      .exactOptional(),
    probeHosts: z
      .array(line(253).describe('A host name or address.'))
      .max(64)
      .describe('Hosts that Holdfast itself may contact to check what it configures. Absent: none.')
      .exactOptional(),
    defaults: z
      .strictObject({ adoptionPolicy: adoptionPolicy().exactOptional(), drift: drift().exactOptional() })
      .describe('For objects that say nothing themselves.')
      .exactOptional(),
    limits: limits.exactOptional(),
    backendID: line(128)
      .describe(
        'What identifies the scheduler whatever its addresses are. Default: the origin of the first address.',
      )
      .exactOptional(),
  })
  .describe('A connection to a workload scheduler.');

export type Spec = z.infer<typeof spec>;

export const declaration = {
  kind: 'SchedulerConnection',
  plural: 'schedulerconnections',
  shortNames: ['schedconn'],
  scope: 'Cluster',
  description:
    "A connection to a workload scheduler. The administrator's: it says who may use it, and for what.",
  spec,
  fields: {},
  references: [
    { field: '/auth/tokenSecretRef', to: 'secret', namespace: 'given' },
    { field: '/tls/caSecretRef', to: 'secret', namespace: 'given' },
    { field: '/tls/clientCertificateSecretRef', to: 'secret', namespace: 'given' },
    { field: '/tls/clientKeySecretRef', to: 'secret', namespace: 'given' },
  ],
  rules: [
    {
      rule: "!('embedded' in self.addresses) || self.addresses.size() == 1",
      message: 'embedded stands alone',
      fieldPath: '.addresses',
    },
    {
      rule: "self.addresses.all(a, a == 'embedded' || isURL(a))",
      message: 'every address must be "embedded" or a valid URL: check host and port',
      fieldPath: '.addresses',
    },
    {
      rule: '!has(self.tls) || has(self.tls.clientCertificateSecretRef) == has(self.tls.clientKeySecretRef)',
      message: 'a client certificate and its key go together',
      fieldPath: '.tls',
    },
  ],
  columns: [
    { name: 'Address', type: 'string', jsonPath: '.spec.addresses[0]' },
    { name: 'Dialect', type: 'string', jsonPath: '.spec.dialect' },
    { name: 'Version', type: 'string', jsonPath: '.status.observed.version', priority: 1 },
  ],
} as const satisfies Declaration;
