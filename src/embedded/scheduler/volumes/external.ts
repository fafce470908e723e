// Lists the disks of the storage providers, registered or not (services.md#external-volumes).
import type { Endpoint } from '../../http/server.ts';
import { served } from '../http/endpoints.ts';
import type { ControllerCapability, DiskRow } from '../store/model.ts';
import { listed } from '../provider/lists.ts';
import type { State } from '../state.ts';

export const externalReads = (state: State): readonly Endpoint[] => [
  served('volume.external', (request) =>
    listed(state, request, {
      table: state.provider.disks,
      idOf: (disk) => disk.ExternalID,
      call: 'list volumes',
      capability: 'LIST_VOLUMES',
      incapable: 'unimplemented for this plugin',
      secrets: undefined,
      needsPlugin: false,
      body: (disks) => ({ Volumes: disks.map((disk) => shown(state, disk)) }),
    }),
  ),
];

/** Fields that the plugin can't report are empty. */
function shown(state: State, disk: DiskRow) {
  const can = (what: ControllerCapability): boolean =>
    state.plugins.get(disk.PluginID)?.Capabilities.includes(what) ?? false;
  const nodes = disk.AttachedFor.flatMap((id) => state.allocations.get(id)?.NodeID ?? []);
  const reportsCondition = can('VOLUME_CONDITION');
  return {
    ExternalID: disk.ExternalID,
    CapacityBytes: disk.CapacityBytes,
    VolumeContext: null,
    CloneID: disk.CloneID,
    SnapshotID: disk.SnapshotID,
    PublishedExternalNodeIDs: can('LIST_VOLUMES_PUBLISHED_NODES') ? [...new Set(nodes)] : [],
    IsAbnormal: reportsCondition && disk.IsAbnormal,
    Status: reportsCondition ? disk.Status : '',
  };
}
