// The jobs that write to the volume and that actions are for, and how long snapshots take.
import { addAllocation } from '../../../src/embedded/scheduler/fixtures/allocations.ts';
import { changePlugin } from '../../../src/embedded/scheduler/fixtures/plugins.ts';
import type { State } from '../../../src/embedded/scheduler/state.ts';
import { actionSlots } from '../history/draw-storage.ts';
import type { StorageSetup } from '../history/events.ts';
import { namespaces } from './services.ts';
import { jobOf, storedPlugin, writers } from './storage-manifests.ts';

/** No deadline is longer (history/draw-storage.ts). */
export const deadlineMostMs = 120_000;

export function prepare(state: State, { readyMs }: StorageSetup): void {
  changePlugin(state, { SnapshotReadyMs: readyMs }, storedPlugin);
  const place = (JobID: string, Index: number) =>
    addAllocation(state, { JobID, Namespace: namespaces[0], Index, Tasks: [{ Name: 'main' }] }, JobID);
  for (const index of [0, 1]) place(writers, index);
  for (const slot of actionSlots) for (const index of [0, 1, 2]) place(jobOf(slot), index);
}
