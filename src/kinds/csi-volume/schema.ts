// CSIVolume: its spec, the behaviour of each field, and its references. PURE.
import * as z from 'zod';
import type { FieldTable } from '../../core/planning/diff.ts';
import { capabilities } from '../../schema/scheduler/csi-capabilities.ts';
import { csiSecrets } from '../../schema/scheduler/csi-secrets.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { bytes, envelope, line, mapOf, objectRef, quantity } from '../../schema/parts.ts';

/** No disk is meant to be smaller. */
const leastBytes = 2 ** 20;

const create = z
  .strictObject({
    capacity: z
      .strictObject({
        min: quantity().describe('Smallest size. Raising it expands the volume; it never shrinks.'),
        max: quantity().describe('Largest size that the plugin may choose.').exactOptional(),
      })
      .describe('Size of the disk in bytes. The plugin may round it up.'),
    parameters: mapOf(z.string().max(1024).describe('Value of the parameter.'), { entries: 32, key: 128 })
      .describe('Parameters of the plugin, handed over as they stand. Another value needs a replacement.')
      .exactOptional(),
    snapshotID: line(256)
      .describe(
        "The plugin's ID of a snapshot to start from. Read when the volume is created, not afterwards.",
      )
      .exactOptional(),
    snapshotRef: objectRef()
      .describe(
        'A CSISnapshot to start from, instead of its ID. The volume is created once that is ready; afterwards it needs it no more.',
      )
      .exactOptional(),
  })
  .describe('Have the plugin make a disk.');

const register = z
  .strictObject({
    externalID: line(256).describe("The plugin's ID of the disk. Another disk needs a replacement."),
  })
  .describe('Use a disk that exists already.');

const mountOptions = z
  .strictObject({
    fsType: line(64).describe('File system, such as ext4.').exactOptional(),
    mountFlags: z
      .array(line(256).describe('One flag, such as noatime.'))
      .max(32)
      .describe('Flags for mounting. They can hold secrets, so the scheduler never shows them.')
      .exactOptional(),
  })
  .describe('How a file-system volume is mounted. Changed only while nothing claims the volume.');

const segments = z
  .array(
    mapOf(z.string().max(253).describe('Value of the segment.'), { entries: 8, key: 317 }).describe(
      'Topology segments that hold together, such as a zone.',
    ),
  )
  .max(16);

const topology = z
  .strictObject({
    required: segments
      .describe(
        'The volume must be reachable from one of these, in any order. Other ones need a replacement.',
      )
      .exactOptional(),
    preferred: segments
      .describe('Tried first, in this order, when the volume is created; not read afterwards.')
      .exactOptional(),
  })
  .describe('Where the volume must or should be reachable.');

const spec = z
  .strictObject({
    ...envelope(['Retain', 'Deregister', 'Delete']),
    pluginID: line(128).describe('ID of the CSI plugin. Another plugin needs a replacement.'),
    capabilities: capabilities(),
    create: create.exactOptional(),
    register: register.exactOptional(),
    mountOptions: mountOptions.exactOptional(),
    secrets: csiSecrets().exactOptional(),
    topology: topology.exactOptional(),
  })
  .describe('A CSI volume as it shall be.');

export type Spec = z.infer<typeof spec>;

/** @returns `undefined` if the value is not a valid spec */
export const parseSpec = (value: unknown): Spec | undefined => spec.safeParse(value).data;

export const fields = {
  '/connectionRef': { change: 'identity' },
  '/externalName': { change: 'identity' },
  '/pluginID': { change: 'replace' },
  '/capabilities': { change: 'in-place', compare: 'set' },
  '/create/capacity/min': { change: 'in-place', compare: 'at-least', unreadable: 'when-absent' },
  '/create/capacity/max': { change: 'in-place', unreadable: 'when-absent' },
  '/create/parameters': { change: 'replace', unreadable: 'when-absent' },
  '/create/snapshotID': { change: 'creation' },
  '/create/snapshotRef': { change: 'creation' },
  '/register/externalID': { change: 'replace' },
  '/mountOptions/fsType': { change: 'in-place', unreadable: 'when-absent', unset: '' },
  '/mountOptions/mountFlags': { change: 'in-place', unreadable: 'always', unset: [] },
  '/secrets': { change: 'in-place', unreadable: 'always', unset: {} },
  '/topology/required': { change: 'replace', compare: 'set', unreadable: 'when-absent' },
  '/topology/preferred': { change: 'creation' },
} as const satisfies FieldTable;

export const declaration = {
  kind: 'CSIVolume',
  plural: 'csivolumes',
  shortNames: ['csivol'],
  scope: 'Namespaced',
  description:
    'A CSI volume of a workload scheduler: a disk that is created or registered, and kept as declared.',
  spec,
  fields,
  references: [
    { field: '/connectionRef', to: 'object', kind: 'SchedulerConnection', scope: 'Cluster', holds: true },
    { field: '/secrets/*', to: 'secret', namespace: 'own' },
    {
      field: '/create/snapshotRef',
      to: 'object',
      kind: 'CSISnapshot',
      scope: 'Namespaced',
      holds: 'until-made',
      optional: true,
    },
  ],
  rules: [
    {
      rule: 'has(self.create) != has(self.register)',
      message: 'exactly one of create and register is needed',
    },
    { rule: 'has(self.create) == has(oldSelf.create)', message: "create and register can't be exchanged" },
    {
      rule: "!has(self.register) || !has(self.deletionPolicy) || self.deletionPolicy != 'Delete'",
      message: 'a registered disk was not made by Holdfast: Retain or Deregister',
      fieldPath: '.deletionPolicy',
    },
    {
      rule: '!has(self.create) || !has(self.create.capacity.max) || quantity(string(self.create.capacity.max)).compareTo(quantity(string(self.create.capacity.min))) >= 0',
      message: 'must not be smaller than min',
      fieldPath: '.create.capacity.max',
    },
    {
      rule: '!has(self.create) || !has(self.create.snapshotRef) || !has(self.create.snapshotID)',
      message: 'snapshotID and snapshotRef exclude each other',
      fieldPath: '.create.snapshotRef',
    },
  ],
  doubt({ create: made }: Spec) {
    const min = made && bytes(made.capacity.min);
    if (min === undefined || min >= leastBytes) return undefined;
    return `/create/capacity/min: only ${min} bytes; is the unit missing, as in 10Gi?`;
  },
  columns: [
    { name: 'External-Name', type: 'string', jsonPath: '.status.externalRef.id' },
    { name: 'Plugin', type: 'string', jsonPath: '.spec.pluginID' },
    { name: 'External-ID', type: 'string', jsonPath: '.status.observed.externalID' },
    { name: 'Connection', type: 'string', jsonPath: '.spec.connectionRef.name', priority: 1 },
  ],
} as const satisfies Declaration;
