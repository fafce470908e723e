// Claims of allocations on volumes (services.md#claims). The first claim sets the modes of the volume; the last release
// clears them. A claim outlives its allocation for a while, because real nodes have to unmount first.
import { Refusal } from '../../http/server.ts';
import {
  claimants,
  hasEnded,
  isTerminal,
  pairKey,
  type AllocationRow,
  type Claims,
  type VolumeRow,
  type VolumeUse,
} from '../store/model.ts';
import type { State } from '../state.ts';
import type { Write } from '../store/store.ts';
import { healthOf, volumeAt } from './render.ts';

export type Unplaced = Omit<AllocationRow, 'CreateIndex' | 'ModifyIndex' | 'AllocModifyIndex'>;

/** Writes that claim all volumes of a new allocation. @throws Refusal 400 if Nomad would not place it */
export function claimWrites(state: State, allocation: Unplaced, index: number): readonly Write[] {
  return allocation.Volumes.flatMap((use) => {
    const volume = volumeAt(state, allocation.Namespace, use.ID);
    if (!volume) throw new Refusal(400, `volume not found: ${use.ID}`);
    const problem = objection(state, volume, use);
    if (problem) throw new Refusal(400, `volume ${use.ID}: ${problem}`);
    const which = use.ReadOnly ? 'ReadAllocs' : 'WriteAllocs';
    const { AccessMode, AttachmentMode } = use;
    const claims = { ...volume[which], [allocation.ID]: { NodeID: allocation.NodeID } };
    const claimed = { ...volume, AccessMode, AttachmentMode, [which]: claims };
    return [put(state, claimed, index), ...attachment(state, volume, claimed, index)];
  });
}

function objection(state: State, volume: VolumeRow, use: VolumeUse): string | undefined {
  const { ControllerRequired, ControllersHealthy, NodesHealthy } = healthOf(
    state.plugins.get(volume.PluginID),
  );
  if (NodesHealthy === 0 || (ControllerRequired && ControllersHealthy === 0)) {
    return 'volume is currently unschedulable';
  }
  const requested = volume.RequestedCapabilities.some(
    (one) => one.AccessMode === use.AccessMode && one.AttachmentMode === use.AttachmentMode,
  );
  if (!requested) return `not registered for ${use.AccessMode} with ${use.AttachmentMode}`;
  const idle = claimants(volume).length === 0;
  if (!idle && volume.AttachmentMode !== use.AttachmentMode) {
    return 'cannot change attachment mode of claimed volume';
  }
  if (!idle && volume.AccessMode !== use.AccessMode) return 'cannot change access mode of claimed volume';
  return allowsOneMore(volume, use) ? undefined : 'volume max claims reached';
}

function allowsOneMore(volume: VolumeRow, { AccessMode, ReadOnly }: VolumeUse): boolean {
  const idle = claimants(volume).length === 0;
  const noWriter = Object.keys(volume.WriteAllocs).length === 0;
  switch (AccessMode) {
    case 'single-node-reader-only':
      return ReadOnly && idle;
    case 'single-node-writer':
      return idle;
    case 'multi-node-reader-only':
      return ReadOnly;
    case 'multi-node-single-writer':
      return ReadOnly || noWriter;
    default:
      return true;
  }
}

/** Releases claims in two writes: unpublished, then free. */
export function release(state: State, volume: VolumeRow, allocationIDs: readonly string[]): void {
  const gone = new Set(allocationIDs.filter((id) => claimants(volume).includes(id)));
  if (gone.size === 0) return;
  state.store.commit((index) => [put(state, volume, index)]);
  const free = {
    ...volume,
    ReadAllocs: without(volume.ReadAllocs, gone),
    WriteAllocs: without(volume.WriteAllocs, gone),
  };
  const idle = claimants(free).length === 0 && { AccessMode: '', AttachmentMode: '' };
  const released = { ...free, ...idle };
  state.store.commit((index) => [put(state, released, index), ...attachment(state, volume, released, index)]);
}

const put = (state: State, volume: VolumeRow, ModifyIndex: number): Write =>
  state.volumes.put(
    pairKey(volume.Namespace, volume.ID),
    { ...volume, ModifyIndex, ModifyTime: state.now() },
    'CSIVolumeClaim',
  );

/** A disk is attached while it is claimed, if the plugin attaches disks. Several registrations may share a disk. */
function attachment(
  state: State,
  before: VolumeRow,
  after: VolumeRow,
  ModifyIndex: number,
): readonly Write[] {
  const plugin = state.plugins.get(after.PluginID);
  const disk = state.provider.disk(after.PluginID, after.ExternalID);
  if (!disk || !plugin?.Capabilities.includes('PUBLISH_UNPUBLISH_VOLUME')) return [];
  const mine = new Set(claimants(before));
  const AttachedFor = [...disk.AttachedFor.filter((id) => !mine.has(id)), ...claimants(after)];
  const key = pairKey(disk.PluginID, disk.ExternalID);
  return [state.provider.disks.put(key, { ...disk, AttachedFor, ModifyIndex })];
}

const without = (claims: Claims, gone: ReadonlySet<string>): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([id]) => !gone.has(id)));

/** Claiming allocations on one node that have ended or no longer exist. */
export const endedClaimants = (state: State, volume: VolumeRow, nodeID: string): readonly string[] =>
  Object.entries({ ...volume.ReadAllocs, ...volume.WriteAllocs })
    .filter(([, claim]) => claim.NodeID === nodeID)
    .flatMap(([id]) => (isOver(state, id, hasEnded) ? [id] : []));

/**
 * Claiming allocations that `force` ignores. Nomad also ignores those that should stop, although their tasks may still
 * write (services.md#deregister).
 */
export const forcedClaimants = (state: State, volume: VolumeRow): readonly string[] =>
  claimants(volume).filter((id) => isOver(state, id, state.behaviour.forcesStopping ? isTerminal : hasEnded));

function isOver(state: State, id: string, over: (allocation: AllocationRow) => boolean): boolean {
  const allocation = state.allocations.get(id);
  return !allocation || over(allocation);
}

/** Releases the claims of ended allocations after a delay, also if the process restarts meanwhile. */
export class ClaimReleases {
  readonly #state: State;
  readonly #delayMs: number;
  readonly #cancels = new Set<() => void>();

  constructor(state: State, delayMs: number) {
    this.#state = state;
    this.#delayMs = delayMs;
  }

  /** Schedules the releases for loaded and seeded allocations. */
  start(): void {
    for (const allocation of this.#state.allocations.rows()) this.consider(allocation);
  }

  /** Schedules the release for an allocation that has ended. */
  consider(allocation: AllocationRow): void {
    if (!hasEnded(allocation) || allocation.Volumes.length === 0) return;
    const dueMs = allocation.ModifyTime / 1e6 + this.#delayMs;
    const cancel = this.#state.clock.after(Math.max(0, dueMs - this.#state.clock.nowMs()), () => {
      this.#cancels.delete(cancel);
      for (const { ID } of allocation.Volumes) {
        const volume = volumeAt(this.#state, allocation.Namespace, ID);
        if (volume) release(this.#state, volume, [allocation.ID]);
      }
    });
    this.#cancels.add(cancel);
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
  }
}
