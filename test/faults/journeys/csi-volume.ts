// The life of a volume: made with a disk of its own, or registered for one that is there.
import { secret, volume, type Spec } from '../../support/manifests.ts';
import { both, type Journey, type Life } from './journey.ts';
import type { World } from '../world/world.ts';

const secrets = { key: { name: 'plugin', key: 'key' } };
const made: Spec = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused', secrets };
const registered: Spec = {
  deletionPolicy: 'Deregister',
  replacePolicy: 'WhenUnused',
  pluginID: 'nfs',
  register: { externalID: 'export' },
};
const capacity = { min: '1Gi' };
const fast = { create: { capacity, parameters: { type: 'fast' } } };
const inZone = (zone: string): Spec => ({ ...made, pluginID: 'ebs', topology: { required: [{ zone }] } });
const plain = { mountOptions: { mountFlags: [] } };
const noatime = { mountOptions: { mountFlags: ['noatime'] } };

const declares = (spec: Spec) => (world: World) => world.declare(volume('object', spec));
const undeclares = (world: World) => world.undeclare();

/** What every journey stands on: its secret, and a volume that is not its business. */
const base = (world: World) => {
  world.tree.put('kept.yaml', volume('kept', { deletionPolicy: 'Delete' }));
  world.tree.put('secret.yaml', secret('shop', 'plugin', { key: 'canary-faults-plugin-key' }));
};
const from = (spec: Spec) => (world: World) => {
  base(world);
  declares(spec)(world);
};

/** Somebody else's, or one whose registration was lost. */
const path = '/v1/volume/csi/object?namespace=default';
const foreign = (world: World) =>
  world.scheduler.call<void>('PUT', '/v1/volume/csi/object', {
    Volumes: [
      {
        ID: 'object',
        Name: 'by-hand',
        Namespace: 'default',
        PluginID: 'nfs',
        ExternalID: 'export',
        RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
      },
    ],
  });
const deregistered = (world: World) => world.scheduler.call<void>('DELETE', path);

const journeys: readonly Journey[] = [
  {
    part: 'create',
    dialects: both,
    start: base,
    act: declares(made),
    edit: declares({ ...made, ...fast }),
  },
  {
    part: 'create',
    variant: 'registering a disk that is there',
    dialects: both,
    start: base,
    act: declares(registered),
  },
  {
    part: 'create',
    variant: 'to be kept',
    dialects: ['nomad'],
    start: base,
    act: declares({ ...made, deletionPolicy: 'Retain' }),
  },
  {
    part: 'adopt',
    dialects: both,
    start: base,
    meanwhile: foreign,
    act: declares({ ...registered, adoptionPolicy: 'Adopt' }),
  },
  {
    part: 'adopt',
    variant: 'refused',
    dialects: ['nomad'],
    start: base,
    meanwhile: foreign,
    act: declares(registered),
  },
  {
    part: 'update',
    dialects: both,
    start: from({ ...made, ...plain }),
    act: declares({ ...made, ...noatime }),
    edit: declares({ ...made, ...plain }),
  },
  {
    part: 'update',
    variant: 'of a registered disk',
    dialects: both,
    start: from(registered),
    act: declares({ ...registered, mountOptions: { fsType: 'xfs' } }),
    edit: declares(registered),
  },
  {
    part: 'update',
    variant: 'growing it',
    dialects: ['nomad'],
    start: from(made),
    act: declares({ ...made, create: { capacity: { min: '2Gi' } } }),
  },
  {
    part: 'replace',
    dialects: both,
    start: from(made),
    act: declares({ ...made, ...fast }),
    edit: declares({ ...made, create: { capacity, parameters: { type: 'slow' } } }),
  },
  {
    part: 'replace',
    variant: 'registering another disk',
    dialects: both,
    start: from(registered),
    act: declares({ ...registered, register: { externalID: 'other' } }),
    edit: declares(registered),
  },
  {
    part: 'replace',
    variant: 'by one that can not be made',
    dialects: both,
    start: from(inZone('a')),
    act: declares(inZone('nowhere')),
    edit: declares(inZone('a')),
    halfway: deregistered,
  },
  { part: 'revive', dialects: both, start: from(made), meanwhile: deregistered, act: declares(made) },
  {
    part: 'revive',
    variant: 'with an edit',
    dialects: ['nomad'],
    start: from(made),
    meanwhile: deregistered,
    act: declares({ ...made, ...noatime }),
  },
  {
    part: 'delete',
    dialects: both,
    start: from(made),
    act: undeclares,
    edit: declares(made),
    halfway: deregistered,
  },
  {
    part: 'delete',
    variant: 'keeping a registered disk',
    dialects: both,
    start: from(registered),
    act: undeclares,
    edit: declares(registered),
  },
  {
    part: 'delete',
    variant: 'letting it go',
    dialects: ['nomad'],
    start: from({ ...made, deletionPolicy: 'Retain' }),
    act: undeclares,
    edit: declares({ ...made, deletionPolicy: 'Retain' }),
  },
];

export const csiVolume: Life = {
  kind: 'CSIVolume',
  journeys,
  without: { rotate: 'a volume has no credential of its own' },
};
