// Setting up what happens to nodes and jobs, and to the event stream itself.
import { Fields } from '../decode.ts';
import { Refusal, empty, json, type Endpoint } from '../http.ts';
import type { Broker, Told } from './events.ts';
import { nodeStatuses, pairKey, type NodeRow } from './model.ts';
import { route } from './setup.ts';
import type { State } from './state.ts';

export const clusterSetup = (state: State, broker: Broker): readonly Endpoint[] => [
  route('PUT', 'nodes/{id}', (r) => json(changeNode(state, r.json(), r.params['id'] ?? ''))),
  route('DELETE', 'nodes/{id}', ({ params }) => {
    state.store.commit(() => [state.nodes.drop(nodeOf(state, params['id'] ?? '').ID)]);
    return empty();
  }),
  route('DELETE', 'jobs/{namespace}/{id}', ({ params }) => {
    const key = pairKey(params['namespace'] ?? '', params['id'] ?? '');
    if (!state.jobs.get(key)) throw new Refusal(404, 'no such job');
    state.store.commit(() => [state.jobs.drop(key)]);
    return empty();
  }),
  route('POST', 'events', (request) => json({ Index: publish(state, broker, request.json()) })),
  route('PUT', 'events', (request) => {
    const f = new Fields(request.json(), '');
    const isOn = f.flag('Enabled', true);
    f.done();
    broker.turn(isOn);
    return empty();
  }),
  route('POST', 'events/close', () => {
    broker.closeAll();
    return empty();
  }),
  route('POST', 'events/overflow', () => {
    broker.overflow();
    return empty();
  }),
];

/** @throws Refusal 404 */
function nodeOf(state: State, id: string): NodeRow {
  const node = state.nodes.get(id);
  if (!node) throw new Refusal(404, `no node ${id}`);
  return node;
}

/** What is left out stays. */
function changeNode(state: State, value: unknown, id: string): NodeRow {
  const old = nodeOf(state, id);
  const f = new Fields(value, '');
  const { eligibility } = state.behaviour.eventTypes;
  const isDrain = f.has('Drain');
  const type = isDrain ? 'NodeDrain' : f.has('SchedulingEligibility') ? eligibility : undefined;
  const Drain = f.flag('Drain', old.Drain);
  const changed: NodeRow = {
    ...old,
    Drain,
    Status: f.oneOf('Status', nodeStatuses, old.Status),
    SchedulingEligibility: f.oneOf(
      'SchedulingEligibility',
      ['eligible', 'ineligible'] as const,
      isDrain ? (Drain ? 'ineligible' : 'eligible') : old.SchedulingEligibility,
    ),
  };
  f.done();
  const StatusUpdatedAt = changed.Status === old.Status ? old.StatusUpdatedAt : state.seconds();
  const ModifyIndex = state.store.commit((index) => [
    state.nodes.put(id, { ...changed, StatusUpdatedAt, ModifyIndex: index }, type),
  ]);
  return { ...changed, StatusUpdatedAt, ModifyIndex };
}

/** Events of which nothing here is the cause, as one frame: `{Events: […]}`, or one by itself. @returns its index. */
function publish(state: State, broker: Broker, value: unknown): number {
  const f = new Fields(value, '');
  const events = f.has('Events') ? f.list('Events', toldIn) : [toldIn(value, '')];
  if (f.has('Events')) f.done();
  const index = state.store.commit(() => []);
  broker.append(index, [{ told: () => events }]);
  return index;
}

function toldIn(value: unknown, at: string): Told {
  const f = new Fields(value, at);
  const told = {
    Topic: f.text('Topic'),
    Type: f.text('Type'),
    Key: f.text('Key', ''),
    Namespace: f.text('Namespace', ''),
    FilterKeys: f.has('FilterKeys') ? f.texts('FilterKeys') : null,
    Payload: f.map('Payload', (held) => held),
  };
  f.done();
  return told;
}
