// A scheduler with a storage provider behind it, in memory: as far as volumes go, and as the documents say.
import type { Effect } from '../../../src/api/routes.ts';
import type { VolumeBody, VolumeRead } from '../../../src/api/scheduler/wire.ts';
import { gib } from './situation.ts';

/** What the provider has. */
export interface Disk {
  readonly externalID: string;
  readonly name: string;
  readonly pluginID: string;
}

/** Answered with this text, nothing was done. */
export class Refused extends Error {}

export class VolumeService {
  readonly disks = new Map<string, Disk>();
  readonly volumes = new Map<string, VolumeRead>();
  /** Plugins whose every create is refused. */
  readonly failing = new Set<string>();
  /** External IDs in the order in which they were destroyed. */
  readonly destroyed: string[] = [];
  /** Jobs that claim, by the volume's ID. */
  readonly claims = new Map<string, string>();
  #index = 0;

  answer(op: string, params: Readonly<Record<string, unknown>>): unknown {
    if (op === 'plugin.list') return [...plugins].map((ID) => ({ ID, ControllersHealthy: 1 }));
    if (op === 'volume.list') return [...this.volumes.keys()].map((id) => this.read(id));
    if (op === 'volume.read') return this.read(String(params['id']));
    throw new Error(`nobody reads ${op}`);
  }

  read(id: string): VolumeRead | undefined {
    const volume = this.volumes.get(id);
    const claim = this.claims.get(id);
    if (!volume || claim === undefined) return volume;
    const stub = { ID: claim, JobID: 'web', NodeID: 'n1', DesiredStatus: 'run', ClientStatus: 'running' };
    return { ...volume, Allocations: [stub], WriteAllocs: { [claim]: null } };
  }

  perform(effect: Effect): void {
    if (effect.op === 'volume.create') return this.#create(effect.body.Volumes[0]);
    if (effect.op === 'volume.register') return this.#register(effect.body.Volumes[0]);
    if (effect.op !== 'volume.deregister' && effect.op !== 'volume.delete')
      throw new Error(`nobody does ${effect.op}`);
    const { id } = effect.params;
    const volume = this.volumes.get(id);
    if (!volume) throw new Refused(`no such volume: ${id}`);
    if (effect.op === 'volume.deregister' && this.claims.has(id)) throw new Refused(`volume in use: ${id}`);
    // A delete asks for no claims.
    if (effect.op === 'volume.delete' && this.disks.delete(volume.ExternalID))
      this.destroyed.push(volume.ExternalID);
    this.volumes.delete(id);
  }

  /** A create that ended before the disk was registered; another call just ends. */
  half(effect: Effect): void {
    if (effect.op === 'volume.create') this.#make(effect.body.Volumes[0]);
  }

  /** Somebody else's doing. */
  put(id: string, externalID: string, name: string, pluginID = 'ebs'): void {
    this.disks.set(externalID, { externalID, name, pluginID });
    this.#store(id, externalID, name, pluginID);
  }

  #create(body: VolumeBody): void {
    const { externalID, name, pluginID } = this.#make(body);
    this.#store(body.ID, externalID, name, pluginID);
  }

  /** The same disk for the same name. */
  #make({ Name: name, PluginID: pluginID }: VolumeBody): Disk {
    if (this.failing.has(pluginID)) throw new Refused(`unable to provision: ${pluginID}`);
    const known = [...this.disks.values()].find((disk) => disk.name === name && disk.pluginID === pluginID);
    const disk = known ?? { externalID: `disk-${++this.#index}`, name, pluginID };
    this.disks.set(disk.externalID, disk);
    return disk;
  }

  #register(body: VolumeBody): void {
    const { ExternalID: externalID = '', Name: name, PluginID: pluginID } = body;
    if (!this.disks.has(externalID)) throw new Refused(`${externalID} could not be found`);
    this.#store(body.ID, externalID, name, pluginID);
  }

  #store(id: string, externalID: string, name: string, pluginID: string): void {
    const before = this.volumes.get(id);
    if (before && before.ExternalID !== externalID) throw new Refused(`${id} cannot be updated`);
    const index = ++this.#index;
    this.volumes.set(id, {
      ID: id,
      Namespace: 'default',
      Name: name,
      ExternalID: externalID,
      PluginID: pluginID,
      CreateIndex: before?.CreateIndex ?? index,
      ModifyIndex: index,
      Schedulable: true,
      RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
      RequestedTopologies: null,
      Topologies: [],
      MountOptions: {},
      Parameters: null,
      Capacity: 10 * gib,
      RequestedCapacityMin: 10 * gib,
      RequestedCapacityMax: 0,
      Context: {},
      Allocations: [],
      ReadAllocs: {},
      WriteAllocs: {},
    });
  }
}

const plugins = ['ebs', 'nfs', 'broken'];
