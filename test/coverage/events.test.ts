// Every topic and type of event that the documents name, as the client hears it from an embedded scheduler that speaks
// as they do: of what happens there by itself, and of the rest as it can be told from outside.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schedulerDialects } from '../../src/api/dialects.ts';
import type { StreamEvent } from '../../src/api/scheduler/subscription.ts';
import { SchedulerClient } from '../../src/api/scheduler/client.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Secret } from '../../src/core/secret.ts';
import { startScheduler, type EmbeddedScheduler } from '../../src/embedded/scheduler/server.ts';
import { connectionTo, gate } from '../api/servers.ts';
import { HttpClient, until } from '../contract/client.ts';
import { namesIn, proves, type Names } from './proves.ts';

/** Topic and type of what only happens when it is told. */
const toldTypes = [
  ['ACLRoles', 'ACLRoleUpserted'],
  ['ACLRoles', 'ACLRoleDeleted'],
  ['Allocation', 'AllocationCreated'],
  ['Deployment', 'DeploymentStatusUpdate'],
  ['Deployment', 'DeploymentPromotion'],
  ['Deployment', 'DeploymentAllocHealth'],
  ['Evaluation', 'EvaluationUpdated'],
  ['Job', 'JobBatchDeregistered'],
  ['NodeDrain', 'NodeDrain'],
  ['NodePool', 'NodePoolUpserted'],
  ['NodePool', 'NodePoolDeleted'],
  ['Service', 'ServiceRegistration'],
  ['Service', 'ServiceDeregistration'],
] as const;
const outputs: Readonly<Record<Names<'topics of events'>, string>> = {
  ACLToken: 'ACLToken',
  ACLPolicy: 'ACLPolicy',
  ACLRoles: 'ACLRole',
  Allocation: 'Allocation',
  Deployment: 'Deployment',
  Evaluation: 'Evaluation',
  Job: 'Job',
  Node: 'Node',
  NodeDrain: 'Node',
  NodePool: 'NodePool',
  Service: 'Service',
};

const token = 'root-of-events';
const stop = new AbortController();
const heard: StreamEvent[] = [];
let server: EmbeddedScheduler;
let setUp: HttpClient;
let client: SchedulerClient;
const own = new Map<string, number>();

const hear = async (topics: readonly string[], into: StreamEvent[]): Promise<void> => {
  const how = { clock: systemClock, random: Math.random, signal: stop.signal };
  for await (const told of client.events({ topics, namespace: '*', index: 0 }, how)) {
    if (told.is === 'frame') into.push(...told.events);
  }
};

const tell = (Topic: string, Type: string, Payload: object) =>
  setUp.post('/setup/events', { Topic, Type, Key: 'k', Payload });

beforeAll(async () => {
  server = await startScheduler({ dialect: 'cluster', token });
  const { headers } = schedulerDialects.cluster;
  setUp = new HttpClient(server.url, { [headers.token]: token });
  const connection = connectionTo([server.url], { dialect: 'cluster', token: Secret.of('t', '1', token) });
  client = new SchedulerClient(connection, gate());
  void hear(['*'], heard);
  await play();
  await tell('Mark', 'Mark', {});
  await until('all is told', () => heard.some(({ Topic }) => Topic === 'Mark'));
  for (const { Type } of heard) own.set(Type, (own.get(Type) ?? 0) + 1);
  for (const [topic, type] of toldTypes) await tell(topic, type, { [outputs[topic]]: { ID: 'k' } });
  await tell('End', 'End', {});
  await until('the rest is told', () => heard.some(({ Topic }) => Topic === 'End'));
});

afterAll(async () => {
  stop.abort();
  await Promise.all([client.close(), setUp.close()]);
  await server.stop();
});

/** One of each thing that can happen. */
async function play(): Promise<void> {
  const policy = { Name: 'p', Rules: '{"node":{"policy":"read"}}' };
  await setUp.put('/v1/acl/policy/p', policy);
  const made = await setUp.put('/v1/acl/token', { Name: 't', Type: 'client', Policies: ['p'] });
  await setUp.delete(`/v1/acl/token/${made.json().AccessorID}`);
  await setUp.delete('/v1/acl/policy/p');
  const { ID } = (await setUp.post('/setup/nodes', { name: 'n', status: 'initializing' })).json();
  await setUp.put(`/setup/nodes/${ID}`, { status: 'down' });
  await setUp.put(`/setup/nodes/${ID}`, { schedulingEligibility: 'ineligible' });
  await setUp.put(`/setup/nodes/${ID}`, { drain: true });
  await setUp.delete(`/setup/nodes/${ID}`);
  await setUp.post('/setup/jobs', { id: 'web' });
  const one = (await setUp.post('/setup/allocations', { jobID: 'web' })).json();
  await setUp.put(`/setup/allocations/${one.ID}`, { clientDescription: 'fine' });
  await setUp.post(`/v1/allocation/${one.ID}/stop`, undefined);
  await setUp.delete('/setup/jobs/default/web');
}

test.each([
  ...namesIn('types of events that happen by themselves'),
  ...namesIn('types of events that can be told'),
])('the client hears of %s', (type) => {
  proves('types of events that happen by themselves');
  proves('types of events that can be told');
  const isTold = namesIn('types of events that can be told').some((one) => one === type);
  expect(own.has(type)).toBe(!isTold);
  expect(heard.map(({ Type }) => Type)).toContain(type);
});

test.each(namesIn('topics of events').map((topic) => ({ topic, output: outputs[topic] })))(
  'the client hears of topic $topic with its $output',
  ({ topic, output }) => {
    proves('each topic has its payload; an allocation comes without its job');
    proves('topics of events');
    const events = heard.filter(({ Topic }) => Topic === topic);
    expect(events).not.toEqual([]);
    for (const { Payload } of events) {
      expect(Object.keys(Payload)).toEqual([output]);
      expect(Payload[output]).not.toHaveProperty('Job');
    }
  },
);

test('a node that begins says so', () => {
  proves('a node begins as `initializing`, and is `eligible`');
  const node = heard.find(({ Type, Payload }) => Type === 'NodeRegistration' && 'Node' in Payload);
  const all = heard.filter(({ Topic }) => Topic === 'Node').map(({ Payload }) => Payload['Node']);
  expect(node).toBeDefined();
  expect(all).toContainEqual(expect.objectContaining({ Name: 'n', Status: 'initializing' }));
});

test('a topic without a key is all of it, with a star too', async () => {
  proves('`topic` is `topic:key` and repeatable; a topic alone is all of it');
  const [plain, star]: [StreamEvent[], StreamEvent[]] = [[], []];
  void hear(['Node'], plain);
  void hear(['Node:*'], star);
  const all = heard.filter(({ Topic }) => Topic === 'Node').length;
  await until('both are told', () => plain.length >= all && star.length >= all);
  expect(plain.map(({ Index }) => Index)).toEqual(star.map(({ Index }) => Index));
});

test('a job is selected by its name, a node by its ID', async () => {
  proves("the key is a node's ID or a job's name");
  const [node] = heard.filter(({ Topic }) => Topic === 'Node');
  const selected: StreamEvent[] = [];
  void hear(['Job:web', `Node:${node?.Key}`], selected);
  const expected = heard.filter(
    ({ Topic, Key }) => (Topic === 'Job' && Key === 'web') || (Topic === 'Node' && Key === node?.Key),
  );
  await until('they are told', () => selected.length >= expected.length);
  expect(selected.map(({ Key, Type }) => [Key, Type])).toEqual(expected.map(({ Key, Type }) => [Key, Type]));
});
