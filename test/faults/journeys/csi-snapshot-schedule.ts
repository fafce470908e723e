// The life of a schedule: a run, and what expires. Its record is set back before it, so that the run of New Year is due whatever the date.
import { snapshot, volume, type Spec } from '../../support/manifests.ts';
import { both, type Journey, type Life } from './journey.ts';
import type { World } from '../world/world.ts';

const deleted: Spec = { deletionPolicy: 'Delete' };

const base = async (world: World) => {
  world.tree.put('data.yaml', volume('data', deleted));
  world.tree.put('kept.yaml', snapshot('kept', deleted));
  await world.scheduler.call<void>('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
};

const declares =
  (hour: number, spec: Spec = {}) =>
  (world: World) =>
    world.declare({
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'CSISnapshotSchedule',
      metadata: { namespace: 'shop', name: 'object' },
      spec: {
        connectionRef: { name: 'main' },
        volumeRef: { name: 'data' },
        schedule: `0 ${hour} 1 1 *`,
        ...spec,
      },
    });
const undeclares = (world: World) => world.undeclare();

const rewind = (world: World) =>
  world.source.remember(
    'CSISnapshotSchedule/shop/object',
    'handled',
    `${new Date().getUTCFullYear() - 1}-06-01T00:00:00Z`,
  );

const declared = async (world: World) => {
  await base(world);
  declares(3)(world);
};
/** The run of 3 o'clock was made, and those of the hours after it, one after the other. */
const taken =
  (...hours: readonly number[]) =>
  async (world: World) => {
    await base(world);
    for (const hour of hours) {
      declares(hour)(world);
      await world.reconcile();
      await rewind(world);
      await world.reconcile();
    }
  };
const keepOne: Spec = { retention: { count: 1 } };

const journeys: readonly Journey[] = [
  { part: 'create', dialects: both, start: base, act: declares(3), edit: declares(3, keepOne) },
  {
    part: 'update',
    variant: 'a run that is due',
    dialects: both,
    start: declared,
    meanwhile: rewind,
    act: declares(3, keepOne),
    edit: declares(3, { template: { spec: deleted } }),
  },
  {
    part: 'update',
    variant: 'rules that give one up',
    dialects: both,
    start: taken(3, 4),
    act: declares(4, keepOne),
  },
  {
    part: 'delete',
    variant: 'leaving its snapshots',
    dialects: ['nomad'],
    start: taken(3),
    act: undeclares,
    edit: declares(3),
  },
];

export const csiSnapshotSchedule: Life = {
  kind: 'CSISnapshotSchedule',
  journeys,
  without: {
    adopt: 'nothing outside is a schedule',
    replace: 'each field changes in place',
    revive: 'nothing outside is a schedule',
    rotate: 'a schedule has no credential',
  },
};
