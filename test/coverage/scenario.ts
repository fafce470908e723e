// A day on an embedded scheduler that speaks as the documents do, seen through the client: one of each reply. Its clock
// stands still but where it is moved, and what can be said at set-up is said otherwise than by default.
import { EffectGate } from '../../src/api/effect.ts';
import type { Operations, SchedulerEffect } from '../../src/api/routes.ts';
import { SchedulerClient } from '../../src/api/scheduler/client.ts';
import type { StreamEvent } from '../../src/api/scheduler/subscription.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { connectionTo } from '../api/servers.ts';
import { ManualClock } from '../embedded/manual-clock.ts';
import { running, type Running } from '../embedded/scheduler/running.ts';

const port = 'scheduler';
const second = 1_000;
const startMs = Date.parse('2026-11-20T00:00:00Z');
/** So many seconds into the day. */
export const atSecond = (seconds: number): number => startMs / second + seconds;
const never = new AbortController().signal;
const namespace = 'default';
const id = 'data';
const one = { namespace, id };
const ofPlugin = { namespace, plugin_id: 'ebs', per_page: 10 };
const writer = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };

/** What a task event can say beyond its type. */
export const annotations = {
  FailsTask: true,
  RestartReason: 'r',
  SetupError: 's',
  DriverError: 'd',
  ExitCode: 3,
  Signal: 9,
  Message: 'm',
  KillTimeout: 4,
  KillError: 'k',
  KillReason: 'l',
  StartDelay: 5,
  DownloadError: 'o',
  ValidationError: 'v',
  DiskLimit: 6,
  FailedSibling: 'f',
  SecretsStoreError: 't',
  TaskSignalReason: 'g',
  TaskSignal: 'SIGHUP',
  DriverMessage: 'e',
};

const read = async (here: Running, client: SchedulerClient, setUp: Awaited<ReturnType<typeof placed>>) => {
  const { ID, snapshot } = setUp;
  const reads = {
    volume: await client.read('volume.read', one, never),
    volumes: await client.read('volume.list', { namespace }, never),
    disks: (await client.read('volume.external', ofPlugin, never))?.Volumes,
    snapshots: (await client.read('snapshot.list', ofPlugin, never))?.Snapshots,
    running: await client.read('allocation.read', { id: ID }, never),
  };
  const stopped = await perform(client, { port, op: 'allocation.stop', params: { id: ID } });
  here.clock.advance(second);
  const old = await client.read('allocation.read', { id: ID }, never);
  const replacement = await client.read('allocation.read', { id: old?.NextAllocation ?? '' }, never);
  const allocations = await client.read('allocation.list', { namespace, resources: true }, never);
  const { nodeID, events } = await heard(here, client);
  return { ...reads, snapshot, stopped, old, replacement, allocations, nodeID, events };
};

export type Day = Awaited<ReturnType<typeof read>>;

export async function scheduled(): Promise<Day> {
  const here = await running({ dialect: 'cluster' }, new ManualClock(startMs));
  const gate = new EffectGate({ nowMs: () => performance.now() });
  const client = new SchedulerClient(connectionTo([here.server.url], { dialect: 'cluster' }), gate);
  try {
    return await read(here, client, await placed(here, client));
  } finally {
    await client.close();
    await here.stop();
  }
}

async function perform<O extends SchedulerEffect['op']>(
  client: SchedulerClient,
  effect: SchedulerEffect & { readonly op: O },
): Promise<Operations[O]['reply'] | undefined> {
  const outcome = await client.perform(effect, 'CSIVolume/default/data', never);
  if (outcome.is !== 'done') throw outcome.error;
  return outcome.reply;
}

/** A volume, its snapshot, a volume made from that, and an allocation of a job that says all that can be said. */
async function placed(here: Running, client: SchedulerClient) {
  const create = (ID: string, more: object = {}) => {
    const body = {
      ID,
      Name: `${ID}-disk`,
      Namespace: namespace,
      PluginID: 'ebs',
      RequestedCapabilities: [writer],
    };
    const params = { namespace, id: ID };
    return perform(client, { port, op: 'volume.create', params, body: { Volumes: [{ ...body, ...more }] } });
  };
  await create(id, { RequestedCapacityMin: 2 ** 31 });
  const asked = { SourceVolumeID: id, Name: 'first', Parameters: { speed: 'high' } };
  const body = { Snapshots: [asked] } as const;
  const cut = await perform(client, { port, op: 'snapshot.create', params: { namespace }, body });
  const snapshot = cut?.Snapshots?.[0];
  here.clock.advance(3 * second);
  await create('copy', { SnapshotID: snapshot?.ID, RequestedCapacityMin: 2 ** 31 });
  const job = {
    id: 'web',
    priority: 70,
    payload: 'p',
    secretsStoreToken: 's',
    meta: { team: 'a' },
    parentID: 'up',
  };
  await here.client.post('/setup/jobs', { ...job, datacenters: ['dc1', 'dc2'], status: 'pending' });
  const task = {
    name: 'server',
    driver: 'raw_exec',
    ports: ['http'],
    env: { A: 'b' },
    config: { image: 'x' },
  };
  const more = { user: 'app', leader: true, meta: { b: 'c' }, secretsStore: { Role: 'r' } };
  const group = { jobID: 'web', taskGroup: 'g', tasks: [{ ...task, ...more }], volumes: [{ id }] };
  const { ID } = (await here.client.post('/setup/allocations', group)).json();
  here.clock.advance(second);
  const events = [{ type: 'Terminated', ...annotations }];
  await here.client.put(`/setup/allocations/${ID}`, { tasks: [{ name: 'server', events }] });
  const volume = await client.read('volume.read', one, never);
  const disk = { pluginID: 'ebs', externalID: volume?.ExternalID };
  await here.client.post('/setup/disks', { ...disk, isAbnormal: true, status: 'bad blocks' });
  return { ID: String(ID), snapshot };
}

/** All that is still there, and a node that joins and is drained. */
async function heard(
  here: Running,
  client: SchedulerClient,
): Promise<{ readonly nodeID: string; readonly events: readonly StreamEvent[] }> {
  const stop = new AbortController();
  const how = { clock: systemClock, random: Math.random, signal: stop.signal };
  const events: StreamEvent[] = [];
  const node = { name: 'last', datacenter: 'dc2', status: 'initializing', topology: { zone: 'c' } };
  const { ID } = (await here.client.post('/setup/nodes', node)).json();
  await here.client.put(`/setup/nodes/${ID}`, { drain: true });
  for await (const told of client.events(
    { topics: ['Node', 'Allocation', 'Evaluation'], namespace, index: 0 },
    how,
  )) {
    if (told.is !== 'frame') continue;
    events.push(...told.events);
    if (told.events.some(({ Key, Type }) => Key === ID && Type === 'NodeDrain')) stop.abort();
  }
  return { nodeID: String(ID), events };
}
