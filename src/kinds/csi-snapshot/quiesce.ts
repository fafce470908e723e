// CSISnapshot: freezes the allocations that write to the volume before the snapshot is taken, and thaws them. PURE.
//
// Guarantees: the allocations, and how they are thawed, are recorded before a freeze is requested, and only that record
// decides about the thaw. The same hooks freeze allocations at most `triesMax` times.
import * as z from 'zod';
import type { AllocationsEffect, Urgent } from '../../api/routes.ts';
import { shortHash } from '../../core/hash.ts';
import type { Closed, Open } from '../../core/kind/kind.ts';
import { blocked, stalled, type Blocked, type Change, type Later } from '../../core/planning/plan.ts';
import { triesMax } from '../../core/planning/policy.ts';
import type { Json } from '../../core/secret.ts';
import { hasUnansweredCreate, type Status } from '../../core/status/status.ts';
import {
  answersIn,
  callsOf,
  exitFailure,
  type Action,
  type Answer,
} from '../../schema/scheduler/allocation-actions.ts';
import { allocationNamed } from '../../schema/scheduler/allocations.ts';
import { deadlineMsOf, hookFields, type Hooks } from '../../schema/scheduler/hooks.ts';
import { sourceOf, type SnapshotSituation } from './body.ts';
import { takenIn, type HooksOwn, type Outcome, type Own, type Quiesce } from './own.ts';

type S = SnapshotSituation;

const allocationsMax = 32;
const retryMs = 5_000;
/** How long an unanswered request may take to arrive. */
const settleMs = 5_000;
/** Time limit for a command that thaws. */
const thawMs = 60_000;
const messageMax = 256;

const said = (message: string): string => message.slice(0, messageMax);

const hashOf = (hooks: Hooks): string => shortHash(hooks);

/** Whether a freeze may be planned next. Only then are the allocations read. */
export const mayFreeze = ({
  spec: { hooks },
  status: { own, pending },
  policy,
  deleting,
}: Pick<S, 'spec' | 'status' | 'policy' | 'deleting'>): boolean =>
  hooks !== undefined &&
  !deleting &&
  policy.management === 'Full' &&
  pending?.op !== 'create' &&
  own?.hooks?.quiesce === undefined;

/** What must be done, or awaited, before the snapshot is taken. `undefined`: nothing more. */
export function freeze(s: S): Change<AllocationsEffect> | Blocked | undefined {
  const { hooks } = s.spec;
  if (!hooks) return undefined;
  const { own } = s.status;
  const before = own?.hooks?.of === hashOf(hooks) ? own.hooks : undefined;
  const { quiesce } = own?.hooks ?? {};
  if (quiesce?.frozen === true && s.wallMs < quiesce.untilMs) return undefined;
  if (hooks.onFailure === 'Continue' && before) return undefined;
  return (before && pause(s, before)) ?? denied(s) ?? begin(s, hooks, before);
}

/** Of a freeze without an answer: Holdfast was stopped meanwhile, or the service did not say. */
const interrupted = 'the freeze was interrupted, so no snapshot was taken';

/** The wait after a failed freeze. */
function pause(s: S, { tries, message = interrupted, quiesce }: HooksOwn): Blocked | undefined {
  if (tries >= triesMax) return stalled('QuiesceFailed', `${message} (tried ${tries} times)`, { on: 'edit' });
  const dueMs = s.since(`quiesce ${tries}`) + tries * retryMs;
  const isDue = s.nowMs >= dueMs && !quiesce;
  return isDue
    ? undefined
    : blocked('QuiesceFailed', message, { on: 'time', atMs: Math.max(s.nowMs, dueMs) });
}

function denied({ resolved }: S): Blocked | undefined {
  for (const field of hookFields) {
    const found = resolved.get(field);
    if (!found || !('message' in found)) continue;
    const message = `${field}: ${found.message}`;
    return found.state === 'denied'
      ? stalled('AccessDenied', message, { on: 'object' })
      : blocked('DependencyNotReady', message, { on: 'object' });
  }
  return undefined;
}

/** The allocations that are frozen, in the form of `observed.related`. */
const writers = z.object({
  allocations: z.array(z.string()),
  tasks: z.record(z.string(), z.array(z.string())).exactOptional(),
  restarts: z.record(z.string(), z.string()).exactOptional(),
});

function begin(
  s: S,
  hooks: Hooks,
  before: HooksOwn | undefined,
): Change<AllocationsEffect> | Blocked | undefined {
  const { selector, onFailure } = hooks;
  const { allocations, ...more } = writers.safeParse(s.observed.related).data ?? { allocations: [] };
  const found = allocations.length === 0 ? 'no allocation' : `more than ${allocationsMax} allocations`;
  if (allocations.length === 0 || allocations.length > allocationsMax) {
    if (onFailure === 'Continue') return undefined;
    return stalled('QuiesceFailed', `/hooks/selector: ${found} of job ${selector.job} run`, { on: 'live' });
  }
  const { volumeID } = sourceOf(s);
  const { backend = '', namespace = '' } = s.ref;
  const quiesce: Quiesce = {
    connection: s.spec.connectionRef.name,
    backend,
    namespace,
    volumeID,
    ...selector,
    untilMs: s.wallMs + deadlineMsOf(hooks),
    allocations: [...allocations],
    ...more,
    frozen: false,
    unsure: true,
    after: hooks.after,
    failures: 0,
  };
  const tries = (before?.tries ?? 0) + 1;
  const noted: Own = { hooks: { of: hashOf(hooks), tries, quiesce } };
  const summary = `freeze ${several(allocations)} of job ${selector.job}`;
  const time = { timeMs: deadlineMsOf(hooks) };
  const later: readonly Later[] = [
    { verb: 'create', summary: `take a snapshot of ${volumeID}`, changes: [] },
    { verb: 'act', summary: thawing(quiesce), changes: [] },
  ];
  return {
    verdict: 'change',
    steps: [
      {
        verb: 'act',
        summary,
        changes: [],
        effect: { ...callsOn('freeze', hooks.before, quiesce, time), withinMs: time.timeMs },
        intent: { op: 'quiesce', token: `${summary} (${tries})` },
        noted,
        opens: namesOf(quiesce),
      },
      ...later,
    ],
  };
}

const several = ({ length }: readonly string[]): string =>
  length === 1 ? '1 allocation' : `${length} allocations`;

const thawing = ({ allocations, job }: Quiesce): string => `thaw ${several(allocations)} of job ${job}`;

const namesOf = ({ backend, namespace, volumeID, job, allocations }: Quiesce): readonly string[] => [
  `volume ${backend} ${namespace} ${volumeID}`,
  `job ${backend} ${namespace} ${job}`,
  ...allocations.map(allocationNamed),
];

const callsOn = (
  urgent: Urgent,
  action: Action,
  { allocations, tasks = {}, namespace }: Quiesce,
  time: Parameters<typeof callsOf>[3],
): AllocationsEffect => ({
  port: 'allocations',
  op: 'allocations.call',
  calls: allocations.flatMap((id) => callsOf(action, tasks[id] ?? [], { id, namespace }, time)),
  urgent,
});

/** Why the action failed in an allocation. `undefined`: it succeeded. */
function failureIn(action: Action, answer: Answer | undefined): string | undefined {
  if (!answer) return 'no answer tells of it';
  return answer.is === 'done' ? exitFailure(action, answer) : answer.message;
}

/** Records the answers to a freeze. Allocations that certainly did not freeze are not thawed. */
export function afterFreeze({ quiesce, ...hooks }: HooksOwn, before: Action, reply: Json): HooksOwn {
  if (!quiesce) return hooks;
  const answers = answersIn(reply);
  const isPossible = (id: string): boolean => {
    const { is = 'unknown', ...more } = answers[id] ?? {};
    return is === 'done' || is === 'unknown' || 'partial' in more;
  };
  const allocations = quiesce.allocations.filter(isPossible);
  const [failure] = quiesce.allocations.flatMap((id) => {
    const why = failureIn(before, answers[id]);
    return why === undefined ? [] : [said(`/hooks/before: ${id}: ${why}`)];
  });
  const message = failure !== undefined && { message: failure };
  if (allocations.length === 0) return { ...hooks, ...message };
  const { unsure: _, ...sure } = quiesce;
  const isSure = allocations.every((id) => answers[id]?.is === 'done');
  return {
    ...hooks,
    ...message,
    quiesce: { ...(isSure ? sure : quiesce), allocations, frozen: failure === undefined },
  };
}

/** The thaw of the allocations that are frozen, or may be. */
export function open({ own }: Pick<Status<Own>, 'own'>): Open<AllocationsEffect> | undefined {
  const quiesce = own?.hooks?.quiesce;
  if (!quiesce) return undefined;
  const { connection, backend, untilMs, allocations, job, after, thawedMs, why } = quiesce;
  const isOrAre = allocations.length === 1 ? 'is' : 'are';
  const how = thawedMs === undefined ? 'not thawed yet' : 'to be thawed once more';
  return {
    connection: { kind: 'SchedulerConnection', namespace: '', name: connection },
    backend,
    untilMs,
    names: namesOf(quiesce),
    summary: thawing(quiesce),
    effect: callsOn('thaw', after, quiesce, { timeMs: thawMs }),
    unanswered: {
      reason: 'ThawPending',
      message: [`${several(allocations)} of job ${job} ${isOrAre} ${how}`, allocations[0], why ?? []]
        .flat()
        .join(': '),
    },
    ...(thawedMs !== undefined && { againMs: settleMs }),
  };
}

/** The record of the hooks when the create is answered. `undefined`: the snapshot has no hooks. */
export function atCreate(s: S): HooksOwn | undefined {
  const { own } = s.status;
  const { hooks } = s.spec;
  const before = own?.hooks ?? (hooks && { of: hashOf(hooks), tries: 0 });
  if (!before || before.quiesce) return before;
  return { ...before, outcome: hasUnansweredCreate(s.status) ? 'QuiesceInterrupted' : 'QuiesceFailed' };
}

/** Judges by the status from before the thaw. `undefined`: no snapshot is taken, and no create is unanswered. */
function judged(
  status: Pick<Status<Own>, 'own' | 'pending'>,
  { frozen }: Quiesce,
  late: boolean,
  disturbance: string,
): Outcome | undefined {
  if (!takenIn(status.own)) return hasUnansweredCreate(status) ? 'QuiesceInterrupted' : undefined;
  if (!frozen) return 'QuiesceFailed';
  if (late) return 'QuiesceExpired';
  return disturbance === '' ? 'Quiesced' : 'QuiesceDisturbed';
}

const failuresMax = 3;
const expired = 'the deadline passed before the snapshot could be taken';

interface Thawed extends Omit<Closed, 'seen'> {
  /** Which allocation may have written while it was to be frozen, and why. Empty: none. */
  readonly disturbance: string;
  /** Whether an allocation that did not confirm the thaw has ended. */
  readonly isGone: (id: string) => boolean;
}

/** Records the answers to a thaw. */
export function afterThaw(
  status: Pick<Status<Own>, 'own' | 'pending'>,
  { quiesce: before, ...hooks }: HooksOwn,
  { reply, late, wallMs, isGone, disturbance }: Thawed,
): HooksOwn {
  if (!before) return hooks;
  const { why: _, ...quiesce } = before;
  const outcome = hooks.outcome ?? judged(status, quiesce, late, disturbance);
  const isNewlyDisturbed = outcome === 'QuiesceDisturbed' && hooks.outcome === undefined;
  const told = isNewlyDisturbed ? disturbance : hooks.message;
  const message = told ?? (late && outcome === undefined ? expired : undefined);
  const ended = { ...hooks, ...(outcome && { outcome }), ...(message !== undefined && { message }) };
  const left = leftOf(quiesce, reply ?? {}).filter(({ id }) => !isGone(id));
  const isRefused = left.some(({ answered }) => answered);
  const failures = quiesce.failures + Number(isRefused);
  const [one] = left;
  if (!one) {
    const thawedMs = Math.min(quiesce.thawedMs ?? wallMs, wallMs); // the date may have been set back
    const isOver = quiesce.unsure !== true || wallMs - thawedMs >= settleMs;
    return isOver || quiesce.allocations.every(isGone)
      ? ended
      : { ...ended, quiesce: { ...quiesce, thawedMs } };
  }
  const unthawed = said(`/hooks/after: ${one.id}: ${one.why}`);
  // Each of them answered, so the service works, and more attempts may do harm.
  if (failures >= failuresMax && left.every(({ answered }) => answered)) return { ...ended, unthawed };
  const why = reply !== undefined && { why: said(one.why) };
  return { ...ended, quiesce: { ...quiesce, failures, allocations: left.map(({ id }) => id), ...why } };
}

/** The allocations that did not confirm the thaw. */
export const leftOf = ({ allocations, after }: Quiesce, reply: Json) => {
  const answers = answersIn(reply);
  return allocations.flatMap((id) => {
    const why = failureIn(after, answers[id]);
    return why === undefined ? [] : [{ id, why, answered: answers[id]?.is === 'done' }];
  });
};
