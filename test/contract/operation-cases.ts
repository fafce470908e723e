// What each operation of the route table needs, and a request of each: whoever lacks just that is denied and nothing
// happens, who has just that passes (the documents' ACL column).
import { expect } from 'vitest';
import type { Allocations } from './allocations.ts';
import type { Bench } from './bench.ts';
import type { Needs } from './rules.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface OperationCase {
  readonly route: string;
  readonly cluster: Needs;
  /** Where the real service differs. */
  readonly nomad?: Needs;
  /** Needs what only the set-up API can make. */
  readonly embedded?: true;
  /** It acts on tasks. */
  readonly job?: true;
  /** To who may not do it the answer is this one, by dialect. Default: 403. */
  readonly refusal?: { readonly nomad: readonly [number, RegExp] };
  /** Status and text of an answer that was not denied. Default: 200. */
  readonly passes?: RegExp;
  request(bench: Bench, of: Allocations): Request | Promise<Request>;
  /** What must stay as it is when the request is denied. */
  unchanged?(bench: Bench, of: Allocations, request: Request): Promise<unknown>;
}

const ns = (...capabilities: readonly string[]) => capabilities.map((one) => `namespace:${one}`);
const listing: Needs = [ns('csi-list-volume', 'csi-read-volume', 'csi-mount-volume', 'list-jobs')];
const writing: Needs = [ns('csi-write-volume'), ['plugin:read']];

const volumes = async (bench: Bench) => (await bench.list('&namespace=*')).text;
const node = async (bench: Bench): Promise<string> => (await bench.client.get('/v1/nodes')).json()[0].ID;
const tasks = async (_: Bench, of: Allocations, { path }: Request) =>
  (await of.read(path.split('/').at(-2) ?? '')).TaskStates;

export const operationCases: readonly OperationCase[] = [
  { route: 'GET /v1/agent/self', cluster: [['agent:read']], request: read('/v1/agent/self') },
  { route: 'GET /v1/nodes', cluster: [['node:read']], request: read('/v1/nodes') },
  {
    route: 'GET /v1/plugins',
    cluster: [['plugin:list', 'plugin:read']],
    request: read('/v1/plugins?type=csi'),
  },
  { route: 'GET /v1/jobs', cluster: [ns('list-jobs')], request: read('/v1/jobs') },
  {
    route: 'GET /v1/volumes',
    cluster: [ns('csi-list-volume')],
    nomad: listing,
    request: read('/v1/volumes?type=csi'),
  },
  {
    route: 'GET /v1/volume/csi/{id}',
    cluster: [ns('csi-read-volume')],
    nomad: [ns('csi-read-volume', 'csi-mount-volume', 'read-job')],
    async request(bench) {
      return { method: 'GET', path: `/v1/volume/csi/${(await bench.created()).ID}` };
    },
  },
  {
    route: 'PUT /v1/volume/csi/{id}',
    cluster: [ns('csi-write-volume')],
    nomad: writing,
    async request(bench) {
      const { ID, ExternalID } = await bench.created();
      await bench.client.delete(`/v1/volume/csi/${ID}`);
      return { method: 'PUT', path: `/v1/volume/csi/${ID}`, body: bench.body({ ID, ExternalID }) };
    },
    unchanged: volumes,
  },
  {
    route: 'PUT /v1/volume/csi/{id}/create',
    cluster: [ns('csi-write-volume')],
    nomad: writing,
    request(bench) {
      const ID = bench.fresh('v');
      return { method: 'PUT', path: `/v1/volume/csi/${ID}/create`, body: bench.body({ ID, Name: ID }) };
    },
    unchanged: volumes,
  },
  {
    route: 'DELETE /v1/volume/csi/{id}',
    cluster: [ns('csi-write-volume')],
    request: async (bench) => ({ method: 'DELETE', path: `/v1/volume/csi/${(await bench.created()).ID}` }),
    unchanged: volumes,
  },
  {
    route: 'DELETE /v1/volume/csi/{id}/delete',
    cluster: [ns('csi-write-volume')],
    nomad: writing,
    async request(bench) {
      return { method: 'DELETE', path: `/v1/volume/csi/${(await bench.created()).ID}/delete` };
    },
    unchanged: volumes,
  },
  {
    route: 'DELETE /v1/volume/csi/{id}/detach',
    cluster: [ns('csi-write-volume')],
    nomad: [ns('csi-mount-volume'), ['plugin:read']],
    passes: /^(200 |500 Unknown allocation)/, // real servers want a claim there
    async request(bench) {
      const { ID } = await bench.created();
      return { method: 'DELETE', path: `/v1/volume/csi/${ID}/detach?node=${await node(bench)}` };
    },
    unchanged: volumes,
  },
  {
    route: 'GET /v1/volumes/external',
    cluster: [ns('csi-write-volume')],
    nomad: listing,
    request: (bench) => ({
      method: 'GET',
      path: `/v1/volumes/external?plugin_id=${bench.target.plugin}&per_page=1`,
    }),
  },
  {
    route: 'GET /v1/volumes/snapshot',
    cluster: [ns('csi-list-volume')],
    nomad: listing,
    request: (bench) => ({
      method: 'GET',
      path: `/v1/volumes/snapshot?plugin_id=${bench.target.plugin}&per_page=1`,
    }),
  },
  {
    route: 'POST /v1/volumes/snapshot',
    cluster: [ns('csi-write-volume')],
    nomad: writing,
    async request(bench) {
      const one = { SourceVolumeID: (await bench.created()).ID, Name: bench.fresh('snapshot') };
      return { method: 'POST', path: '/v1/volumes/snapshot', body: { Snapshots: [one] } };
    },
    unchanged: snapshots,
  },
  {
    route: 'DELETE /v1/volumes/snapshot',
    cluster: [ns('csi-write-volume')],
    nomad: writing,
    async request(bench) {
      const one = { SourceVolumeID: (await bench.created()).ID, Name: bench.fresh('snapshot') };
      const made = await bench.client.post('/v1/volumes/snapshot', { Snapshots: [one] });
      const query = `plugin_id=${bench.target.plugin}&snapshot_id=${made.json().Snapshots[0].ID}`;
      return { method: 'DELETE', path: `/v1/volumes/snapshot?${query}` };
    },
    unchanged: snapshots,
  },
  { route: 'GET /v1/allocations', cluster: [ns('read-job')], request: read('/v1/allocations') },
  {
    route: 'GET /v1/allocation/{id}',
    cluster: [ns('read-job')],
    job: true,
    refusal: { nomad: [500, /^Unknown allocation "[0-9a-f-]{36}"$/] },
    request: async (_, of) => ({ method: 'GET', path: `/v1/allocation/${(await of.running()).id}` }),
  },
  {
    route: 'POST /v1/client/allocation/{id}/signal',
    cluster: [ns('alloc-lifecycle')],
    job: true,
    request: async (_, of) => act(await of.running(), 'signal'),
    unchanged: tasks,
  },
  {
    route: 'POST /v1/client/allocation/{id}/restart',
    cluster: [ns('alloc-lifecycle')],
    job: true,
    request: async (_, of) => act(await of.running(), 'restart'),
    unchanged: tasks,
  },
  {
    route: 'POST /v1/allocation/{id}/stop',
    cluster: [ns('alloc-lifecycle')],
    embedded: true,
    request: async (_, of) => ({ method: 'POST', path: `/v1/allocation/${await of.place()}/stop` }),
    unchanged: async (_, of, { path }) => of.read(path.split('/').at(-2) ?? ''),
  },
];

/** Judged elsewhere: who may is told at another place, or nobody is asked. */
export const judgedElsewhere: readonly string[] = [
  'GET /v1/status/leader',
  'GET /v1/event/stream',
  'GET /v1/client/allocation/{id}/exec',
];

function read(path: string): () => Request {
  return () => ({ method: 'GET', path });
}

function act(
  { id, task }: { readonly id: string; readonly task: string },
  what: 'signal' | 'restart',
): Request {
  const body = what === 'signal' ? { Signal: 'SIGHUP', Task: task } : { Task: task, TaskName: task };
  return { method: 'POST', path: `/v1/client/allocation/${id}/${what}`, body };
}

async function snapshots(bench: Bench): Promise<unknown> {
  const path = `/v1/volumes/snapshot?plugin_id=${bench.target.plugin}&per_page=1000`;
  const answer = await bench.client.get(path);
  expect(answer.status).toBe(200);
  return answer.json().Snapshots;
}
