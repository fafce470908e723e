// The scheduler's operations as data and types. See services.md#the-scheduler.
import type { Secret } from '../../core/secret.ts';
import { probeDeadlineMs } from '../http/request.ts';
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
/** The ID alone names an allocation; a token that is bound to a namespace needs the namespace, too. */
type OneAllocation = Partial<Namespaced> & { readonly id: string };
type Volumes = { readonly Volumes: readonly [VolumeBody] };
type Paged = { readonly per_page?: number; readonly next_token?: string };
type Blocking = {
  /** With an index of at least 1, blocks until the state has passed the index, or for `wait` seconds. */
  readonly index?: number;
  readonly wait?: number;
  /** Any server may answer, even one that lags behind. */
  readonly stale?: true;
};
/** Sent in a header, whose values can't hold commas or line breaks (csi-secrets.ts). */
type WithSecrets = { readonly secrets?: Readonly<Record<string, Secret>> };
/** Lists of a plugin. 0 per page: the plugin's default. Some dialects accept a prefix of the plugin's ID, and block. */
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
        /** Lists the volumes in use on a node. Prefix of the node's ID, with an even number of digits. */
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
        /** Prefix of the ID, with an even number of digits. */
        readonly prefix?: string;
        readonly filter?: string;
        /** true: includes `AllocatedResources`. */
        readonly resources?: boolean;
        readonly task_states?: boolean;
        readonly reverse?: boolean;
      };
    body: undefined;
    reply: readonly AllocationStub[];
  };
  'allocation.read': { params: OneAllocation & Blocking; body: undefined; reply: AllocationRead };
  'allocation.stop': {
    params: OneAllocation & {
      /** Kills tasks without their shutdown delay. */
      readonly no_shutdown_delay?: boolean;
      /** The stop counts as a reschedule: the replacement avoids the node. */
      readonly reschedule?: boolean;
    };
    body: undefined;
    reply: StopReply;
  };
  'allocation.signal': { params: OneAllocation; body: SignalBody; reply: unknown };
  'allocation.restart': { params: OneAllocation; body: RestartBody; reply: unknown };
}
/** Fields of job copies that only the job's tasks should read. */
export const jobSecrets = ['SecretsStoreToken', 'Payload', 'Env', 'Secrets'] as const;

export const schedulerRoutes = {
  'status.leader': {
    method: 'GET',
    path: '/v1/status/leader',
    mutates: false,
    deadlineMs: probeDeadlineMs,
    acl: 'none',
  },
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
  // A second registration stores the same. Mount flags and secrets can't be read back, so an effect can't be confirmed.
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
  // A second create with the same name returns the ID of the existing snapshot. Nothing else links name and ID.
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
  // The effect is visible: the desired status is `stop`, and the allocation names its replacement.
  'allocation.stop': {
    method: 'POST',
    path: '/v1/allocation/{id}/stop',
    mutates: 'findable',
    answers: true,
    acl: 'namespace:alloc-lifecycle',
  },
  // The effect is visible: task events show a signal, `LastRestart` shows a restart.
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
