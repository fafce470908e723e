// Merges a registration into a registered volume (services.md#merge-rules). PURE; the provider decides on capacity.
import { canonical } from '../../../core/hash.ts';
import { claimants, type VolumeRow, type VolumeSpec } from '../store/model.ts';

export interface Merged {
  readonly volume: VolumeRow;
  /** If not empty, the merge must not be stored. */
  readonly errors: readonly string[];
}

/** Ignores the topologies, current modes, capacity and provider fields of `sent`. */
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
    inUse && !same(old.MountOptions, sent.MountOptions), // an omitted field does not equal the stored empty one
    'can not update mount options while volume is in use',
  );
  const changesParameters = Object.keys(sent.Parameters).length > 0 && !same(old.Parameters, sent.Parameters);
  refuseIf(changesParameters, 'volume parameters cannot be updated');
  const volume = {
    ...old,
    RequestedCapabilities: sent.RequestedCapabilities,
    MountOptions: sent.MountOptions ?? { FsType: '', MountFlags: null },
    Secrets: sent.Secrets, // omitting them wipes the stored ones
    Context: Object.keys(sent.Context).length > 0 ? sent.Context : old.Context,
  };
  return { volume, errors };
}

/** A claimed volume has to keep the capability of its claims. */
const allowsCurrentUse = (old: VolumeRow, sent: VolumeSpec): boolean =>
  (old.AccessMode === '' && old.AttachmentMode === '') ||
  sent.RequestedCapabilities.some(
    (one) => one.AccessMode === old.AccessMode && one.AttachmentMode === old.AttachmentMode,
  );

const same = (a: Comparable, b: Comparable): boolean => canonical(a) === canonical(b);
type Comparable = Parameters<typeof canonical>[0];
