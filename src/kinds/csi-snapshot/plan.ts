// CSISnapshot: the verbs of its lifecycle. PURE.
import type { Change, InSync, Plan } from '../../core/planning/plan.ts';
import { blocked, stalled, type Blocked } from '../../core/planning/plan.ts';
import type { Lifecycle } from '../../core/planning/lifecycle.ts';
import { managed } from '../../core/planning/planner.ts';
import { creating, triesMax } from '../../core/planning/policy.ts';
import { snapshotData } from '../../schema/scheduler/snapshot-data.ts';
import {
  deleting,
  ofAnotherDisk,
  ofForeignDisk,
  taking,
  volumeOf,
  want,
  type Live,
  type SnapshotEffect,
  type SnapshotSituation,
} from './body.ts';
import { takenIn, type Own } from './own.ts';
import { inconsistency } from './consistency.ts';
import { freeze } from './quiesce.ts';
import { fields, type Spec } from './schema.ts';

type S = SnapshotSituation;

const of = ({ snapshot, pluginID }: Live) => ({ id: snapshot.ID, pluginID });

/** A snapshot that reuses an ID has another creation time. */
const identity = (live: Live): string => `${snapshotData(of(live))}, ${live.snapshot.CreateTime ?? ''}`;

/** What prevents the snapshot now, or must be done before it. */
const prepare = (s: S): Change<SnapshotEffect> | Blocked | undefined => objection(s) ?? freeze(s);

function objection(s: S): Blocked | undefined {
  const { spec, ref, resolved } = s;
  if (spec.snapshotID !== undefined) {
    const message = `/snapshotID: ${spec.pluginID} has no snapshot ${spec.snapshotID}`;
    return stalled('ExternalNotFound', message, { on: 'live' });
  }
  const volume = resolved.get('/volumeRef');
  if (volume && 'message' in volume)
    return blocked('DependencyNotReady', `/volumeRef: ${volume.message}`, { on: 'object' });
  const { backend = ref['backend'], namespace = ref['namespace'] } = volumeOf(s) ?? {};
  if (backend === ref['backend'] && namespace === ref['namespace']) return undefined;
  const message = `/volumeRef: the volume is in ${backend} ${namespace}, the connection leads to ${ref['backend']} ${ref['namespace']}`;
  return stalled('VolumeElsewhere', message, { on: 'edit' });
}

/** Time between two checks whether the snapshot is ready: short at first, then longer. */
const poll = { leastMs: 1_000, mostMs: 60_000, share: 0.5 } as const;

export const notReady = (id: string): string => `the plugin still works on ${id}`;

/** Waits until the snapshot is ready. No event reports that, nor that it is lost, so it is checked at intervals, also where a person is needed. */
function act(s: S, live: Live, _differing: unknown, rest: InSync): Plan<SnapshotEffect> {
  const inMs = live.snapshot.IsReady === true ? undefined : pollMs(s, live);
  const foreign = ofForeignDisk(s);
  const wrong =
    foreign === undefined ? inconsistency(s) : ({ reason: 'VolumeReplaced', message: foreign } as const);
  if (wrong) {
    const dueMs = inMs ?? rest.revisitMs;
    return { ...stalled(wrong.reason, wrong.message, { on: 'edit' }), ...(dueMs !== undefined && { dueMs }) };
  }
  if (inMs === undefined) return rest;
  return blocked('SnapshotNotReady', notReady(live.snapshot.ID), { on: 'time', atMs: s.nowMs + inMs });
}

function pollMs(s: S, { snapshot }: Live): number {
  const forMs = s.nowMs - s.since(`not ready: ${snapshot.ID}`);
  return Math.min(Math.max(forMs * poll.share, poll.leastMs), poll.mostMs);
}

const lifecycle: Lifecycle<Spec, Live, Own, keyof typeof fields, SnapshotEffect> = {
  fields,
  want,
  have: () => ({}),
  identity,
  data: (live) => snapshotData(of(live)),
  // The create returned the ID. The identity is recorded once the snapshot is listed.
  isOurs({ status: { own, identity: known } }, live) {
    const { id, pluginID } = takenIn(own) ?? {};
    return known === undefined && id === live.snapshot.ID && pluginID === live.pluginID;
  },
  inUse: () => undefined,
  prepare,
  create: taking,
  unrepeatable(s) {
    const message = ofAnotherDisk(s);
    return message === undefined ? undefined : stalled('VolumeReplaced', message, { on: 'object' });
  },
  hasGivenUp: (s) => (s.status.tries[creating(s)] ?? 0) >= triesMax || ofAnotherDisk(s) !== undefined,
  // Without a recorded ID, only the same create finds the snapshot.
  retract: (s) => {
    const taken = takenIn(s.status.own);
    return taken && deleting(s, taken);
  },
  // Another snapshot would hold the data of another moment.
  revive: () => undefined,
  // Never called: no field can be changed in place.
  update: () => ({ path: '', why: 'a snapshot never changes' }),
  remove: (s, live) => deleting(s, of(live)),
  act,
  unwatched: true,
};

export const plan = managed(lifecycle);
