// Registers and creates volumes (services.md#register-and-create). A create makes the disk first: if the process is
// killed before the registration, the disk remains, and the next create of that name finds it.
import { Refusal, json, empty, type Incoming, type Reply } from '../../http/server.ts';
import { meta } from '../http/blocking.ts';
import { namespaceOf } from '../http/endpoints.ts';
import { merge } from './merge.ts';
import { pairKey, type PluginRow, type VolumeRow, type VolumeSpec } from '../store/model.ts';
import type { State } from '../state.ts';
import { humanBytes, multiError } from '../../http/error-texts.ts';
import { validate, volumesIn } from './spec.ts';
import { volumeAt, volumeWritten } from './render.ts';

/** A volume without the fields that storing adds. */
type Unstored = Omit<VolumeRow, 'CreateIndex' | 'ModifyIndex' | 'CreateTime' | 'ModifyTime'>;

/** Like Nomad, ignores the ID in the path and uses the body's. */
export function registerVolumes(state: State, request: Incoming): Reply {
  const specs = volumesIn(request.json(), state, namespaceOf(request.query));
  const before = registeredNow(state, specs);
  const index = register(state, specs);
  if (!state.dialect.capabilities.registerReturnsBody) return empty(meta(state, index));
  return shown(state, specs, before, index);
}

export function createVolumes(state: State, request: Incoming): Reply {
  const specs = volumesIn(request.json(), state, namespaceOf(request.query));
  const before = registeredNow(state, specs);
  return shown(state, specs, before, create(state, specs));
}

const registeredNow = (state: State, specs: readonly VolumeSpec[]): readonly (VolumeRow | undefined)[] =>
  specs.map((spec) => volumeAt(state, spec.Namespace, spec.ID));

function shown(
  state: State,
  specs: readonly VolumeSpec[],
  before: readonly (VolumeRow | undefined)[],
  index: number,
): Reply {
  const Volumes = specs.flatMap((spec, i) => {
    const volume = volumeAt(state, spec.Namespace, spec.ID);
    return volume ? [volumeWritten(state, volume, before[i])] : [];
  });
  const rest = { Warnings: '', Index: index, LastContact: 0, KnownLeader: true, NextToken: '' };
  return json({ Volumes, ...rest }, meta(state, index));
}

/** @returns index of the write. @throws Refusal; then no volume was registered */
export function register(state: State, specs: readonly VolumeSpec[]): number {
  const volumes = specs.map((spec): Unstored => {
    validate(spec);
    const old = registered(state, spec);
    const plugin = healthyPlugin(state, spec);
    const volume = old ? updateOrThrow(state, plugin, old, spec) : newVolume(plugin, spec);
    if (plugin.Controllers.length > 0) state.provider.validate(plugin, volume);
    return volume;
  });
  return store(state, volumes);
}

/**
 * @returns index of the write. @throws Refusal 500. If a check fails, no volume is made. If the provider fails for one
 * volume, the others are still made and registered.
 */
export function create(state: State, specs: readonly VolumeSpec[]): number {
  const checked = specs.map((spec) => {
    validate(spec);
    const plugin = healthyPlugin(state, spec);
    if (plugin.Controllers.length === 0) throw new Refusal(500, 'plugin has no controller');
    if (!plugin.Capabilities.includes('CREATE_DELETE_VOLUME')) {
      throw new Refusal(500, 'plugin does not support creating volumes');
    }
    return { spec, plugin, old: registered(state, spec) };
  });
  const volumes: Unstored[] = [];
  const problems: string[] = [];
  const noting = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push(error.message);
    }
  };
  for (const { spec, plugin, old } of checked) {
    noting(() => volumes.push(old ? update(state, plugin, old, spec) : make(state, plugin, spec)));
  }
  let { index } = state.store;
  noting(() => {
    if (volumes.length > 0) index = store(state, volumes);
  });
  if (problems.length > 0) throw new Refusal(500, multiError(problems));
  return index;
}

/** The current registration. @throws Refusal 500 if it exists and the dialect has no update */
function registered(state: State, spec: VolumeSpec): VolumeRow | undefined {
  const old = volumeAt(state, spec.Namespace, spec.ID);
  if (!old || state.dialect.capabilities.upsert) return old;
  throw new Refusal(500, `volume already registered: ${spec.ID}`);
}

function healthyPlugin(state: State, spec: VolumeSpec): PluginRow {
  const plugin = state.plugins.get(spec.PluginID);
  if (!plugin) throw new Refusal(500, `no CSI plugin named: ${spec.PluginID} could be found`);
  if (plugin.Controllers.length > 0 && plugin.ControllersHealthy < 1) {
    throw new Refusal(500, `no healthy controllers for CSI plugin: ${spec.PluginID}`);
  }
  return plugin;
}

function newVolume(plugin: PluginRow, spec: VolumeSpec): Unstored {
  const { RequestedTopologies: requested, Topologies: topologies } = spec;
  return {
    ...spec,
    Topologies: topologies.length > 0 ? topologies : (requested?.Required ?? []),
    MountOptions: spec.MountOptions ?? { FsType: '', MountFlags: null },
    Capacity: 0,
    Provider: plugin.Provider,
    Version: plugin.Version,
    AccessMode: '',
    AttachmentMode: '',
    ReadAllocs: {},
    WriteAllocs: {},
  };
}

function make(state: State, plugin: PluginRow, spec: VolumeSpec): Unstored {
  const asked = state.behaviour.topologiesAreRequests ? spec.Topologies : [];
  const requested =
    spec.RequestedTopologies ?? (asked.length > 0 ? { Required: asked, Preferred: [] } : null);
  const { disk, made } = state.provider.create(plugin, spec, requested);
  if (made) state.effected();
  return {
    ...newVolume(plugin, { ...spec, RequestedTopologies: requested }),
    ExternalID: disk.ExternalID,
    Capacity: disk.CapacityBytes,
    Topologies: disk.Topologies,
  };
}

function updateOrThrow(state: State, plugin: PluginRow, old: VolumeRow, spec: VolumeSpec): Unstored {
  try {
    return update(state, plugin, old, spec);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.status, `unable to update volume: ${error.message}`);
  }
}

function update(state: State, plugin: PluginRow, old: VolumeRow, spec: VolumeSpec): Unstored {
  const { volume, errors } = merge(old, spec);
  if (errors.length > 0) throw new Refusal(500, multiError(errors));
  return resize(state, plugin, { ...volume, Provider: plugin.Provider, Version: plugin.Version }, spec);
}

/** Expands the disk if more is requested, and never shrinks it. @throws Refusal 500 */
function resize(state: State, plugin: PluginRow, volume: VolumeRow, spec: VolumeSpec): Unstored {
  const { RequestedCapacityMin: min, RequestedCapacityMax: max } = spec;
  const unsaid = min === 0 && max === 0;
  if (unsaid || (min === volume.RequestedCapacityMin && max === volume.RequestedCapacityMax)) return volume;
  const tooSmall = (what: string, bytes: number) =>
    new Refusal(
      500,
      `max requested capacity (${humanBytes(max)}) less than or equal to ${what} (${humanBytes(bytes)})`,
    );
  if (max > 0 && max < min) throw tooSmall('min', min);
  if (max > 0 && max < volume.Capacity) throw tooSmall('current', volume.Capacity);
  const asked = { ...volume, RequestedCapacityMin: min, RequestedCapacityMax: max };
  if (min <= volume.Capacity) return asked;
  if (!plugin.Capabilities.includes('EXPAND_VOLUME')) {
    throw new Refusal(500, 'expand is not implemented by this controller plugin');
  }
  try {
    return { ...asked, Capacity: state.provider.expand(plugin, volume, spec) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(500, `unable to expand volume: ${error.message}`);
  }
}

/** Stores all volumes in one commit. @throws Refusal 500 for a missing namespace or two disks under one ID, which Nomad also checks last */
function store(state: State, volumes: readonly Unstored[]): number {
  const disks = new Map<string, string>();
  for (const { ID, Namespace, ExternalID } of volumes) {
    if (!state.namespaces.get(Namespace))
      throw new Refusal(500, `volume ${ID} is in nonexistent namespace ${Namespace}`);
    const at = pairKey(Namespace, ID);
    if ((disks.get(at) ?? ExternalID) !== ExternalID)
      throw new Refusal(500, `volume identity cannot be updated: ${ID}`);
    disks.set(at, ExternalID);
  }
  const now = state.now();
  const index = state.store.commit((ModifyIndex) =>
    volumes.map((volume) => {
      const old = volumeAt(state, volume.Namespace, volume.ID);
      const { CreateIndex, CreateTime } = old ?? { CreateIndex: ModifyIndex, CreateTime: now };
      const row = { ...volume, CreateIndex, ModifyIndex, CreateTime, ModifyTime: now };
      if (!old || !sameContent(old, row)) state.effected();
      return state.volumes.put(pairKey(volume.Namespace, volume.ID), row);
    }),
  );
  return index;
}

/** A write of the same content is not counted as an effect. */
const sameContent = (a: VolumeRow, b: VolumeRow): boolean => contentOf(a) === contentOf(b);

const contentOf = (volume: VolumeRow): string => JSON.stringify({ ...volume, ModifyIndex: 0, ModifyTime: 0 });
