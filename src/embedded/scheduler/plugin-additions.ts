// Putting plugins into the cluster and changing them, their health above all.
import { Fields } from '../decode.ts';
import { Refusal } from '../http.ts';
import { controllerFlags, type ControllerCapability, type PluginRow } from './model.ts';
import type { State } from './state.ts';

export function addPlugin(state: State, value: unknown, at: string): PluginRow {
  const f = new Fields(value, at);
  return put(state, f, f.text('ID'), undefined);
}

/** What is left out stays. @throws Refusal 404 */
export function changePlugin(state: State, value: unknown, id: string): PluginRow {
  const old = state.plugins.get(id);
  if (!old) throw new Refusal(404, `no plugin ${id}`);
  return put(state, new Fields(value, ''), id, old);
}

/** Unless said otherwise all nodes run it, and the first one runs a controller if there is anything it can do. */
function put(state: State, f: Fields, ID: string, old: PluginRow | undefined): PluginRow {
  const all = Array.from(state.nodes.from(''), (node) => node.ID);
  const Capabilities = f.has('Capabilities')
    ? f.list('Capabilities', capabilityIn)
    : (old?.Capabilities ?? []);
  const Nodes = nodesIn(state, f, 'Nodes') ?? old?.Nodes ?? all;
  const Controllers =
    nodesIn(state, f, 'Controllers') ?? old?.Controllers ?? (Capabilities.length > 0 ? all.slice(0, 1) : []);
  const healthy = (name: string, of: number, before = of): number => {
    const said = f.has('Healthy') ? (f.flag('Healthy', true) ? of : 0) : before;
    return Math.min(f.count(name, said), of);
  };
  const plugin = {
    ID,
    Capabilities,
    Nodes,
    Controllers,
    Provider: f.text('Provider', old?.Provider ?? ID),
    Version: f.text('Version', old?.Version ?? '1.0.0'),
    ControllersHealthy: healthy('ControllersHealthy', Controllers.length, old?.ControllersHealthy),
    NodesHealthy: healthy('NodesHealthy', Nodes.length, old?.NodesHealthy),
    RequiresTopologies: f.flag('RequiresTopologies', old?.RequiresTopologies ?? false),
    RequiredSecrets: f.has('RequiredSecrets') ? f.texts('RequiredSecrets') : (old?.RequiredSecrets ?? []),
    FailsWith: f.text('FailsWith', old?.FailsWith ?? ''),
    SnapshotCutMs: f.count('SnapshotCutMs', old?.SnapshotCutMs ?? 0),
    SnapshotReadyMs: f.count('SnapshotReadyMs', old?.SnapshotReadyMs ?? 3_000),
    DeletesInUse: f.flag('DeletesInUse', old?.DeletesInUse ?? false),
    PageMax: f.count('PageMax', old?.PageMax ?? 500),
  };
  f.done();
  return state.store.put(state.plugins, ID, (indexes) => ({ ...plugin, ...indexes }));
}

function capabilityIn(value: unknown, at: string): ControllerCapability {
  if (isCapability(value)) return value;
  throw new Refusal(400, `${at}: expected one of ${Object.keys(controllerFlags).join(', ')}`);
}

const isCapability = (value: unknown): value is ControllerCapability =>
  typeof value === 'string' && Object.hasOwn(controllerFlags, value);

/** Nodes by name or ID, as IDs. */
const nodesIn = (state: State, f: Fields, name: string): readonly string[] | undefined =>
  f.has(name) ? f.texts(name).map((one) => state.nodeID(one, f.place(name))) : undefined;
