// The life of a snapshot: taken once, waited for, and deleted; and of a volume that is made from one.
import { secret, snapshot, volume, type Spec } from '../../support/manifests.ts';
import { both, type Journey, type Life } from './journey.ts';
import { deadline, signals } from '../world/quiesces.ts';
import type { World } from '../world/world.ts';

const secrets = { key: { name: 'plugin', key: 'key' } };
const deletes: Spec = { deletionPolicy: 'Delete', secrets };
const deleted: Spec = { deletionPolicy: 'Delete' };

const declares = (spec: Spec) => (world: World) => world.declare(snapshot('object', spec));
const undeclares = (world: World) => world.undeclare();

/** How long the plugin works on a snapshot. */
const readyAfter = (SnapshotReadyMs: number) => (world: World) =>
  world.scheduler.call<void>('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs });

/** What every journey stands on: a volume, its secret, and a snapshot that is not its business. */
const base = async (world: World) => {
  world.tree.put('data.yaml', volume('data', deleted));
  world.tree.put('kept.yaml', snapshot('kept', deleted));
  world.tree.put('secret.yaml', secret('shop', 'plugin', { key: 'canary-faults-plugin-key' }));
  await readyAfter(0)(world);
};
const from = (spec: Spec) => async (world: World) => {
  await base(world);
  declares(spec)(world);
};

/** Taken by hand; the provider says its ID. */
const existing = 'snap-by-hand';
const byHand = (world: World) =>
  world.scheduler.call<void>('POST', '/setup/snapshots', {
    PluginID: 'hostpath',
    ID: existing,
    Name: 'by-hand',
  });
const adopted: Spec = { snapshotID: existing, pluginID: 'hostpath', adoptionPolicy: 'Adopt', ...deleted };

const lost = async (world: World) => {
  for (const { name, pluginID, id } of await world.scheduler.snapshots())
    if (name.startsWith('object-'))
      await world.scheduler.call<void>('DELETE', `/setup/snapshots/${pluginID}/${id}`);
};

const restored = (spec: Spec = {}) =>
  volume('restored', {
    ...deleted,
    create: { capacity: { min: '1Gi' }, snapshotRef: { name: 'object' } },
    ...spec,
  });
const restores =
  (spec: Spec = {}) =>
  (world: World) =>
    world.declare(snapshot('object', deletes), restored(spec));

/** Taken also where it is cut off between freeze and thaw, so that each case ends alike. */
const hooks = {
  selector: { job: 'shop' },
  before: { signal: { name: signals.freeze } },
  after: { signal: { name: signals.thaw } },
  deadline,
  onFailure: 'Continue',
};
const frozen: Spec = { ...deletes, hooks };

const journeys: readonly Journey[] = [
  {
    part: 'create',
    dialects: both,
    start: base,
    act: declares(deletes),
    edit: declares({ ...deletes, deletionPolicy: 'Retain' }),
  },
  { part: 'create', variant: 'to be kept', dialects: ['nomad'], start: base, act: declares({ secrets }) },
  {
    part: 'create',
    variant: 'waited for',
    dialects: ['cluster'],
    start: base,
    meanwhile: readyAfter(1_500),
    act: declares(deletes),
  },
  {
    part: 'create',
    variant: 'with a volume from it',
    dialects: both,
    start: base,
    meanwhile: readyAfter(500),
    act: restores(),
    edit: declares(deletes),
  },
  {
    part: 'create',
    variant: 'together with its volume',
    dialects: ['nomad'],
    start: base,
    act: (world) =>
      world.declare(
        volume('fresh', deleted),
        snapshot('object', { ...deletes, volumeRef: { name: 'fresh' } }),
      ),
  },
  {
    part: 'create',
    variant: 'the last one of a volume that goes',
    dialects: ['cluster'],
    start: async (world) => {
      await base(world);
      world.tree.put('last.yaml', volume('last', deleted));
    },
    act: (world) => {
      world.tree.remove('last.yaml');
      declares({ ...deletes, volumeRef: { name: 'last' } })(world);
    },
  },
  {
    part: 'create',
    variant: 'with hooks',
    dialects: both,
    start: base,
    act: declares(frozen),
    // The thaw is that of the freeze, not the edited one.
    edit: declares({ ...frozen, hooks: { ...hooks, after: { restart: {} }, selector: { job: 'nobody' } } }),
  },
  { part: 'adopt', dialects: both, start: base, meanwhile: byHand, act: declares(adopted) },
  {
    part: 'adopt',
    variant: 'refused',
    dialects: ['nomad'],
    start: base,
    meanwhile: byHand,
    act: declares({ ...adopted, adoptionPolicy: 'Fail' }),
  },
  {
    part: 'revive',
    variant: 'never: another one would be of another moment',
    dialects: both,
    start: from(deletes),
    meanwhile: lost,
    act: declares(deletes),
  },
  { part: 'delete', dialects: both, start: from(deletes), act: undeclares, edit: declares(deletes) },
  {
    part: 'delete',
    variant: 'letting it go',
    dialects: ['nomad'],
    start: from({ secrets }),
    act: undeclares,
    edit: declares({ secrets }),
  },
  {
    part: 'delete',
    // Not taken back half way: the volume may be back by then, and the snapshot that it was made from gone.
    variant: 'with a volume from it',
    dialects: ['cluster'],
    start: async (world) => {
      await base(world);
      restores()(world);
    },
    act: undeclares,
  },
  {
    part: 'delete',
    variant: 'after its volume',
    dialects: ['nomad'],
    start: from(deletes),
    act: (world) => {
      world.tree.remove('data.yaml');
      undeclares(world);
    },
  },
];

export const csiSnapshot: Life = {
  kind: 'CSISnapshot',
  journeys,
  without: {
    update: 'nothing of a snapshot ever changes',
    replace: 'another one would hold the data of another moment',
    rotate: 'a snapshot has no credential of its own',
  },
};
