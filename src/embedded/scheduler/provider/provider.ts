// The storage provider behind the plugins. It knows disks, not volumes. As CSI demands, it identifies disks by name. It
// completes an operation even if the client disconnects.
import { checkModes, controllerCall, rpc, type Fail } from './controller-call.ts';
import { capacityFor, fits, placeFor } from './disk-shape.ts';
import type { TextMap } from '../store/job.ts';
import {
  pairKey,
  type DiskRow,
  type NodeRow,
  type PluginRow,
  type SnapshotRow,
  type TopologyRequest,
  type VolumeSpec,
} from '../store/model.ts';
import type { Store, Table } from '../store/store.ts';
import { quoted } from '../../http/error-texts.ts';

type Capacity = Pick<VolumeSpec, 'RequestedCapacityMin' | 'RequestedCapacityMax'>;
type Condition = Pick<DiskRow, 'IsAbnormal' | 'Status' | 'IsCorrupt'>;
type Disk = Omit<DiskRow, 'CreateIndex' | 'ModifyIndex' | 'AttachedFor' | keyof Condition> &
  Partial<Condition>;

export class Provider {
  readonly disks: Table<DiskRow>;
  readonly snapshots: Table<SnapshotRow>;
  readonly #store: Store;
  readonly #nodes: Table<NodeRow>;
  readonly #random: () => number;
  readonly #byName = new Map<string, string>();

  constructor(store: Store, nodes: Table<NodeRow>, random: () => number) {
    this.#store = store;
    this.#nodes = nodes;
    this.#random = random;
    this.disks = store.table('disk');
    this.snapshots = store.table('snapshot');
    for (const disk of this.disks.rows()) this.#remember(disk);
  }

  disk(pluginID: string, externalID: string): DiskRow | undefined {
    return this.disks.get(pairKey(pluginID, externalID));
  }

  /** CreateVolume. The same name returns the same disk; `made`: the disk is new. @throws Refusal 500 */
  create(
    plugin: PluginRow,
    volume: VolumeSpec,
    requested: TopologyRequest | null,
  ): { readonly disk: DiskRow; readonly made: boolean } {
    const fail = controllerCall(plugin, 'create volume', 'CREATE_DELETE_VOLUME', volume.Secrets);
    checkModes(volume.RequestedCapabilities, fail);
    if (volume.Name === '') fail('missing Name');
    const sourceBytes = this.#sourceBytes(plugin, volume, fail);
    const key = this.#byName.get(pairKey(plugin.ID, volume.Name));
    const known = key === undefined ? undefined : this.disks.get(key);
    const name = quoted(volume.Name);
    if (known && !fits(known, volume)) {
      const why = rpc('AlreadyExists', 'it has another capacity, source or parameters');
      fail(`volume ${name} already exists but is incompatible with these parameters: ${why}`);
    }
    if (known) return { disk: known, made: false };
    const place = this.#placeFor(plugin, name, requested, fail);
    const disk = {
      PluginID: plugin.ID,
      Name: volume.Name,
      ExternalID: this.#newExternalID(plugin.ID),
      CapacityBytes: capacityOrFail(name, volume, sourceBytes, fail),
      Parameters: volume.Parameters,
      SnapshotID: volume.SnapshotID,
      CloneID: volume.CloneID,
      IsCorrupt: this.#isCorrupt(plugin.ID, volume),
      Topologies: place,
    };
    return { disk: this.put(disk), made: true };
  }

  put(disk: Disk): DiskRow {
    const key = pairKey(disk.PluginID, disk.ExternalID);
    const before = this.disks.get(key);
    const { AttachedFor = [], IsAbnormal = false, Status = '', IsCorrupt = false } = before ?? {};
    const kept = { AttachedFor, IsAbnormal, Status, IsCorrupt };
    const row = this.#store.put(this.disks, key, (indexes) => ({ ...kept, ...disk, ...indexes }));
    this.#remember(row);
    return row;
  }

  /** ValidateVolumeCapabilities. @throws Refusal 500 if a mode is unknown or the disk does not exist */
  validate(plugin: PluginRow, volume: VolumeSpec): void {
    const fail = controllerCall(plugin, 'validate volume', undefined, volume.Secrets);
    checkModes(volume.RequestedCapabilities, fail);
    const externalID = volume.ExternalID || volume.ID;
    if (!this.disk(plugin.ID, externalID)) fail(notFound(externalID));
  }

  /** ControllerExpandVolume. @returns the capacity in bytes. @throws Refusal 500 */
  expand(plugin: PluginRow, volume: VolumeSpec, capacity: Capacity): number {
    const fail = controllerCall(plugin, 'expand volume', 'EXPAND_VOLUME', volume.Secrets);
    const disk = this.disk(plugin.ID, volume.ExternalID) ?? fail(notFound(volume.ExternalID));
    const bytes = capacityOrFail(quoted(volume.Name), capacity, disk.CapacityBytes, fail);
    return this.put({ ...disk, CapacityBytes: bytes }).CapacityBytes;
  }

  /**
   * DeleteVolume; succeeds for a missing disk. A plugin knows only its own attachments, and some plugins don't check
   * them (services.md#delete).
   * @returns whether the disk existed. @throws Refusal 500 while it is attached
   */
  remove(plugin: PluginRow, externalID: string, secrets: TextMap): boolean {
    const fail = controllerCall(plugin, 'delete volume', 'CREATE_DELETE_VOLUME', secrets);
    const disk = this.disk(plugin.ID, externalID);
    if (!disk) return false;
    if (disk.AttachedFor.length > 0 && !plugin.DeletesInUse) {
      fail(`volume ${quoted(externalID)} is in use: ${rpc('FailedPrecondition', 'attached to a node')}`);
    }
    this.lose(disk);
    return true;
  }

  /** Deletes the disk, even if it is in use. */
  lose(disk: DiskRow): void {
    this.#store.commit(() => [this.disks.drop(pairKey(disk.PluginID, disk.ExternalID))]);
    this.#byName.delete(pairKey(disk.PluginID, disk.Name));
  }

  #remember(disk: DiskRow): void {
    if (disk.Name === '') return; // not made through the plugin
    this.#byName.set(pairKey(disk.PluginID, disk.Name), pairKey(disk.PluginID, disk.ExternalID));
  }

  #newExternalID(pluginID: string): string {
    for (;;) {
      const digits = Math.floor(this.#random() * 2 ** 52).toString(16);
      const externalID = `vol-${digits.padStart(13, '0')}`;
      if (!this.disk(pluginID, externalID)) return externalID;
    }
  }

  #sourceBytes(plugin: PluginRow, { SnapshotID, CloneID, Name }: VolumeSpec, fail: Fail): number {
    if (SnapshotID === '' && CloneID === '') return 0;
    const bytes =
      SnapshotID === ''
        ? this.disk(plugin.ID, CloneID)?.CapacityBytes
        : this.snapshots.get(pairKey(plugin.ID, SnapshotID))?.SizeBytes;
    const source = `content source ${quoted(SnapshotID || CloneID)} does not exist`;
    return bytes ?? fail(`volume ${quoted(Name)} ${source}: ${rpc('NotFound', 'no such source')}`);
  }

  #isCorrupt(pluginID: string, { SnapshotID, CloneID }: VolumeSpec): boolean {
    const from =
      SnapshotID === '' ? this.disk(pluginID, CloneID) : this.snapshots.get(pairKey(pluginID, SnapshotID));
    return from?.IsCorrupt === true;
  }

  #placeFor(
    plugin: PluginRow,
    name: string,
    requested: TopologyRequest | null,
    fail: Fail,
  ): DiskRow['Topologies'] {
    if (!plugin.RequiresTopologies) return [];
    const places = plugin.Nodes.map((id) => this.#nodes.get(id)?.Topology ?? {});
    const why = rpc('ResourceExhausted', 'the plugin runs on no node there');
    return [
      placeFor(places, requested) ?? fail(`unable to provision ${name} in accessible_topology: ${why}`),
    ];
  }
}

const notFound = (externalID: string): string =>
  `volume ${quoted(externalID)} could not be found: ${rpc('NotFound', 'no such disk')}`;

function capacityOrFail(name: string, size: Capacity, sourceBytes: number, fail: Fail): number {
  const { RequestedCapacityMin: min, RequestedCapacityMax: max } = size;
  const why = rpc(
    'OutOfRange',
    `no whole number of MiB between ${Math.max(min, sourceBytes)} and ${max} bytes`,
  );
  return capacityFor(min, max, sourceBytes) ?? fail(`unsupported capacity_range for volume ${name}: ${why}`);
}
