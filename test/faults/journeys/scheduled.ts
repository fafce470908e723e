// What the journeys of schedules and of their drills stand on. Runs are due at New Year, and what is recorded is set back before
// it, so that one is due whatever the date.
import { snapshot, volume, type Spec } from '../../support/manifests.ts';
import type { World } from '../world/world.ts';

export const deleted: Spec = { deletionPolicy: 'Delete' };

export const base = async (world: World) => {
  world.tree.put('data.yaml', volume('data', deleted));
  world.tree.put('kept.yaml', snapshot('kept', deleted));
  await world.scheduler.call<void>('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
};

export const declares =
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

export const rewind = (world: World) =>
  world.source.remember(
    'CSISnapshotSchedule/shop/object',
    'handled',
    `${new Date().getUTCFullYear() - 1}-06-01T00:00:00Z`,
  );

/** The run of 3 o'clock was made, and those of the hours after it, one after the other. */
export const taken =
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
