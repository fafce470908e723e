// What people and tests put into the cluster from outside its API: read strictly (an unknown field is a typo), with
// defaults for all that does not matter. Setting up by HTTP and seeding both go through here.
import { Fields, limits, textMap } from '../decode.ts';
import { wholeUuid } from '../query.ts';
import { addPolicy, addToken } from './acl-additions.ts';
import { addAllocation, placeAllocation } from './allocation-additions.ts';
import { nodeStatuses, pairKey, type NodeRow, type TaskSpec } from './model.ts';
import { addPlugin } from './plugin-additions.ts';
import { create, register } from './registration.ts';
import type { State } from './state.ts';
import type { Row } from './store.ts';
import { tasksIn } from './task-additions.ts';
import { volumeIn } from './volume-spec.ts';

const gibibyte = 1024 ** 3;

/** Adds one thing, or writes it again. @throws Refusal 400 for bad input, 500 where the API itself would refuse */
type Add = (state: State, value: unknown, at: string) => unknown;

const addNamespace: Add = (state, value, at) => {
  const f = new Fields(value, at);
  const Name = f.text('Name');
  f.done();
  return state.store.put(state.namespaces, Name, (indexes) => ({ Name, ...indexes }));
};

const addNode: Add = (state, value, at) => {
  const f = new Fields(value, at);
  const node: Omit<NodeRow, keyof Row> = {
    ID: f.has('ID') ? wholeUuid(f.text('ID'), 'node') : state.uuid(),
    Name: f.text('Name'),
    Datacenter: f.text('Datacenter', 'dc1'),
    Status: f.oneOf('Status', nodeStatuses, 'ready'),
    StatusUpdatedAt: state.seconds(),
    SchedulingEligibility: 'eligible',
    Drain: false,
    Topology: f.textMap('Topology'),
  };
  f.done();
  return state.store.put(state.nodes, node.ID, (indexes) => ({ ...node, ...indexes }));
};

/** Allocations of its groups run at once, and once more each time it is written again. */
const addJob: Add = (state, value, at) => {
  const f = new Fields(value, at);
  const job = {
    ID: f.text('ID'),
    Namespace: f.text('Namespace', 'default'),
    ParentID: f.text('ParentID', ''),
    Type: f.text('Type', 'service'),
    Priority: f.count('Priority', 50),
    Datacenters: f.has('Datacenters') ? f.texts('Datacenters') : ['dc1'],
    Meta: f.textMap('Meta'),
    Payload: f.text('Payload', ''),
    SecretsStoreToken: f.text('SecretsStoreToken', ''),
    Status: f.text('Status', 'running'),
  };
  const groups = f.list('Groups', groupIn);
  f.done();
  const key = pairKey(job.Namespace, job.ID);
  const row = state.store.put(state.jobs, key, (indexes) => ({ ...job, ...indexes }));
  const Allocations = groups.flatMap((group) => spread(state, job, group));
  return { ...row, Allocations };
};

interface Group {
  readonly Name: string;
  readonly Count: number;
  readonly Tasks: readonly TaskSpec[];
}

function groupIn(value: unknown, at: string): Group {
  const f = new Fields(value, at);
  const group = { Name: f.text('Name', 'main'), Count: f.count('Count', 1), Tasks: tasksIn(f) };
  f.done();
  return group;
}

/** Places what runs of a group, on one node after the other. @returns IDs. @throws Refusal 400 */
function spread(
  state: State,
  { ID: JobID, Namespace }: { readonly ID: string; readonly Namespace: string },
  { Name: TaskGroup, Count, Tasks }: Group,
): readonly string[] {
  const nodes = Array.from(state.nodes.from(''), ({ ID }) => ID);
  return Array.from({ length: Math.min(Count, limits.listLength) }, (_, index) => {
    const ID = state.uuid();
    const NodeID = state.nodeID(nodes[index % nodes.length] ?? '', 'Groups');
    const what = { ID, Namespace, JobID, TaskGroup, NodeID, Tasks, Volumes: [], index };
    return placeAllocation(state, { ...what, ClientStatus: 'running' }).ID;
  });
}

/** A disk that was not made through the API, or another state of one. What is left out stays. */
const addDisk: Add = (state, value, at) => {
  const f = new Fields(value, at);
  const [PluginID, ExternalID] = [f.text('PluginID'), f.text('ExternalID')];
  const old = state.provider.disk(PluginID, ExternalID);
  const disk = {
    PluginID,
    ExternalID,
    Name: f.text('Name', old?.Name ?? ''),
    CapacityBytes: f.count('CapacityBytes', old?.CapacityBytes ?? gibibyte),
    Parameters: f.has('Parameters') ? f.textMap('Parameters') : (old?.Parameters ?? {}),
    SnapshotID: old?.SnapshotID ?? '',
    CloneID: old?.CloneID ?? '',
    Topologies: f.has('Topologies') ? f.list('Topologies', textMap) : (old?.Topologies ?? []),
    IsAbnormal: f.flag('IsAbnormal', old?.IsAbnormal ?? false),
    Status: f.text('Status', old?.Status ?? ''),
  };
  f.done();
  return state.provider.put(disk);
};

/** As `addDisk`. */
const addSnapshot: Add = (state, value, at) => {
  const f = new Fields(value, at);
  const [PluginID, ID] = [f.text('PluginID'), f.text('ID')];
  const old = state.snapshots.get(PluginID, ID);
  const snapshot = {
    PluginID,
    ID,
    Name: f.text('Name', old?.Name ?? ''),
    SourceID: f.text('SourceID', old?.SourceID ?? ''),
    SizeBytes: f.count('SizeBytes', old?.SizeBytes ?? gibibyte),
    CreateTime: f.count('CreateTime', old?.CreateTime ?? Math.floor(state.clock.nowMs() / 1000)),
    ReadyAtMs: old?.ReadyAtMs ?? 0,
    IsReady: f.flag('IsReady', old?.IsReady ?? true),
    Parameters: f.has('Parameters') ? f.textMap('Parameters') : (old?.Parameters ?? {}),
    Secrets: old?.Secrets ?? {},
    InUse: f.flag('InUse', old?.InUse ?? false),
  };
  f.done();
  return state.snapshots.put(snapshot);
};

/** As by the API: registered where it has an external ID, created otherwise. */
const addVolume: Add = (state, value, at) => {
  const volume = volumeIn(value, at, state.dialect, 'default');
  if (volume.ExternalID === '') create(state, [volume]);
  else register(state, [volume]);
  return { ID: volume.ID, Namespace: volume.Namespace };
};

/** In the order in which they need each other. */
export const additions = {
  namespaces: addNamespace,
  nodes: addNode,
  plugins: addPlugin,
  jobs: addJob,
  disks: addDisk,
  snapshots: addSnapshot,
  volumes: addVolume,
  allocations: addAllocation,
  policies: addPolicy,
  tokens: addToken,
} as const satisfies Readonly<Record<string, Add>>;
