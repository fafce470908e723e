// The scheduler's operations as data and types. spec: scheduler-api.md, "Endpoints"; further ones: wire.md 2.6.
import type { Secret } from '../../core/secret.ts';
import type { Route } from '../route.ts';
import type {
  AgentSelf,
  AllocationRead,
  AllocationStub,
  CreatedSnapshot,
  ExternalVolume,
  JobStub,
  NodeStub,
  PluginStub,
  RestartBody,
  SignalBody,
  SnapshotBody,
  SnapshotStub,
  StopReply,
  VolumeBody,
  VolumeRead,
  VolumeStub,
} from './wire.ts';

type Namespaced = { readonly namespace: string };
type OneVolume = Namespaced & { readonly id: string };
/** An allocation is found by its ID alone; the namespace lets a token that is bound to it pass. */
type OneAllocation = Partial<Namespaced> & { readonly id: string };
type Volumes = { readonly Volumes: readonly [VolumeBody] };
type Paged = { readonly per_page?: number; readonly next_token?: string };
type Blocking = {
  /** With an index, which is at least 1, it waits until the state has passed that, or for so many seconds. */
  readonly index?: number;
  readonly wait?: number;
  /** Any server may answer, one that lags too. */
  readonly stale?: true;
};
/** Sent in a header, where a value can hold no comma and no line break. */
type WithSecrets = { readonly secrets?: Readonly<Record<string, Secret>> };
/** What a plugin lists; 0 per page: as many as it likes. Some dialects take the beginning of its ID, and block. */
type OfPlugin = Namespaced &
  Blocking & {
    readonly plugin_id: string;
    readonly per_page: number;
    readonly next_token?: string;
  };

export interface SchedulerOperations {
  'status.leader': { params: {}; body: undefined; reply: string };
  'agent.self': { params: {}; body: undefined; reply: AgentSelf };
  'volume.list': {
    params: Namespaced &
      Paged &
      Blocking & {
        readonly plugin_id?: string;
        /** The beginning of a node's ID, an even number of digits: what allocations there use. */
        readonly node_id?: string;
        readonly filter?: string;
      };
    body: undefined;
    reply: readonly VolumeStub[];
  };
  'volume.read': { params: OneVolume & Blocking; body: undefined; reply: VolumeRead };
  'volume.register': { params: OneVolume; body: Volumes; reply: unknown };
  'volume.create': { params: OneVolume; body: Volumes; reply: unknown };
  'volume.deregister': { params: OneVolume & { readonly force?: boolean }; body: undefined; reply: unknown };
  'volume.delete': { params: OneVolume & WithSecrets; body: undefined; reply: unknown };
  'volume.detach': { params: OneVolume & { readonly node: string }; body: undefined; reply: unknown };
  'volume.external': {
    params: OfPlugin;
    body: undefined;
    reply: { readonly Volumes?: readonly ExternalVolume[] | null };
  };
  'snapshot.create': {
    params: Namespaced;
    body: { readonly Snapshots: readonly [SnapshotBody] };
    reply: { readonly Snapshots?: readonly CreatedSnapshot[] | null };
  };
  'snapshot.delete': {
    params: Namespaced & WithSecrets & { readonly plugin_id: string; readonly snapshot_id: string };
    body: undefined;
    reply: unknown;
  };
  'snapshot.list': {
    params: OfPlugin & WithSecrets;
    body: undefined;
    reply: { readonly Snapshots?: readonly SnapshotStub[] | null };
  };
  'plugin.list': { params: Blocking; body: undefined; reply: readonly PluginStub[] };
  'node.list': { params: {}; body: undefined; reply: readonly NodeStub[] };
  'job.list': { params: Namespaced; body: undefined; reply: readonly JobStub[] };
  'allocation.list': {
    params: Namespaced &
      Paged &
      Blocking & {
        /** Digits of the ID, an even number of them. */
        readonly prefix?: string;
        readonly filter?: string;
        /** true: with `AllocatedResources`. */
        readonly resources?: boolean;
        /** false: leaves `TaskStates` out. */
        readonly task_states?: boolean;
        /** Newest first. */
        readonly reverse?: boolean;
      };
    body: undefined;
    reply: readonly AllocationStub[];
  };
  'allocation.read': { params: OneAllocation & Blocking; body: undefined; reply: AllocationRead };
  'allocation.stop': {
    params: OneAllocation & {
      /** Its tasks are killed without the delay that they ask for. */
      readonly no_shutdown_delay?: boolean;
      /** Counts as an attempt to reschedule: the replacement avoids the node. */
      readonly reschedule?: boolean;
    };
    body: undefined;
    reply: StopReply;
  };
  'allocation.signal': { params: OneAllocation; body: SignalBody; reply: unknown };
  'allocation.restart': { params: OneAllocation; body: RestartBody; reply: unknown };
}
/** What copies of jobs hold that nobody but their tasks is to read. */
export const jobSecrets = ['SecretsStoreToken', 'Payload', 'Env', 'Secrets'] as const;

export const schedulerRoutes = {
  'status.leader': { method: 'GET', path: '/v1/status/leader', mutates: false, acl: 'none' },
  'agent.self': { method: 'GET', path: '/v1/agent/self', mutates: false, acl: 'agent:read' },
  'volume.list': {
    method: 'GET',
    path: '/v1/volumes',
    mutates: false,
    blocking: true,
    query: { type: 'csi' },
    acl: 'namespace:csi-list-volume',
  },
  'volume.read': {
    method: 'GET',
    path: '/v1/volume/csi/{id}',
    mutates: false,
    blocking: true,
    acl: 'namespace:csi-read-volume',
  },
  // Sent again it registers the same. Mount flags and secrets can't be read back, so whether it happened can't be told.
  'volume.register': {
    method: 'PUT',
    path: '/v1/volume/csi/{id}',
    mutates: 'repeatable',
    acl: 'namespace:csi-write-volume',
  },
  'volume.create': {
    method: 'PUT',
    path: '/v1/volume/csi/{id}/create',
    mutates: 'findable',
    acl: 'namespace:csi-write-volume',
  },
  'volume.deregister': {
    method: 'DELETE',
    path: '/v1/volume/csi/{id}',
    mutates: 'findable',
    acl: 'namespace:csi-write-volume',
  },
  'volume.delete': {
    method: 'DELETE',
    path: '/v1/volume/csi/{id}/delete',
    mutates: 'findable',
    holdsSecrets: true,
    acl: 'namespace:csi-write-volume',
  },
  'volume.detach': {
    method: 'DELETE',
    path: '/v1/volume/csi/{id}/detach',
    mutates: 'repeatable',
    acl: 'namespace:csi-write-volume',
  },
  'volume.external': {
    method: 'GET',
    path: '/v1/volumes/external',
    mutates: false,
    blocking: true,
    acl: 'namespace:csi-write-volume',
  },
  // Sent again under the same name it finds what it made, and tells its ID: nothing else ties the two together.
  'snapshot.create': {
    method: 'POST',
    path: '/v1/volumes/snapshot',
    mutates: 'repeatable',
    answers: true,
    acl: 'namespace:csi-write-volume',
  },
  'snapshot.delete': {
    method: 'DELETE',
    path: '/v1/volumes/snapshot',
    mutates: 'repeatable',
    acl: 'namespace:csi-write-volume',
  },
  'snapshot.list': {
    method: 'GET',
    path: '/v1/volumes/snapshot',
    mutates: false,
    blocking: true,
    acl: 'namespace:csi-list-volume',
  },
  'plugin.list': {
    method: 'GET',
    path: '/v1/plugins',
    mutates: false,
    blocking: true,
    query: { type: 'csi' },
    acl: 'plugin:list',
  },
  'node.list': { method: 'GET', path: '/v1/nodes', mutates: false, acl: 'node:read' },
  'job.list': { method: 'GET', path: '/v1/jobs', mutates: false, acl: 'namespace:list-jobs' },
  'allocation.list': {
    method: 'GET',
    path: '/v1/allocations',
    mutates: false,
    blocking: true,
    acl: 'namespace:read-job',
  },
  'allocation.read': {
    method: 'GET',
    path: '/v1/allocation/{id}',
    mutates: false,
    blocking: true,
    secret: jobSecrets,
    acl: 'namespace:read-job',
  },
  // Findable: it is no longer desired to run, and names its replacement.
  'allocation.stop': {
    method: 'POST',
    path: '/v1/allocation/{id}/stop',
    mutates: 'findable',
    answers: true,
    acl: 'namespace:alloc-lifecycle',
  },
  // Findable: the tasks' events tell of a signal, `LastRestart` of a restart.
  'allocation.signal': {
    method: 'POST',
    path: '/v1/client/allocation/{id}/signal',
    mutates: 'findable',
    acl: 'namespace:alloc-lifecycle',
  },
  'allocation.restart': {
    method: 'POST',
    path: '/v1/client/allocation/{id}/restart',
    mutates: 'findable',
    acl: 'namespace:alloc-lifecycle',
  },
} as const satisfies Record<keyof SchedulerOperations, Route>;
