// What is declared on a scheduler.
import type { Spec } from '../../support/manifests.ts';
import { envelope, field, type Patch, type Subject } from '../subject.ts';

const connectionRef = { name: 'main' };
const writer = { accessMode: 'single-node-writer', attachmentMode: 'file-system' };
const reader = { accessMode: 'multi-node-reader-only', attachmentMode: 'file-system' };
const secret = (key: string) => ({ name: 'plugin', key });
const replaced: Patch = { '/replacePolicy': 'WhenUnused' };

/** A snapshot is of the plugin that took it, `nfs` makes no disks, and `ebs` makes them in a zone. */
function makes({ pluginID, create, topology }: Spec): boolean {
  const { snapshotRef, snapshotID } = Object(create);
  if (snapshotRef !== undefined && pluginID !== 'hostpath') return false;
  if (snapshotID !== undefined && pluginID !== 'ebs') return false;
  return pluginID === 'hostpath' || (pluginID === 'ebs' && Object(topology).required !== undefined);
}

export const volumes: Subject = {
  kind: 'CSIVolume',
  makes,
  base: () => ({
    connectionRef,
    pluginID: 'hostpath',
    capabilities: [writer],
    create: { capacity: { min: '1Gi' } },
  }),
  fields: [
    field('/connectionRef', { name: 'main' }, { name: 'other' }),
    field('/externalName', '<name>-x', '<name>-y'),
    field('/pluginID', 'hostpath', 'nfs'),
    field('/pluginID', 'hostpath', 'ebs', {
      beside: { ...replaced, '/topology/required': [{ zone: 'a' }] },
    }),
    field('/capabilities', [writer], [writer, reader]),
    field('/create/capacity/min', '1Gi', '2Gi'),
    field('/create/capacity/max', '3Gi', '4Gi'),
    field('/create/parameters', { type: 'fast' }, { type: 'slow' }),
    field('/create/parameters', { type: 'fast' }, { type: 'slow' }, { beside: replaced }),
    field('/create/snapshotID', 'snap-0a1b2c3d4e5f6', 'snap-2', {
      beside: { '/pluginID': 'ebs', '/topology/required': [{ zone: 'a' }] },
    }),
    field('/create/snapshotRef', { name: 'taken' }, { name: 'taken-too' }),
    field('/mountOptions/fsType', 'ext4', 'xfs'),
    field('/mountOptions/mountFlags', ['noatime'], ['ro']),
    field('/secrets', { key: secret('one') }, { key: secret('two') }),
    field('/topology/required', [{ zone: 'a' }], [{ zone: 'b' }], { beside: { '/pluginID': 'ebs' } }),
    field('/topology/required', [{ zone: 'a' }], [{ zone: 'b' }], { beside: replaced }),
    field('/topology/preferred', [{ zone: 'a' }], [{ zone: 'b' }]),
  ],
  policies: envelope,
};

/** Of a disk that is there. */
export const registrations: Subject = {
  kind: 'CSIVolume',
  base: ({ name }) => ({
    connectionRef,
    pluginID: 'nfs',
    capabilities: [writer],
    register: { externalID: `disk-${name}` },
  }),
  fields: [
    field('/register/externalID', 'disk-1', 'disk-2'),
    field('/register/externalID', 'disk-3', 'disk-4', { beside: replaced }),
    field('/capabilities', [writer], [writer, reader]),
    field('/mountOptions/fsType', 'ext4', 'xfs'),
    field('/mountOptions/mountFlags', ['noatime'], ['ro']),
    field('/secrets', { key: secret('one') }, { key: secret('two') }),
    field('/topology/preferred', [{ zone: 'a' }], [{ zone: 'b' }]),
  ],
  policies: envelope,
};

const cut = (a: Patch, b: Patch, beside: Patch = {}) => ({ a, b, beside });
const signal = (name: string) => ({ signal: { name, task: 'server' } });
const hooks = (name: string) => ({ selector: { job: 'shop' }, before: signal(name), after: signal(name) });

export const snapshots: Subject = {
  kind: 'CSISnapshot',
  base: () => ({ connectionRef, volumeRef: { name: 'data' } }),
  fields: [
    field('/connectionRef', { name: 'main' }, { name: 'other' }),
    field('/externalName', '<name>-x', '<name>-y'),
    field('/volumeRef', { name: 'data' }, { name: 'more-data' }),
    {
      field: '/volumeID',
      ...cut(
        { '/volumeID': 'data' },
        { '/volumeID': 'more-data' },
        { '/volumeRef': undefined, '/pluginID': 'hostpath' },
      ),
    },
    {
      field: '/snapshotID',
      ...cut(
        { '/snapshotID': 'snap-0a1b2c3d4e5f6' },
        { '/snapshotID': 'snap-2' },
        { '/volumeRef': undefined, '/pluginID': 'ebs', '/adoptionPolicy': 'Adopt' },
      ),
    },
    {
      field: '/pluginID',
      ...cut(
        { '/pluginID': 'hostpath' },
        { '/pluginID': 'ebs' },
        { '/volumeRef': undefined, '/volumeID': 'data' },
      ),
    },
    field('/parameters', { type: 'fast' }, { type: 'slow' }),
    field(
      '/secrets',
      { key: secret('one') },
      { key: secret('two') },
      {
        later: 'they are sent with each list and with the deletion',
      },
    ),
    field('/hooks', hooks('SIGHUP'), hooks('SIGUSR1'), {
      unseen: 'a hook leaves nothing behind in a service',
    }),
  ],
  policies: envelope,
};

export const schedules: Subject = {
  kind: 'CSISnapshotSchedule',
  base: () => ({ connectionRef, volumeRef: { name: 'data' }, schedule: '0 3 1 1 *' }),
  fields: [
    field('/connectionRef', { name: 'main' }, { name: 'other' }, { unseen: 'no run is due' }),
    field('/volumeRef', { name: 'data' }, { name: 'more-data' }, { unseen: 'no run is due' }),
    field('/schedule', '0 3 1 1 *', '0 4 1 1 *'),
    field('/timeZone', 'Europe/Berlin', 'America/New_York'),
    field('/jitter', '10m', '20m', { unseen: 'each object has its own part of it' }),
    field('/startingDeadline', '10m', '20m', { unseen: 'no run is due' }),
    field('/concurrencyPolicy', 'Forbid', 'Allow', { unseen: 'no run is due' }),
    field('/retention', { count: 3 }, { daily: 7 }, { unseen: 'there is no snapshot to give up' }),
    field(
      '/template',
      { spec: { parameters: { type: 'a' } } },
      { spec: { parameters: { type: 'b' } } },
      {
        unseen: 'no run is due',
      },
    ),
    field('/drill', { every: '24h' }, { every: '48h' }, { unseen: 'there is no snapshot to restore' }),
  ],
  policies: ['deletionPolicy', 'suspend'],
};

export const actions: Subject = {
  kind: 'AllocationAction',
  base: () => ({ connectionRef, selector: { job: 'shop' }, action: signal('SIGHUP') }),
  fields: [
    field('/connectionRef', { name: 'main' }, { name: 'other' }),
    field('/selector', { job: 'shop' }, { job: 'shop', group: 'web' }),
    field('/action', signal('SIGHUP'), signal('SIGUSR1')),
    field('/rollout', { maxParallel: 2 }, { maxParallel: 3 }),
    field('/timeout', '10m', '20m'),
    field('/notAfter', '2100-01-01T00:00:00Z', '2101-01-01T00:00:00Z'),
  ],
  policies: ['suspend'],
};
