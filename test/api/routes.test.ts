// Each operation goes where the documents say: a deregistration that came out as a deletion would destroy data.
import { expect, test } from 'vitest';
import type { Call, ReadOp, SchedulerEffect } from '../../src/api/routes.ts';
import { schedulerRoutes as routes, type SchedulerOperations } from '../../src/api/scheduler/routes.ts';
import { client, json, never } from './servers.ts';

const at = { id: 'data', namespace: 'shop' };
const body = { Volumes: [{ ID: 'data', Name: 'n', Namespace: 'shop', PluginID: 'ebs' }] } as const;

const writes: readonly { readonly effect: SchedulerEffect; readonly line: string }[] = [
  {
    effect: { port: 'scheduler', op: 'volume.register', params: at, body },
    line: 'PUT /v1/volume/csi/data?namespace=shop',
  },
  {
    effect: { port: 'scheduler', op: 'volume.create', params: at, body },
    line: 'PUT /v1/volume/csi/data/create?namespace=shop',
  },
  {
    effect: { port: 'scheduler', op: 'volume.deregister', params: at },
    line: 'DELETE /v1/volume/csi/data?namespace=shop',
  },
  {
    effect: { port: 'scheduler', op: 'volume.delete', params: at },
    line: 'DELETE /v1/volume/csi/data/delete?namespace=shop',
  },
  {
    effect: { port: 'scheduler', op: 'volume.detach', params: { ...at, node: 'n1' } },
    line: 'DELETE /v1/volume/csi/data/detach?namespace=shop&node=n1',
  },
  {
    effect: { port: 'scheduler', op: 'allocation.stop', params: { id: 'a1', reschedule: true } },
    line: 'POST /v1/allocation/a1/stop?reschedule=true',
  },
  {
    effect: {
      port: 'scheduler',
      op: 'snapshot.create',
      params: { namespace: 'shop' },
      body: { Snapshots: [{ SourceVolumeID: 'data', Name: 'n' }] },
    },
    line: 'POST /v1/volumes/snapshot?namespace=shop',
  },
  {
    effect: {
      port: 'scheduler',
      op: 'snapshot.delete',
      params: { namespace: 'shop', plugin_id: 'ebs', snapshot_id: 's1' },
    },
    line: 'DELETE /v1/volumes/snapshot?namespace=shop&plugin_id=ebs&snapshot_id=s1',
  },
  {
    effect: {
      port: 'scheduler',
      op: 'allocation.signal',
      params: { id: 'a1', namespace: 'shop' },
      body: { Signal: 'SIGHUP' },
    },
    line: 'POST /v1/client/allocation/a1/signal?namespace=shop',
  },
  {
    effect: { port: 'scheduler', op: 'allocation.restart', params: { id: 'a1' }, body: { Task: 'server' } },
    line: 'POST /v1/client/allocation/a1/restart',
  },
];

const reads: readonly {
  readonly call: Call<Extract<ReadOp, keyof SchedulerOperations>>;
  readonly line: string;
}[] = [
  { call: { op: 'status.leader', params: {} }, line: 'GET /v1/status/leader' },
  { call: { op: 'agent.self', params: {} }, line: 'GET /v1/agent/self' },
  {
    call: { op: 'volume.list', params: { namespace: '*' } },
    line: 'GET /v1/volumes?type=csi&namespace=*',
  },
  { call: { op: 'volume.read', params: at }, line: 'GET /v1/volume/csi/data?namespace=shop' },
  {
    call: { op: 'volume.external', params: { namespace: '*', plugin_id: 'ebs', per_page: 0 } },
    line: 'GET /v1/volumes/external?namespace=*&plugin_id=ebs&per_page=0',
  },
  {
    call: { op: 'snapshot.list', params: { namespace: '*', plugin_id: 'ebs', per_page: 9, next_token: 't' } },
    line: 'GET /v1/volumes/snapshot?namespace=*&plugin_id=ebs&per_page=9&next_token=t',
  },
  { call: { op: 'plugin.list', params: {} }, line: 'GET /v1/plugins?type=csi' },
  { call: { op: 'node.list', params: {} }, line: 'GET /v1/nodes' },
  { call: { op: 'job.list', params: { namespace: '*' } }, line: 'GET /v1/jobs?namespace=*' },
  {
    call: { op: 'allocation.list', params: { namespace: '*', prefix: '3f', task_states: false } },
    line: 'GET /v1/allocations?namespace=*&prefix=3f&task_states=false',
  },
  {
    call: { op: 'allocation.read', params: { id: 'a1', index: 7, wait: 30 } },
    line: 'GET /v1/allocation/a1?index=7&wait=30s',
  },
];

test.for(writes)('$effect.op: $line', async ({ effect, line }) => {
  const { url, seen } = await json({});
  await client([url]).perform(effect, 'CSIVolume/shop/data', never);
  expect(seen.map((one) => `${one.method} ${one.url}`)).toEqual([line]);
});

test.for(reads)('$call.op: $line', async ({ call, line }) => {
  const { url, seen } = await json({});
  await Promise.allSettled([client([url]).read(call.op, call.params, never)]); // whatever it makes of the answer
  expect(seen.map((one) => `${one.method} ${one.url}`)).toEqual([line]);
});

test.for([
  { dialect: 'cluster', sent: { Task: 'server' } },
  { dialect: 'nomad', sent: { Task: 'server', TaskName: 'server' } },
] as const)(
  'in $dialect a restart names its task in the key that is read there: else every task restarts',
  async ({ dialect, sent }) => {
    const { url, seen } = await json({});
    const call = { op: 'allocation.restart', params: { id: 'a1' }, body: { Task: 'server' } } as const;
    await client([url], { dialect }).perform(
      { port: 'scheduler', ...call },
      'LDAPStaticRole/shop/app',
      never,
    );
    expect(seen.map((one): unknown => JSON.parse(one.body))).toEqual([sent]);
  },
);

test('no operation is left out', () => {
  const tried = [...writes.map((one) => one.effect.op), ...reads.map((one) => one.call.op)];
  expect(tried.toSorted()).toEqual(Object.keys(routes).toSorted());
});

test('what reads only is never written with, and the other way round', () => {
  const mutating = Object.entries(routes).filter(([, { mutates }]) => mutates !== false);
  expect(mutating.map(([op]) => op).toSorted()).toEqual(writes.map((one) => one.effect.op).toSorted());
});
