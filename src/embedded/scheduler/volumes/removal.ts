// Deregisters, deletes and detaches volumes (services.md#deregister, services.md#delete, services.md#detach), always in
// the namespace of the query.
import { Refusal, empty, type Incoming, type Reply } from '../../http/server.ts';
import { parseBoolean, wholeUuid } from '../../http/query.ts';
import { meta } from '../http/blocking.ts';
import { endedClaimants, forcedClaimants, release } from './claims.ts';
import { sentSecrets } from './csi-secrets.ts';
import { namespaceOf } from '../http/endpoints.ts';
import { claimants, pairKey, type PluginRow, type VolumeRow } from '../store/model.ts';
import type { State } from '../state.ts';
import { quoted } from '../../http/error-texts.ts';
import { volumeAt } from './render.ts';

/** Deletes the registration and keeps the disk. */
export function deregisterVolume(state: State, request: Incoming): Reply {
  const force = parseBoolean(request.query.get('force') || 'false');
  if (force === undefined) throw new Refusal(400, 'invalid force value');
  const volume = volumeOf(state, request);
  return empty(meta(state, deregister(state, volume, force)));
}

/** Nomad deletes at the provider first and checks claims afterwards. */
export function deleteVolume(state: State, request: Incoming): Reply {
  const volume = volumeOf(state, request);
  if (state.behaviour.checksClaimsFirst && claimants(volume).length > 0) throw inUse(volume);
  const plugin = pluginOf(state, volume);
  const secrets = { ...volume.Secrets, ...sentSecrets(state, request) };
  if (state.provider.remove(plugin, volume.ExternalID, secrets)) state.effected();
  return empty(meta(state, deregister(state, volume, false)));
}

/** Releases the claims of ended allocations on one node. */
export function detachVolume(state: State, request: Incoming): Reply {
  const { id = '' } = request.params;
  const node = request.query.get('node') ?? '';
  if (node === '') throw new Refusal(400, 'detach requires node ID');
  const volume = volumeAt(state, namespaceOf(request.query), id);
  if (!volume) throw new Refusal(500, 'no such volume');
  if (!state.behaviour.detaches) throw new Refusal(500, 'Unknown allocation');
  const nodeID = wholeUuid(node, 'node lookup failed', state.behaviour.malformed);
  const ended = endedClaimants(state, volume, nodeID);
  const onNode = Object.values({ ...volume.ReadAllocs, ...volume.WriteAllocs }).filter(
    (c) => c.NodeID === nodeID,
  );
  if (onNode.length > ended.length) throw new Refusal(500, `volume in use: ${id}`);
  release(state, volume, ended);
  return empty(meta(state, state.store.index));
}

/** @throws Refusal 500 for a missing volume, for which a read answers 404 */
function volumeOf(state: State, request: Incoming): VolumeRow {
  const { id = '' } = request.params;
  const volume = volumeAt(state, namespaceOf(request.query), id);
  if (!volume) throw new Refusal(500, `volume not found: ${id}`);
  return volume;
}

function pluginOf(state: State, { PluginID, ID }: VolumeRow): PluginRow {
  const plugin = state.plugins.get(PluginID);
  if (!plugin) throw new Refusal(500, `plugin not found: ${PluginID}`);
  if (plugin.Controllers.length > 0) return plugin;
  throw new Refusal(500, `plugin ${quoted(PluginID)} for volume ${quoted(ID)} not found`);
}

const inUse = ({ ID }: VolumeRow): Refusal => new Refusal(500, `volume in use: ${ID}`);

/** @throws Refusal 500 while there are claims; with `force`, claims of `forcedClaimants` don't count */
function deregister(state: State, volume: VolumeRow, force: boolean): number {
  const ended = force ? forcedClaimants(state, volume) : [];
  if (claimants(volume).length > ended.length) throw inUse(volume);
  release(state, volume, ended);
  const index = state.store.commit(() => [state.volumes.drop(pairKey(volume.Namespace, volume.ID))]);
  state.effected();
  return index;
}
