// CSISnapshot: its spec, the behaviour of each field, and its references. PURE.
import * as z from 'zod';
import type { FieldTable } from '../../core/planning/diff.ts';
import { csiSecrets } from '../../schema/scheduler/csi-secrets.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { hookRules, hooks } from '../../schema/scheduler/hooks.ts';
import { envelope, line, mapOf, objectRef } from '../../schema/parts.ts';

/** A snapshot never changes, so no field needs a replacement. */
const { replacePolicy: _replace, ...common } = envelope(['Retain', 'Delete']);

const spec = z
  .strictObject({
    ...common,
    volumeRef: objectRef()
      .describe('The CSIVolume to take a snapshot of. The snapshot may outlive it.')
      .exactOptional(),
    volumeID: line(256)
      .describe("The scheduler's ID of a volume that is not declared here, to take a snapshot of.")
      .exactOptional(),
    snapshotID: line(256)
      .describe("The plugin's ID of a snapshot that exists already, to adopt or to observe it.")
      .exactOptional(),
    pluginID: line(128)
      .describe('ID of the CSI plugin. With volumeRef: that of the volume, and not declared here.')
      .exactOptional(),
    parameters: mapOf(z.string().max(1024).describe('Value of the parameter.'), { entries: 32, key: 128 })
      .describe('Parameters of the plugin, handed over as they stand.')
      .exactOptional(),
    secrets: csiSecrets().exactOptional(),
    hooks: hooks().exactOptional(),
  })
  .describe('A snapshot of a CSI volume. It is taken once, and what it is taken of and how never changes.');

export type Spec = z.infer<typeof spec>;

export const fields = {
  '/connectionRef': { change: 'identity' },
  '/externalName': { change: 'identity' },
  '/volumeRef': { change: 'identity', unreadable: 'always' },
  '/volumeID': { change: 'identity', unreadable: 'always' },
  '/snapshotID': { change: 'identity', unreadable: 'always' },
  '/pluginID': { change: 'identity', unreadable: 'always' },
  '/parameters': { change: 'identity', unreadable: 'always' },
  '/secrets': { change: 'creation' },
  '/hooks': { change: 'creation' },
} as const satisfies FieldTable;

export const declaration = {
  kind: 'CSISnapshot',
  plural: 'csisnapshots',
  shortNames: ['csisnap'],
  scope: 'Namespaced',
  description:
    'A snapshot of a CSI volume: taken once, waited for until it can be used, and never taken again in the place of a lost one.',
  spec,
  fields,
  references: [
    { field: '/connectionRef', to: 'object', kind: 'SchedulerConnection', scope: 'Cluster', holds: true },
    {
      field: '/volumeRef',
      to: 'object',
      kind: 'CSIVolume',
      scope: 'Namespaced',
      holds: 'until-made',
      optional: true,
    },
    { field: '/secrets/*', to: 'secret', namespace: 'own' },
  ],
  rules: [
    {
      rule: '(has(self.volumeRef) ? 1 : 0) + (has(self.volumeID) ? 1 : 0) + (has(self.snapshotID) ? 1 : 0) == 1',
      message: 'exactly one of volumeRef, volumeID and snapshotID is needed',
    },
    {
      rule: 'has(self.pluginID) != has(self.volumeRef)',
      message: 'is needed with volumeID and snapshotID; volumeRef brings that of its volume',
      fieldPath: '.pluginID',
    },
    {
      rule: '!has(self.snapshotID) || !has(self.parameters)',
      message: 'are for a snapshot that is taken; the one named by snapshotID exists already',
      fieldPath: '.parameters',
    },
    {
      rule: '!has(self.snapshotID) || !has(self.hooks)',
      message: 'are for a snapshot that is taken; the one named by snapshotID exists already',
      fieldPath: '.hooks',
    },
    ...hookRules(['hooks']),
  ],
  columns: [
    { name: 'External-Name', type: 'string', jsonPath: '.status.observed.id' },
    {
      name: 'Ready-To-Use',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="SnapshotReady")].status',
    },
    { name: 'Volume', type: 'string', jsonPath: '.status.observed.volumeID' },
    { name: 'Size', type: 'integer', jsonPath: '.status.observed.sizeBytes' },
    { name: 'Taken', type: 'date', jsonPath: '.status.observed.takenAt' },
    { name: 'Plugin', type: 'string', jsonPath: '.status.observed.pluginID', priority: 1 },
    { name: 'Connection', type: 'string', jsonPath: '.spec.connectionRef.name', priority: 1 },
  ],
} as const satisfies Declaration;
