// CSISnapshot: how it is located, observed and recorded.
import { defineKind } from '../../core/kind/sealed-kind.ts';
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import type { PluginStub } from '../../api/scheduler/wire.ts';
import { ApiError } from '../../core/errors.ts';
import type { Closed, ObserveContext } from '../../core/kind/kind.ts';
import { isSuspended, managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/kind/permission.ts';
import type { Reference, Resolved } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import type { Status } from '../../core/status/status.ts';
import { isToAll, taskOf } from '../../schema/scheduler/allocation-actions.ts';
import {
  filterOf,
  isAllocation,
  runningIn,
  seenOf,
  selectedOf,
  type Allocation,
  type Seen,
  type Selector,
} from '../../schema/scheduler/allocations.ts';
import { pluginOf, pluginWith } from '../../schema/scheduler/csi-plugins.ts';
import { csiSecretsOf } from '../../schema/scheduler/csi-secrets.ts';
import { hookReferences, hookUses } from '../../schema/scheduler/hooks.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { snapshotData } from '../../schema/scheduler/snapshot-data.ts';
import { sourceOf, target, toldIn, volumeOf, type Live, type SnapshotSituation } from './body.ts';
import { descentOf } from './descent.ts';
import { discovery } from './discovery.ts';
import { disturbanceIn, restartsOf, unread } from './disturbance.ts';
import { found } from './listing.ts';
import { parseOwn, takenIn, type Own, type Taken } from './own.ts';
import { plan } from './plan.ts';
import { afterFreeze, afterThaw, atCreate, leftOf, mayFreeze, open } from './quiesce.ts';
import { ofVolume, report } from './report.ts';
import { declaration, type Spec } from './schema.ts';

type S = SnapshotSituation;

/** The recorded snapshot, or else the existing one that the spec names. */
function sought({
  spec: { snapshotID: id, pluginID = '' },
  status: { own },
}: Pick<ObserveContext<Spec, Own, Reader>, 'spec' | 'status'>):
  | Pick<Taken, 'id' | 'pluginID' | 'takenAt'>
  | undefined {
  return takenIn(own) ?? (id === undefined ? undefined : { id, pluginID });
}

function recorded({ observed, status: { own } }: S): Own | undefined {
  if (observed.state !== 'present') return own;
  const { snapshot, pluginID } = observed.live;
  const ready = snapshot.IsReady === true;
  const { disk, source } = takenIn(own) ?? {};
  return {
    id: snapshot.ID,
    pluginID,
    ready,
    ...ofVolume(own),
    ...(disk !== undefined && { disk }),
    ...(source !== undefined && { source }),
    ...(ready && { takenAt: snapshot.CreateTime ?? 0 }),
    ...(own?.hooks && { hooks: own.hooks }),
  };
}

type Observing = ObserveContext<Spec, Own, Reader>;

/** They are part of the first intent, which has to fit into an annotation. */
const recordMax = 65_536;

/**
 * The allocations that the hooks freeze: what must stop writes as long as the task that is frozen runs. And their tasks, where a hook
 * is a signal to all of them.
 */
async function writers(
  read: Reader,
  { spec: { hooks }, ref }: Observing,
  signal: AbortSignal,
): Promise<Json> {
  const { namespace = '' } = ref;
  const selector = hooks?.selector ?? {};
  const task = hooks && taskOf(hooks.before);
  const isNaming = hooks !== undefined && [hooks.before, hooks.after].some(isToAll);
  const all = await allocationsOf(read, selector, namespace, signal);
  const chosen = selectedOf(selector, namespace, all, (one) => runningIn(seenOf(one, task)).length > 0);
  const allocations = chosen.map(({ allocation }) => allocation);
  const among = all.filter(({ ID }) => allocations.includes(ID));
  const tasks = Object.fromEntries(among.map((one) => [one.ID, signalled(seenOf(one, undefined))]));
  const restarts = Object.fromEntries(among.map((one) => [one.ID, restartsOf(one)]));
  const isNamed = isNaming && JSON.stringify(tasks).length <= recordMax;
  return { allocations, restarts, ...(isNamed && { tasks }) };
}

/** @throws ApiError `InvalidResponse` if the answer holds anything else */
async function allocationsOf(
  read: Reader,
  selector: Selector,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly Allocation[]> {
  const asked = { namespace, filter: filterOf(selector), task_states: true };
  const all = (await read.read('allocation.list', asked, signal)) ?? [];
  if (all.every(isAllocation)) return all;
  throw new ApiError('unreadable', 'InvalidResponse', 'allocation.list: an entry is no allocation');
}

/** Where none runs, all are named: then the service refuses for certain, and nothing is left to thaw. */
function signalled(seen: Seen): readonly string[] {
  const running = runningIn(seen);
  return running.length > 0 ? running : Object.keys(seen.tasks);
}

const mayTake = ({ deleting, policy, requests }: Observing): boolean =>
  !deleting && policy.management === 'Full' && !isSuspended(requests, policy);

const pluginFor = ({ pluginID }: Spec, resolved: Resolved): string | undefined =>
  pluginID ?? volumeOf({ resolved })?.['pluginID'];

/**
 * Asked before anything is frozen. Of a plugin whose job has only just started, Nomad says that it supports no snapshots, which
 * would be for a person to change.
 *
 * @throws ApiError if no controller of the plugin is healthy
 */
async function controllersOf(
  read: Reader,
  { spec, resolved }: Observing,
  signal: AbortSignal,
): Promise<void> {
  const id = pluginFor(spec, resolved);
  if (id === undefined) return; // its volume is waited for
  const plugin = await pluginOf<PluginStub>(read, id, signal);
  const { ControllersExpected: expected = 0, ControllersHealthy: healthy = 0 } = plugin ?? {};
  if (expected === 0 || healthy > 0) return;
  throw new ApiError('waiting', 'PluginUnhealthy', `plugin ${id}: controllers 0/${expected} healthy`);
}

function learnt({ spec: { hooks }, status }: S, noted: Json | undefined, reply: Json): Own | undefined {
  const own = parseOwn(noted);
  if (!hooks || !own?.hooks) return status.own;
  return { ...own, hooks: afterFreeze(own.hooks, hooks.before, reply) };
}

/** Whether what was frozen stayed so until the snapshot was taken. @returns why not; empty if it did */
async function closing({ own }: Status<Own>, read: Reader, signal: AbortSignal): Promise<Json> {
  const { quiesce, outcome } = own?.hooks ?? {};
  if (quiesce?.frozen !== true || outcome !== undefined || !takenIn(own)) return '';
  return disturbanceIn(quiesce, await allocationsOf(read, quiesce, quiesce.namespace, signal));
}

/** Reads the allocations that did not confirm the thaw, because they may have ended. */
async function closed(
  status: Status<Own>,
  { reply = {}, seen, ...rest }: Closed,
  read: Reader,
  signal: AbortSignal,
): Promise<Own | undefined> {
  const { own } = status;
  const quiesce = own?.hooks?.quiesce;
  if (!quiesce) return own;
  const gone = new Set<string>();
  const { namespace } = quiesce;
  const look = async (id: string): Promise<void> => {
    const one = await read.read('allocation.read', { id, namespace }, signal);
    if (!one || (isAllocation(one) && seenOf(one, undefined).life === 'ended')) gone.add(id);
  };
  // An allocation that can't be read may still be frozen.
  await Promise.allSettled(leftOf(quiesce, reply).map(({ id }) => look(id)));
  const disturbance = typeof seen === 'string' ? seen : unread;
  const how = { ...rest, reply, disturbance, isGone: (id: string) => gone.has(id) };
  return { ...own, hooks: afterThaw(status, own.hooks, how) };
}

type Op = keyof Operations;

export const csiSnapshot = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  owns: 'scheduler/snapshot',
  connectionField: '/connectionRef',
  parse: parser(declaration),
  parseOwn,
  references: (spec, key) =>
    referencesIn(declaration.references, spec, key).flatMap((reference): readonly Reference[] =>
      reference.field === '/connectionRef' && reference.to === 'object' && spec.hooks
        ? [reference, ...hookReferences(spec.hooks, reference)]
        : [reference],
    ),
  policy: policyOf,
  defaults: managing,
  // The ID counts for the access rules: who may use a volume or a snapshot by its ID may read its data.
  externalName: (spec, key) => spec.snapshotID ?? spec.volumeID ?? spec.externalName ?? key.name,
  locate: (spec, key, { backend, namespace }) => ({
    backend,
    namespace,
    snapshot:
      spec.snapshotID === undefined
        ? `${key.namespace}/${spec.externalName ?? key.name}`
        : `${spec.pluginID}/${spec.snapshotID}`,
  }),
  unplaced: ({ snapshotID, externalName }, { name }, ref) =>
    snapshotID === undefined ? { ...ref, snapshot: externalName ?? name } : undefined,
  descent: descentOf,
  async observe(read, context, signal) {
    const wanted = sought(context);
    if (!wanted) {
      if (mayTake(context)) await controllersOf(read, context, signal);
      return {
        state: 'absent',
        ...(mayFreeze(context) && { related: await writers(read, context, signal) }),
      };
    }
    const secrets = csiSecretsOf(context.spec, context.resolved, context.deleting);
    const { id, pluginID, takenAt } = wanted;
    const snapshot = await found(read, { ...target(context), id, pluginID, secrets }, signal);
    if (snapshot === 'unlistable') return { state: 'unknown' };
    // Lists may lag behind, so the snapshot may exist. It is deleted in any case, which succeeds even if it is gone.
    if (!snapshot && context.deleting && takenIn(context.status.own)) return { state: 'unknown' };
    // The ID now belongs to another snapshot: the recorded one is gone.
    const isAnother = snapshot && takenAt !== undefined && (snapshot.CreateTime ?? 0) !== takenAt;
    return snapshot && !isAnother ? { state: 'present', live: { snapshot, pluginID } } : { state: 'absent' };
  },
  plan,
  record: recorded,
  learn(s, step, reply) {
    if (step.verb === 'act') return learnt(s, step.noted, reply);
    const answer = toldIn(reply);
    // The create counts as unanswered, and is repeated.
    if (!answer)
      throw new ApiError('unreadable', 'InvalidResponse', 'snapshot.create: the answer names no snapshot');
    const { volumeID, pluginID, disk } = sourceOf(s);
    const hooks = atCreate(s);
    const from = { volumeID, pluginID, ...(disk !== undefined && { disk }) };
    return { ...answer, ...from, ...(hooks && { hooks }) };
  },
  open,
  closing,
  closed,
  data: ({ own }) => [takenIn(own) ?? []].flat().map((taken) => snapshotData(taken)),
  declaredData: ({ snapshotID: id, pluginID = '' }) =>
    id === undefined ? [] : [{ name: snapshotData({ id, pluginID }), ifAllowed: true }],
  report,
  uses: ({ hooks }, policy) => {
    const mayWrite = policy.management === 'Full';
    const used = usesOf<Op>(['snapshot.list'], ['plugin.list', 'snapshot.create'], mayWrite);
    return [...used, ...(hooks && mayWrite ? hookUses(hooks) : [])];
  },
  prerequisite(spec, resolved) {
    const id = spec.snapshotID === undefined ? pluginFor(spec, resolved) : undefined;
    return id === undefined ? undefined : pluginWith(id);
  },
  discovery: [discovery],
  outputs: (spec, { own, externalRef }) => ({
    // In a dry run, the snapshot may be yet to be taken. Otherwise a snapshot without an ID can't be used.
    snapshotID: takenIn(own)?.id ?? spec.snapshotID ?? (externalRef ? '' : 'yet to be taken'),
    pluginID: takenIn(own)?.pluginID ?? spec.pluginID ?? '',
  }),
});
