// What registering a registered volume does to it (wire.md 2.5, "Merge rules"). PURE; capacity is the provider's affair.
import { canonical } from '../../../core/hash.ts';
import { claimants, type VolumeRow, type VolumeSpec } from '../store/model.ts';

export interface Merged {
  readonly volume: VolumeRow;
  /** Not empty: nothing of it may be kept. */
  readonly errors: readonly string[];
}

/** Topologies, current modes, capacity and what the provider says are not the user's: whatever is sent is ignored. */
export function merge(old: VolumeRow, sent: VolumeSpec): Merged {
  const inUse = claimants(old).length > 0;
  const errors: string[] = [];
  const refuseIf = (broken: boolean, message: string) => {
    if (broken) errors.push(message);
  };
  const differs = (field: 'Name' | 'ExternalID' | 'CloneID' | 'SnapshotID') =>
    sent[field] !== '' && sent[field] !== old[field];
  refuseIf(differs('Name'), 'volume name cannot be updated');
  refuseIf(differs('ExternalID'), 'volume external ID cannot be updated');
  refuseIf(sent.PluginID !== old.PluginID, 'volume plugin ID cannot be updated');
  refuseIf(differs('CloneID'), 'volume clone ID cannot be updated');
  refuseIf(differs('SnapshotID'), 'volume snapshot ID cannot be updated');
  refuseIf(
    !allowsCurrentUse(old, sent),
    'volume requested capabilities update was not compatible with existing capability in use',
  );
  refuseIf(
    old.Topologies.length > 0 && !same(old.RequestedTopologies, sent.RequestedTopologies),
    'volume topology request update was not compatible with existing topology',
  );
  refuseIf(
    inUse && !same(old.MountOptions, sent.MountOptions), // omitted is not equal to the empty one that is stored
    'can not update mount options while volume is in use',
  );
  const changesParameters = Object.keys(sent.Parameters).length > 0 && !same(old.Parameters, sent.Parameters);
  refuseIf(changesParameters, 'volume parameters cannot be updated');
  const volume = {
    ...old,
    RequestedCapabilities: sent.RequestedCapabilities,
    MountOptions: sent.MountOptions ?? { FsType: '', MountFlags: null },
    Secrets: sent.Secrets, // omitting them wipes what is stored
    Context: Object.keys(sent.Context).length > 0 ? sent.Context : old.Context,
  };
  return { volume, errors };
}

/** As long as it is claimed, the way it is claimed has to stay among what is allowed. */
const allowsCurrentUse = (old: VolumeRow, sent: VolumeSpec): boolean =>
  (old.AccessMode === '' && old.AttachmentMode === '') ||
  sent.RequestedCapabilities.some(
    (one) => one.AccessMode === old.AccessMode && one.AttachmentMode === old.AttachmentMode,
  );

const same = (a: Comparable, b: Comparable): boolean => canonical(a) === canonical(b);
type Comparable = Parameters<typeof canonical>[0];
