// SchedulerConnection: where a scheduler is, who may use it, and within which limits. PURE.
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
import { clusterSecretKeyRef, text } from '../../schema/parts.ts';

/** Names of namespaces and regions. */
const schedulerName = text(
  /^[-._A-Za-z0-9]+$/,
  128,
  'a name of letters, digits, -, _ and ., up to 128 characters',
);

const actions = z
  .array(z.enum(['Exec', 'Restart', 'Signal', 'Stop']).describe('One action.'))
  .max(4)
  .describe('Actions on allocations that may be asked for. Absent: none.')
  .exactOptional();

const spec = z
  .strictObject({
    addresses: addresses('the scheduler'),
    dialect: z
      .enum(['cluster', 'nomad'])
      .describe('The names and behaviours of the API: as in its document, or as Nomad has them.'),
    region: schedulerName.describe('Region of the scheduler. Default: that of the server.').exactOptional(),
    namespace: schedulerName.describe("The scheduler's namespace. Default: default.").exactOptional(),
    auth: z
      .strictObject({ tokenSecretRef: clusterSecretKeyRef().describe('ACL token.') })
      .describe(
        'How Holdfast proves who it is. Absent: anonymously, or, for embedded, with the token of the state directory.',
      )
      .exactOptional(),
    tls: tls().exactOptional(),
    access: access({ actions }).exactOptional(),
    probeHosts: probeHosts().exactOptional(),
    defaults: defaults().exactOptional(),
    limits: limits().exactOptional(),
    backendID: backendID('the scheduler').exactOptional(),
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
  references: [{ field: '/auth/tokenSecretRef', to: 'secret', namespace: 'given' }, ...tlsReferences],
  rules: connectionRules,
  columns: [
    { name: 'Address', type: 'string', jsonPath: '.spec.addresses[0]' },
    { name: 'Dialect', type: 'string', jsonPath: '.spec.dialect' },
    { name: 'Version', type: 'string', jsonPath: '.status.observed.version', priority: 1 },
  ],
} as const satisfies Declaration;
