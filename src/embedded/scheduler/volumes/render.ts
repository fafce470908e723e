// Volumes as the API shows them: the stored row joined with the plugin's health, without secrets
// (services.md#volume-reads).
import { lower } from '../../../api/dialects.ts';
import type { Sealed } from '../../../core/secret.ts';
import { allocationStub } from '../allocations/render.ts';
import { claimants, pairKey, type Claims, type PluginRow, type VolumeRow } from '../store/model.ts';
import type { State } from '../state.ts';

/** A plugin's health, as lists of plugins and volumes show it. */
export const healthOf = (plugin: PluginRow | undefined) => ({
  ControllerRequired: (plugin?.Controllers.length ?? 0) > 0,
  ControllersHealthy: plugin?.ControllersHealthy ?? 0,
  ControllersExpected: plugin?.Controllers.length ?? 0,
  NodesHealthy: plugin?.NodesHealthy ?? 0,
  NodesExpected: plugin?.Nodes.length ?? 0,
});

/** The plugin's health is joined at each read and moves no index (services.md#blocking-queries). */
function joined(state: State, volume: VolumeRow, plugin: PluginRow | undefined) {
  const health = healthOf(plugin);
  const { ControllerRequired, ControllersHealthy, NodesHealthy } = health;
  return {
    ID: volume.ID,
    ExternalID: volume.ExternalID,
    Namespace: volume.Namespace,
    Name: volume.Name,
    ...shaped(state, { Topologies: volume.Topologies }),
    AccessMode: volume.AccessMode,
    AttachmentMode: volume.AttachmentMode,
    Schedulable: NodesHealthy > 0 && (!ControllerRequired || ControllersHealthy > 0),
    PluginID: volume.PluginID,
    Provider: plugin?.Provider ?? volume.Provider,
    ...health,
    ResourceExhausted: state.dialect.resourceExhausted,
    CreateIndex: volume.CreateIndex,
    ModifyIndex: volume.ModifyIndex,
    CreateTime: state.behaviour.timesVolumes ? volume.CreateTime : 0,
    ModifyTime: state.behaviour.timesVolumes ? volume.ModifyTime : 0,
  };
}

export const volumeStub = (state: State, volume: VolumeRow) => ({
  ...joined(state, volume, state.plugins.get(volume.PluginID)),
  ...claimsOn(volume),
});

const claimsOn = ({ ReadAllocs, WriteAllocs }: VolumeRow) => ({
  CurrentReaders: Object.keys(ReadAllocs).length,
  CurrentWriters: Object.keys(WriteAllocs).length,
});

export const volumeRead = (state: State, volume: VolumeRow) =>
  volumeWith(state, volume, state.plugins.get(volume.PluginID));

/** @param plugin its health is joined; `undefined`: all counts are 0 */
export function volumeWith(state: State, volume: VolumeRow, plugin: PluginRow | undefined) {
  const { MountOptions } = volume;
  const allocations = claimants(volume).flatMap((id) => state.allocations.get(id) ?? []);
  return {
    ...joined(state, volume, plugin),
    ...(state.behaviour.countsClaimsInReads && claimsOn(volume)),
    ...shaped(state, {
      Version: plugin?.Version ?? volume.Version,
      RequestedTopologies: volume.RequestedTopologies,
      MountOptions: { ...MountOptions, MountFlags: MountOptions.MountFlags && ['[REDACTED]'] },
    }),
    RequestedCapabilities: volume.RequestedCapabilities,
    Secrets: null,
    Parameters: volume.Parameters,
    Context: volume.Context,
    Capacity: volume.Capacity,
    RequestedCapacityMin: volume.RequestedCapacityMin,
    RequestedCapacityMax: volume.RequestedCapacityMax,
    CloneID: volume.CloneID,
    SnapshotID: volume.SnapshotID,
    Allocations: allocations.map((one) => allocationStub(state, one)),
    ReadAllocs: idsOnly(volume.ReadAllocs),
    WriteAllocs: idsOnly(volume.WriteAllocs),
  };
}

/** A volume in the answer of register and create. @param before the registration before the request */
export function volumeWritten(state: State, volume: VolumeRow, before: VolumeRow | undefined) {
  const read = volumeRead(state, volume);
  if (!state.behaviour.answersEarly) return read;
  if (before) return { ...read, ModifyIndex: before.ModifyIndex };
  const unjoined = { ...healthOf(undefined), Schedulable: false, CreateIndex: 0, ModifyIndex: 0 };
  return { ...read, ...unjoined };
}

/** For the fields that dialects name or shape differently. To walk all fields would be most of a read's cost. */
function shaped(state: State, fields: Readonly<Record<string, Sealed>>): object {
  const lowered = lower(state.dialect, fields);
  return typeof lowered === 'object' && lowered !== null ? lowered : {};
}

const idsOnly = (claims: Claims): Readonly<Record<string, null>> =>
  Object.fromEntries(Object.keys(claims).map((id) => [id, null]));

export const volumeAt = (state: State, namespace: string, id: string): VolumeRow | undefined =>
  state.volumes.get(pairKey(namespace, id));
