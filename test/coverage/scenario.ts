// A day on each embedded service, which speaks as the documents do, seen through the clients: every reply, by operation.
import { EffectGate } from '../../src/api/effect.ts';
import type { Op, Operations, ReadOp, SchedulerEffect } from '../../src/api/routes.ts';
import { SchedulerClient } from '../../src/api/scheduler/client.ts';
import { SecretsClient } from '../../src/api/secrets/client.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Secret } from '../../src/core/secret.ts';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { connectionTo } from '../api/servers.ts';
import { HttpClient, until } from '../contract/client.ts';
import { configBody, roleBody, rootToken, running } from '../embedded/secrets/running.ts';

export type Replies = ReadonlyMap<string, readonly unknown[]>;

class Seen {
  readonly #replies = new Map<string, unknown[]>();

  get replies(): Replies {
    return this.#replies;
  }

  add<T>(op: Op | 'event.stream', reply: T): T {
    this.#replies.set(op, [...(this.#replies.get(op) ?? []), reply]);
    return reply;
  }
}

const never = new AbortController().signal;
const namespace = 'default';
const writer = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };

export async function scheduled(): Promise<Replies> {
  const server = await startScheduler({ dialect: 'cluster' });
  const setUp = new HttpClient(server.url);
  const gate = new EffectGate({ nowMs: () => performance.now() });
  const client = new SchedulerClient(connectionTo([server.url], { dialect: 'cluster' }), gate);
  try {
    const seen = new Seen();
    await play(seen, client, setUp);
    return seen.replies;
  } finally {
    await Promise.all([client.close(), setUp.close()]);
    await server.stop();
  }
}

async function play(seen: Seen, client: SchedulerClient, setUp: HttpClient): Promise<void> {
  const read = async <O extends ReadOp>(op: O, params: Operations[O]['params']) =>
    seen.add(op, await client.read(op, params, never));
  const perform = async (effect: SchedulerEffect): Promise<void> => {
    const outcome = await client.perform(effect, 'CSIVolume/default/data', never);
    if (outcome.is !== 'done') throw outcome.error;
    if (outcome.reply !== undefined) seen.add(effect.op, outcome.reply);
  };
  const port = 'scheduler';
  const ID = 'data';
  const one = { namespace, id: ID };
  const body = { ID, Name: ID, Namespace: namespace, PluginID: 'ebs', RequestedCapabilities: [writer] };
  await perform({ port, op: 'volume.create', params: one, body: { Volumes: [body] } });
  const snapshot = { SourceVolumeID: ID, Name: 'first', Parameters: { speed: 'high' } };
  await perform({ port, op: 'snapshot.create', params: { namespace }, body: { Snapshots: [snapshot] } });
  const ofPlugin = { namespace, plugin_id: 'ebs', per_page: 10 };
  await read('snapshot.list', ofPlugin);
  const old = await placed(setUp);
  await disk(setUp, client);
  await read('volume.external', ofPlugin);
  for (const id of [ID]) await read('volume.read', { namespace, id });
  await read('volume.list', { namespace });
  await perform({ port, op: 'allocation.stop', params: { id: old } });
  const next = async () => (await client.read('allocation.read', { id: old }, never))?.NextAllocation ?? '';
  await until('it is replaced', async () => (await next()) !== '');
  for (const id of [old, await next()]) await read('allocation.read', { id });
  await read('allocation.list', { namespace, resources: true });
  const stop = new AbortController();
  const how = { clock: systemClock, random: Math.random, signal: stop.signal };
  const wanted = { topics: ['Node', 'Allocation'], namespace, index: 0 };
  await setUp.post('/setup/nodes', { name: 'last', topology: { zone: 'c' } });
  for await (const told of client.events(wanted, how)) {
    if (told.is !== 'frame') continue;
    seen.add('event.stream', told);
    if (JSON.stringify(told.events).includes('"last"')) stop.abort();
  }
}

/** An allocation of a job that says all that can be said, on the volume; something happened to its tasks. */
async function placed(setUp: HttpClient): Promise<string> {
  const job = { id: 'web', payload: 'p', secretsStoreToken: 's', meta: { team: 'a' } };
  await setUp.post('/setup/jobs', job);
  const task = { name: 'server', ports: ['http'], env: { A: 'b' }, config: { image: 'x' }, user: 'app' };
  const body = { jobID: 'web', tasks: [task], volumes: [{ id: 'data' }] };
  const { ID } = (await setUp.post('/setup/allocations', body)).json();
  const events = [{ type: 'Terminated', exitCode: 3, message: 'm' }];
  await setUp.put(`/setup/allocations/${ID}`, { tasks: [{ name: 'server', events }] });
  return ID;
}

/** Something is wrong with the volume's disk. */
async function disk(setUp: HttpClient, client: SchedulerClient): Promise<void> {
  const volume = await client.read('volume.read', { namespace, id: 'data' }, never);
  const body = { pluginID: 'ebs', externalID: volume?.ExternalID, isAbnormal: true, status: 'bad blocks' };
  await setUp.post('/setup/disks', body);
}

/** A directory that is configured, and one role. */
export async function kept(): Promise<Replies> {
  const here = await running({ dialect: 'secrets' });
  const gate = new EffectGate({ nowMs: () => performance.now() });
  const token = Secret.of('secrets/token', '1', rootToken);
  const connection = connectionTo([here.server.url], {
    service: 'secrets',
    dialect: 'secrets',
    namespace: '',
    token,
  });
  const client = new SecretsClient(connection, { gate, clock: systemClock, random: Math.random });
  const seen = new Seen();
  try {
    await here.client.post('/v1/ldap/config', configBody({ length: 20 }));
    await here.client.post('/v1/ldap/static-role/shop', roleBody('shop'));
    const role = { mount: 'ldap', role: 'shop' };
    seen.add('ldap.config.read', await client.read('ldap.config.read', { mount: 'ldap' }, never));
    seen.add('ldap.role.read', await client.read('ldap.role.read', role, never));
    seen.add('ldap.credential.read', await client.read('ldap.credential.read', role, never));
    return seen.replies;
  } finally {
    await client.close();
    await here.stop();
  }
}
