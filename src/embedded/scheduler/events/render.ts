// Makes the events of changed rows: topics, types, keys and payloads (services.md#event-topics). They are rendered when
// a subscription reads their frame.
import { allocationRead } from '../allocations/render.ts';
import type { PolicyRow, TokenRow } from '../acl/model.ts';
import { jobStub } from '../cluster/reads.ts';
import { Broker, type EventRecord } from './broker.ts';
import type { JobRow } from '../store/job.ts';
import type { AllocationRow, NodeRow, PluginRow, VolumeRow } from '../store/model.ts';
import { nodeRead } from '../cluster/render-node.ts';
import { pluginRead } from '../provider/plugins.ts';
import type { State } from '../state.ts';
import type { Changed, Row, Tell, Write } from '../store/store.ts';
import { volumeWith } from '../volumes/render.ts';

const bufferDefault = 100;

/** Collects the events of each later commit in a broker. */
export function startEvents(state: State, bufferSize = bufferDefault): Broker {
  const { behaviour, dialect, store } = state;
  const { node } = behaviour.eventTypes;
  const broker = new Broker(bufferSize);
  state.nodes.tell(
    each((one, type) => nodeEvent(state, one, type), ['NodeRegistration', node, 'NodeDeregistration']),
  );
  state.jobs.tell(each(jobEvent, ['JobRegistered', 'JobRegistered', 'JobDeregistered']));
  state.allocations.tell((change) => allocationEvents(state, change));
  state.policies.tell(each(policyEvent, ['ACLPolicyUpserted', 'ACLPolicyUpserted', 'ACLPolicyDeleted']));
  state.tokens.tell(each(tokenEvent, ['ACLTokenUpserted', 'ACLTokenUpserted', 'ACLTokenDeleted']));
  if (dialect.capabilities.volumeEventTopics) {
    state.volumes.tell((change) => volumeEvents(state, change));
    state.plugins.tell(each((one, type) => pluginEvent(state, one, type), pluginTypes));
  }
  const rights = new Set<Write['table']>([state.policies, state.tokens]);
  store.follow((index, writes) => {
    if (broker.hasListeners && writes.some(({ table }) => rights.has(table))) broker.rightsChanged();
    broker.append(index, writes);
  });
  return broker;
}

/** One event per changed row, with its new content, or its last if it is deleted. Types: created, changed, deleted. */
const each =
  <T extends Row>(
    view: (row: T, type: string) => EventRecord,
    [made, changed, removed]: readonly [string, string, string],
  ): Tell<T> =>
  ({ before, after, as }) => {
    const row = after ?? before;
    return row ? [view(row, as ?? (after ? (before ? changed : made) : removed))] : [];
  };

const event = (Topic: string, Type: string, Key: string, Payload: object): EventRecord => {
  return { Topic, Type, Key, Namespace: '', FilterKeys: null, Payload };
};

const nodeEvent = (state: State, node: NodeRow, type: string): EventRecord =>
  event('Node', type, node.ID, { Node: nodeRead(state, node) });

const jobEvent = (job: JobRow, type: string): EventRecord => {
  return { ...event('Job', type, job.ID, { Job: jobStub(job) }), Namespace: job.Namespace };
};

const policyEvent = (policy: PolicyRow, type: string): EventRecord =>
  event('ACLPolicy', type, policy.Name, { ACLPolicy: { ...policy, Parsed: undefined } });

const tokenEvent = (token: TokenRow, type: string): EventRecord =>
  event('ACLToken', type, token.AccessorID, { ACLToken: { ...token, SecretID: '' } });

/** Plugins have no event types of their own: they use those of nodes. */
const pluginTypes = ['NodeRegistration', 'NodeRegistration', 'NodeDeregistration'] as const;

const pluginEvent = (state: State, plugin: PluginRow, type: string): EventRecord => {
  const Payload = { Plugin: pluginRead(state, plugin) };
  return { ...event('CSIPlugin', type, plugin.ID, Payload), FilterKeys: [plugin.ID] };
};

/** The payload is the stored record, which holds the plugin's health from its second write on. */
function volumeEvents(state: State, { before, after, as }: Changed<VolumeRow>): readonly EventRecord[] {
  const volume = after ?? before;
  if (!volume) return [];
  const { ID, Name, PluginID, Namespace } = volume;
  const Type = as ?? (after ? 'CSIVolumeRegistered' : 'CSIVolumeDeregistered');
  const isNew = volume.CreateIndex === volume.ModifyIndex;
  const read = volumeWith(state, volume, isNew ? undefined : state.plugins.get(PluginID));
  const Payload = { Volume: { ...read, Allocations: [] } };
  return [{ Topic: 'CSIVolume', Type, Key: ID, Namespace, FilterKeys: [ID, Name, PluginID], Payload }];
}

/** A new desired status is the result of a plan. A new allocation or a stop request adds an evaluation. */
function allocationEvents(
  state: State,
  { before, after, as }: Changed<AllocationRow>,
): readonly EventRecord[] {
  if (!after) return [];
  const { ID, JobID, Namespace, Stopping } = after;
  const isPlanned = before?.DesiredStatus !== after.DesiredStatus;
  const isAsked = before?.Stopping === null && Stopping !== null;
  const changed = isAsked ? 'AllocationUpdateDesiredStatus' : 'AllocationUpdated';
  const common = { Type: as ?? (isPlanned ? 'PlanResult' : changed), Namespace, FilterKeys: [JobID, ''] };
  const Allocation = { ...allocationRead(state, after), Job: undefined };
  const told = { ...common, Topic: 'Allocation', Key: ID, Payload: { Allocation } };
  if (before && !isAsked) return [told];
  const Evaluation = evaluation(after);
  return [told, { ...common, Topic: 'Evaluation', Key: Evaluation.ID, Payload: { Evaluation } }];
}

const evaluation = ({ EvalID, Stopping, Job, JobID, Namespace, ModifyTime, ModifyIndex }: AllocationRow) => ({
  ID: Stopping?.EvalID ?? EvalID,
  Namespace,
  JobID,
  DeploymentID: '',
  Type: Job?.Type ?? 'service',
  Priority: Job?.Priority ?? 50,
  TriggeredBy: Stopping ? 'alloc-stop' : 'job-register',
  Status: Stopping ? 'pending' : 'complete',
  StatusDescription: '',
  CreateTime: ModifyTime,
  ModifyTime,
  CreateIndex: ModifyIndex,
  ModifyIndex,
});
