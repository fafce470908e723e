// Every operation of the services as data and types: read by clients, by the embedded services and by plans (types).
import type { Repeat } from '../core/effect.ts';
import type {
  AgentSelf,
  AllocationStub,
  JobStub,
  NodeStub,
  PluginStub,
  VolumeBody,
  VolumeRead,
  VolumeStub,
} from './scheduler/wire.ts';

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `{name}` is a path parameter; every other parameter goes into the query. */
  readonly path: string;
  /** false: reads only. Otherwise what may be done when its answer was lost. */
  readonly mutates: false | Repeat;
  readonly blocking?: true;
  /** Sent with every call. */
  readonly query?: Readonly<Record<string, string>>;
  /** ACL capability as the documents name it. */
  readonly acl: string;
}

type Namespaced = { readonly namespace: string };
type OneVolume = Namespaced & { readonly id: string };
type Volumes = { readonly Volumes: readonly [VolumeBody] };
type Paged = { readonly per_page?: number; readonly next_token?: string };
/** Blocking queries: `index` ≥ 1, `wait` in seconds. */
type Blocking = { readonly index?: number; readonly wait?: number };

/** op → params, body, reply. spec: scheduler-api.md, "Endpoints"; helpers: wire.md 2.6. */
export interface Operations {
  'status.leader': { params: {}; body: undefined; reply: string };
  'agent.self': { params: {}; body: undefined; reply: AgentSelf };
  'volume.list': {
    params: Namespaced & Paged & Blocking & { readonly plugin_id?: string; readonly filter?: string };
    body: undefined;
    reply: readonly VolumeStub[];
  };
  'volume.read': { params: OneVolume & Blocking; body: undefined; reply: VolumeRead };
  'volume.register': { params: OneVolume; body: Volumes; reply: unknown };
  'volume.create': { params: OneVolume; body: Volumes; reply: unknown };
  'volume.deregister': { params: OneVolume & { readonly force?: boolean }; body: undefined; reply: unknown };
  'volume.delete': { params: OneVolume; body: undefined; reply: unknown };
  'volume.detach': { params: OneVolume & { readonly node: string }; body: undefined; reply: unknown };
  'plugin.list': { params: Blocking; body: undefined; reply: readonly PluginStub[] };
  'node.list': { params: {}; body: undefined; reply: readonly NodeStub[] };
  'job.list': { params: Namespaced; body: undefined; reply: readonly JobStub[] };
  'allocation.list': { params: Namespaced & Blocking; body: undefined; reply: readonly AllocationStub[] };
}
export type Op = keyof Operations;

export const routes = {
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
  'volume.register': {
    method: 'PUT',
    path: '/v1/volume/csi/{id}',
    mutates: 'findable',
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
    acl: 'namespace:csi-write-volume',
  },
  'volume.detach': {
    method: 'DELETE',
    path: '/v1/volume/csi/{id}/detach',
    mutates: 'repeatable',
    acl: 'namespace:csi-write-volume',
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
} as const satisfies Record<Op, Route>;

export type ReadOp = { [O in Op]: (typeof routes)[O]['mutates'] extends false ? O : never }[Op];
export type WriteOp = Exclude<Op, ReadOp>;

/** One call as data: what a plan's step holds. */
export type Call<O extends Op = Op> = {
  [P in O]: Operations[P]['body'] extends undefined
    ? { readonly op: P; readonly params: Operations[P]['params'] }
    : { readonly op: P; readonly params: Operations[P]['params']; readonly body: Operations[P]['body'] };
}[O];

/** Effects of steps. */
export type Effect = { readonly port: 'scheduler' } & Call<WriteOp>;

/** An answer with what its headers say. */
export interface Page<T> {
  readonly reply: T;
  /** State index, at least 1: 0 would make a blocking query return at once (wire.md 2.2). */
  readonly index: number;
  /** Token of the next page; absent on the last. */
  readonly nextToken: string | undefined;
}

/** All that observing is given: no mutating operation is in its type. 404 is an answer, `undefined`. */
export interface Reader {
  /** @throws ApiError */
  read<O extends ReadOp>(
    op: O,
    params: Operations[O]['params'],
    signal: AbortSignal,
  ): Promise<Operations[O]['reply'] | undefined>;
  /** As `read`, with index and page token. With `index` and `wait` (seconds) it blocks. @throws ApiError */
  page<O extends ReadOp>(
    op: O,
    params: Operations[O]['params'],
    signal: AbortSignal,
  ): Promise<Page<Operations[O]['reply']> | undefined>;
}
