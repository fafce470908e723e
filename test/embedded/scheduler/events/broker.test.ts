import { afterEach, describe, expect, test } from 'vitest';
import { schedulerDialects } from '../../../../src/api/dialects.ts';
import type { SchedulerOptions } from '../../../../src/embedded/scheduler/server.ts';
import { HttpClient, until } from '../../../contract/client.ts';
import { EventReader, type StreamedEvent } from '../../../contract/event-reader.ts';
import { raw, readAll, silent } from '../../http/raw.ts';
import { temporaryFile } from '../files.ts';
import { create, running, type Running } from '../running.ts';
import { proves } from '../../../coverage/proves.ts';

const typesOf = (events: readonly StreamedEvent[]) => events.map(({ Topic, Type }) => `${Topic} ${Type}`);

describe('the event stream', () => {
  let here: Running;
  const readers: EventReader[] = [];
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close();
    await here.stop();
  });

  const start = async (options: Partial<SchedulerOptions> = {}, from?: Running['clock']) => {
    here = await running(options, from);
  };
  const open = async (query: string, token = ''): Promise<EventReader> => {
    const headers = { [schedulerDialects.nomad.headers.token]: token };
    const reader = await EventReader.open(`${here.server.url}/v1/event/stream?${query}`, headers);
    readers.push(reader);
    return reader;
  };
  /** One that has heard its first heartbeat, and nothing of what was before. */
  const listening = async (query: string): Promise<EventReader> => {
    const { Index } = (await publish('Mark')).json();
    const reader = await open(`${query}&topic=Mark&index=${Index}`);
    await reader.eventsTo((event) => event.Topic === 'Mark');
    return reader;
  };
  const publish = (Topic: string, more: object = {}) =>
    here.client.post('/setup/events', { Topic, Type: 'Told', Key: 'k', Payload: {}, ...more });
  /** What is told until a mark. */
  const told = async (reader: EventReader) => {
    await publish('Mark');
    const events = await reader.eventsTo((event) => event.Topic === 'Mark');
    return events.filter((event) => event.Topic !== 'Mark');
  };

  test('a heartbeat comes every 30 s, whatever else is told', async () => {
    proves('no events in an object are a heartbeat');
    await start();
    const { clock } = here;
    const reader = await listening('topic=Node');
    clock.advance(29_999);
    await publish('Mark');
    clock.advance(1);
    const lines = [await reader.line(), await reader.line()];
    expect([lines[0]?.Events?.[0]?.Topic, lines[1]]).toEqual(['Mark', {}]);
    clock.advance(30_000);
    expect(await reader.line()).toEqual({});
  });

  test('one who leaves is forgotten', async () => {
    proves('it goes on until the connection closes');
    await start();
    const reader = await listening('topic=Node');
    expect(here.clock.waiting).toBe(1);
    reader.close();
    await until('nothing waits for it', () => here.clock.waiting === 0);
    await publish('Node');
  });

  test('only so many frames are kept, in memory: who asks for older ones gets the oldest there is', async () => {
    proves('`index` is where to start; where that is gone, the next one');
    const file = temporaryFile();
    await start({ eventBufferSize: 3, file });
    const indexes: number[] = [];
    for (let n = 0; n < 5; n++) indexes.push((await publish('Node', { Key: `${n}` })).json().Index);
    const reader = await open(`index=${indexes[0] ?? 0}`);
    for (const index of indexes.slice(2)) expect((await reader.frame()).Index).toBe(index);
    await here.stop();
    await start({ file });
    const again = await open('topic=Node');
    await create(here.client, 'v');
    await publish('Node', { Key: 'first' });
    expect((await again.frame()).Events[0]?.Key).toBe('first');
  });

  test('a reader that is too slow is told no more when what it stands on is dropped; others go on', async () => {
    await start({ eventBufferSize: 4 });
    const fast = await listening('topic=Big');
    const slow = await silent(here.server.url, '/v1/event/stream?topic=Big');
    const Payload = { text: Array.from({ length: 250 }, () => 'x'.repeat(4_000)) };
    for (let n = 0; n < 24; n++) await publish('Big', { Key: `${n}`, Payload });
    const all = await fast.eventsTo((event) => event.Key === '23');
    expect(all).toHaveLength(24);
    const text = await readAll(slow);
    expect(text).toMatch(/event dropped from buffer\r\n0\r\n\r\n$/);
    expect(text).toContain('"Key":"0"');
    expect(text).not.toContain('"Key":"23"');
  });

  test('a token that expires hears of it with the next event', async () => {
    const policies = [{ name: 'nodes', rules: '{"node":{"policy":"read"}}' }];
    const one = {
      secretID: 'short',
      name: 'short',
      type: 'client',
      policies: ['nodes'],
      expirationTTL: '1h',
    };
    await start({ token: 'root', seed: { policies, tokens: [one] } });
    const reader = await open('topic=Node', 'short');
    await reader.line();
    here.clock.advance(3_600_000);
    expect(await reader.line()).toEqual({});
    const root = new HttpClient(here.server.url, { [schedulerDialects.nomad.headers.token]: 'root' });
    await root.post('/setup/events', { Topic: 'Job', Type: 'Told', Payload: {} }); // not for it
    expect(reader.hasEnded).toBe(false);
    await root.post('/setup/events', { Topic: 'Node', Type: 'Told', Payload: {} });
    expect(await reader.end()).toBe('ACL token expired');
    await root.close();
  });

  test('can be closed, overrun and switched off from outside', async () => {
    await start();
    const closed = await listening('topic=Node');
    await here.client.post('/setup/events/close', undefined);
    expect(await closed.end()).toBe('subscription closed by server, client should resubscribe');
    await publish('Node', { Key: 'lost' });
    await publish('Node', { Key: 'newest' });
    const overrun = await listening('topic=Node');
    await here.client.post('/setup/events/overflow', undefined);
    expect(await overrun.end()).toBe('event dropped from buffer');
    const left = await open('topic=*');
    expect(typesOf((await left.frame()).Events)).toEqual(['Mark Told']);
    await here.client.put('/setup/events', { enabled: false });
    await left.end();
    const off = await open('topic=Node');
    expect([off.status, await off.end()]).toEqual([500, 'EventBroker not configured']);
    await publish('Node');
    await here.client.put('/setup/events', { enabled: true });
    await publish('Mark');
    const on = await open('topic=*');
    expect(typesOf((await on.frame()).Events)).toEqual(['Mark Told']);
  });

  test('newer servers begin the reply before they ask whether they may: no is silence, and so is the end', async () => {
    await start({ token: 'root', deniedStream: 'hijack200' });
    const denied = await raw(here.server.url, '/v1/event/stream');
    await until('there is a head', () => denied.text().includes('\r\n\r\n'));
    expect(denied.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n[^]*\r\n\r\n$/);
    const fine = await raw(here.server.url, '/v1/event/stream', 'root');
    await until('there is a heartbeat', () => fine.text().includes('{}\n'));
    expect(fine.text()).not.toMatch(/Transfer-Encoding|Content-Length/);
    const root = new HttpClient(here.server.url, { [schedulerDialects.nomad.headers.token]: 'root' });
    await root.post('/setup/events/close', undefined);
    await until('it has ended', () => fine.hasEnded());
    expect(fine.text()).toMatch(/\}\n$/);
    expect([denied.text().endsWith('\r\n\r\n'), denied.hasEnded()]).toEqual([true, false]);
    const wrong = await raw(here.server.url, '/v1/event/stream?index=x');
    await until('it is answered', () => wrong.text().includes('Unable to parse index'));
    await root.close();
  });

  test('nodes and jobs have a type for each thing that happens to them', async () => {
    proves('a node begins as `initializing`, and is `eligible`');
    await start();
    const { client } = here;
    const reader = await listening('topic=Node&topic=Job');
    const { ID } = (await client.post('/setup/nodes', { name: 'n', topology: { zone: 'z' } })).json();
    await client.put(`/setup/nodes/${ID}`, { status: 'down' });
    await client.put(`/setup/nodes/${ID}`, { schedulingEligibility: 'ineligible' });
    await client.put(`/setup/nodes/${ID}`, { drain: true });
    await client.delete(`/setup/nodes/${ID}`);
    await client.post('/setup/jobs', { id: 'j' });
    await client.delete('/setup/jobs/default/j');
    const events = await told(reader);
    expect(typesOf(events)).toEqual([
      'Node NodeRegistration',
      'Node NodeStreamEvent',
      'Node NodeDrain',
      'Node NodeDrain',
      'Node NodeDeregistration',
      'Job JobRegistered',
      'Job JobDeregistered',
    ]);
    expect(
      events
        .slice(0, 4)
        .map(({ Payload: { Node } }) => [Node.Status, Node.SchedulingEligibility, Node.Drain]),
    ).toEqual([
      ['ready', 'eligible', false],
      ['down', 'eligible', false],
      ['down', 'ineligible', false],
      ['down', 'ineligible', true],
    ]);
  });

  test('in the documents news of a node are called NodeEvent, and volumes have no topics', async () => {
    await start({ dialect: 'cluster' });
    const { client } = here;
    const [{ ID }] = (await client.get('/v1/nodes')).json();
    const reader = await listening('topic=*');
    await create(client, 'v');
    await client.put('/setup/plugins/hostpath', { healthy: false });
    await client.put(`/setup/nodes/${ID}`, { status: 'down' });
    await client.put(`/setup/nodes/${ID}`, { schedulingEligibility: 'ineligible' });
    expect(typesOf(await told(reader))).toEqual(['Node NodeEvent', 'Node NodeEligibility']);
  });

  test('an allocation comes with the plan that places it, its claims with the volume; plugins tell of their health', async () => {
    await start({ claimReleaseMs: 1_000 });
    const { client, clock } = here;
    await create(client, 'v');
    const reader = await listening('topic=Allocation&topic=Evaluation&topic=CSIVolume&topic=CSIPlugin');
    const body = { jobID: 'web', volumes: [{ id: 'v' }] };
    const { ID } = (await client.post('/setup/allocations', body)).json();
    await client.put(`/setup/allocations/${ID}`, { clientStatus: 'complete' });
    clock.advance(1_000);
    await client.put('/setup/plugins/hostpath', { healthy: false });
    const events = await told(reader);
    expect(typesOf(events)).toEqual([
      'Allocation PlanResult',
      'Evaluation PlanResult',
      'CSIVolume CSIVolumeClaim',
      'Allocation AllocationUpdated',
      'CSIVolume CSIVolumeClaim',
      'CSIVolume CSIVolumeClaim',
      'CSIPlugin NodeRegistration',
    ]);
    expect(new Set(events.slice(0, 3).map((event) => event.Index)).size).toBe(1);
    expect(events[0]?.FilterKeys).toEqual(['web', '']);
    expect(events[0]?.Payload.Allocation).not.toHaveProperty('Job');
    expect(events[2]?.Payload.Volume).toMatchObject({
      WriteAllocs: { [ID]: null },
      Allocations: [],
      Schedulable: true,
    });
    expect(events[6]).toMatchObject({ Key: 'hostpath', Payload: { Plugin: { NodesHealthy: 0 } } });
  });

  test('one that is to stop says so, and ends by the plan that places another', async () => {
    await start();
    const { client, clock } = here;
    const { ID } = (await client.post('/setup/allocations', { jobID: 'web' })).json();
    const reader = await listening('topic=Allocation:web&topic=Evaluation:web');
    const { EvalID } = (await client.post(`/v1/allocation/${ID}/stop`, undefined)).json();
    clock.advance(50);
    const events = await told(reader);
    expect(typesOf(events)).toEqual([
      'Allocation AllocationUpdateDesiredStatus',
      'Evaluation AllocationUpdateDesiredStatus',
      'Allocation PlanResult',
      'Allocation PlanResult',
      'Evaluation PlanResult',
    ]);
    expect(events.map((event) => event.Key)).toEqual([ID, EvalID, ID, expect.anything(), EvalID]);
    expect(new Set(events.slice(2).map((event) => event.Index)).size).toBe(1);
    expect(events[1]?.Payload.Evaluation).toMatchObject({ TriggeredBy: 'alloc-stop', JobID: 'web' });
  });

  test('whatever a client should know can be told from outside: several events in one frame, with their keys', async () => {
    proves('each line is a JSON object of an index and several events');
    await start();
    await here.client.post('/setup/namespaces', { name: 'team' });
    const reader = await listening('topic=Service:web&topic=Deployment&namespace=team');
    const service = { Topic: 'Service', Type: 'ServiceRegistration', Key: 's1', Namespace: 'team' };
    const Events = [
      { ...service, FilterKeys: ['job', 'web'], Payload: { Service: { ID: 's1', Tags: ['a'] } } },
      { ...service, Namespace: 'default', FilterKeys: ['job', 'web'], Payload: {} },
      { Topic: 'Deployment', Type: 'DeploymentPromotion', Key: 'd1', Namespace: 'team', Payload: {} },
    ];
    const { Index } = (await here.client.post('/setup/events', { Events })).json();
    expect(await reader.frame()).toEqual({
      Index,
      Events: [
        { ...Events[0], Index },
        { ...Events[2], FilterKeys: null, Index },
      ],
    });
    const unknown = await here.client.post('/setup/events', { Topic: 'Node', Kind: 'x', Type: 'y' });
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('Kind: unknown field')]);
  });
});
