// AllocationAction: from the selection to the last result, one wave per step. PURE.
//
// Guarantees: no call is made before the allocations and the call itself are recorded. A command, signal or restart
// reaches an allocation at most once, even after a crash; a call that was begun and not answered is Unknown.
import type { AllocationsEffect } from '../../api/routes.ts';
import { blocked, gone, stalled, type Later, type Plan, type Step } from '../../core/planning/plan.ts';
import { elsewhere } from '../../core/planning/planner.ts';
import { takeNext } from '../../core/planning/rollout.ts';
import type { Situation } from '../../core/planning/situation.ts';
import { nameOf } from '../../schema/scheduler/allocation-actions.ts';
import { toMs } from '../../schema/parts.ts';
import { allocationNamed, type Seen, type Selected } from '../../schema/scheduler/allocations.ts';
import { afterwards, beforehand, callsOn } from './calls.ts';
import { intents, isFinal, remembered, type Own, type Result } from './own.ts';
import { failureOf, hasFailed, hasSucceeded, progressOf } from './progress.ts';
import type { Spec } from './schema.ts';
import { msOf, textOf } from './time.ts';
import { counted } from '../../core/text/count.ts';

/** The result of an observation. */
export interface Live {
  /** Before the action begins: the selected allocations. */
  readonly selected: readonly Selected[];
  /** The allocations that were read. `null`: there is no such allocation. */
  readonly allocations: Readonly<Record<string, Seen | null>>;
}

export const nothing: Live = { selected: [], allocations: {} };

export type ActionSituation = Situation<Spec, Live, Own>;
type S = ActionSituation;
export type ActionEffect = AllocationsEffect;
type ActionPlan = Plan<ActionEffect>;

const againMs = 1_000;
/** How often it is asked whether what is frozen may be disturbed by now. */
const lookMs = 10_000;
/** How long an unanswered call may take to show its effect. */
const settleMs = 5_000;
const timeoutDefault = '1h';
/** Time limits for commands: without a timeout, and at most. */
const commands = { timeMs: 300_000, mostMs: Infinity };
/** Maximum number of waves that a plan shows. */
const shownMax = 16;

export const ownOf = (s: Pick<S, 'spec' | 'status' | 'doubt'>): Own | undefined =>
  remembered(s, s.spec.action.stop !== undefined);

export function plan(s: S): ActionPlan {
  const early = elsewhere(s);
  if (early) return early;
  if (s.deleting) return gone('what it did is done', false);
  const live = s.observed.state === 'present' ? s.observed.live : nothing;
  const own = ownOf(s);
  if (!own) return begin(s, live);
  if (own.finishedAt === undefined) return proceed(s, live, own);
  if (!hasSucceeded(own))
    return stalled(own.expired ? 'ActionExpired' : 'ActionFailed', failureOf(own), { on: 'edit' });
  return { verdict: 'in-sync', drift: [], applied: {} };
}

const copied =
  'it bears the record of another object, as copies and restored backups do, so it may have been done: ' +
  'remove the annotation holdfast.dev/intent and the finalizer to have it done, or declare another one';
const unreadable =
  'it was begun, and its record can not be read, so it may have been done: declare another one';

const notRepeated = (message: string): ActionPlan => stalled('ActionNotRepeated', message, { on: 'edit' });

function begin(s: S, { selected }: Live): ActionPlan {
  const { spec } = s;
  if (s.doubt === 'copied') return notRepeated(copied);
  // A held object has a record, so this one can't be read.
  if (s.held) return notRepeated(unreadable);
  // An unreadable time counts as passed.
  if (spec.notAfter !== undefined && !(s.wallMs <= msOf(spec.notAfter))) return expire(s, spec.notAfter);
  const startedAt = textOf(s.wallMs);
  const results = selected.map((one): Result => ({ ...one, phase: 'Pending' }));
  const none = results.length === 0 && {
    finishedAt: startedAt,
    message: 'no allocation that has not ended is selected',
  };
  const own: Own = { startedAt, results, ...none };
  const first: Step<ActionEffect> = {
    verb: 'act',
    summary: `begin: ${nameOf(spec.action)} of ${counted(results.length, 'allocation')}`,
    changes: [],
    intent: { op: intents.begin, token: s.uid },
    noted: own,
    own,
  };
  return { verdict: 'change', steps: [first, ...forecast(spec, results)] };
}

function expire(s: S, notAfter: string): ActionPlan {
  const now = textOf(s.wallMs);
  const message = `/notAfter: it had not begun by ${notAfter}`;
  return note(`end: ${message}`, { startedAt: now, finishedAt: now, expired: true, message, results: [] });
}

function forecast(spec: Spec, results: readonly Result[]): readonly Later[] {
  const size = spec.rollout?.maxParallel ?? 1;
  const waves = Array.from({ length: Math.min(Math.ceil(results.length / size), shownMax) }, (_, n) =>
    results.slice(n * size, (n + 1) * size),
  );
  return waves.map((wave) => ({ verb: 'act', summary: summaryOf(spec, wave), changes: [] }));
}

function summaryOf({ action }: Spec, wave: readonly Result[]): string {
  const ids = wave.map(({ allocation }) => allocation);
  const others = ids.length > 1 ? ` and ${ids.length - 1} more` : '';
  return `${nameOf(action).toLowerCase()} ${ids.slice(0, 1).join()}${others}`;
}

function proceed(s: S, live: Live, before: Own): ActionPlan {
  const progress = progressOf(before);
  const waiting = (atMs: number): ActionPlan => blocked('ActionInProgress', progress, { on: 'time', atMs });
  // A visit ends after each step, so that its results are stored before the next call.
  if (s.status.observed?.['progress'] !== progress) return waiting(s.nowMs);
  const isOver = s.wallMs - msOf(before.startedAt) > toMs(s.spec.timeout ?? timeoutDefault);
  const own = judged(s, live, before, isOver);
  if (progressOf(own) !== progress) return note(progressOf(own), own);
  if (own.results.some(({ phase }) => phase === 'Started')) return waiting(s.nowMs + againMs);
  const isHalted = s.spec.rollout?.onFailure !== 'Continue' && own.results.some(hasFailed);
  const pending = own.results.filter(({ phase }) => phase === 'Pending');
  if (isOver || isHalted || pending.length === 0) return conclude(s, own, isOver && pending.length > 0);
  const pausedMs = pauseLeft(s, own);
  return pausedMs > 0 ? waiting(s.nowMs + pausedMs) : nextWave(s, live, own, waiting);
}

/** The record with the results of started calls. @param isOver the timeout has passed */
function judged(s: S, { allocations }: Live, own: Own, isOver: boolean): Own {
  const finishedAt = textOf(s.wallMs);
  const results = own.results.map((one): Result => {
    if (isFinal(one)) return { finishedAt, ...one };
    if (one.phase === 'Pending') return one;
    const seen = allocations[one.allocation];
    const next = seen && allocations[seen.next];
    const found = seen === undefined ? undefined : afterwards(s.spec.action, one, seen, next);
    if (found) return { ...one, ...found, finishedAt };
    if (!isOver) return one;
    return { ...one, phase: 'Failed', message: 'it did not run again, or end, in time', finishedAt };
  });
  return { ...own, results };
}

const note = (summary: string, own: Own): ActionPlan => ({
  verdict: 'change',
  steps: [{ verb: 'act', summary, changes: [], own }],
});

function conclude(s: S, own: Own, timedOut: boolean): ActionPlan {
  const message = timedOut && { message: `/timeout: not done within ${s.spec.timeout ?? timeoutDefault}` };
  const ended = { ...own, finishedAt: textOf(s.wallMs), ...message };
  return note(hasSucceeded(ended) ? 'end: all succeeded' : `end: ${failureOf(ended)}`, ended);
}

/** Milliseconds until the next wave may begin. */
function pauseLeft(s: S, { results }: Own): number {
  const begun = results.filter(({ phase }) => phase !== 'Pending').length;
  const { pause } = s.spec.rollout ?? {};
  if (pause === undefined || begun === 0) return 0;
  return s.since(`${begun} of ${s.uid} begun`) + toMs(pause) - s.nowMs;
}

/** The allocations of the next wave, once no call is under way. */
export const nextOf = ({ rollout }: Spec, { results }: Own): readonly string[] =>
  takeNext({
    all: results.flatMap(({ allocation, phase }) => (phase === 'Pending' ? [allocation] : [])),
    underWay: new Set(),
    atOnce: rollout?.maxParallel ?? 1,
  });

function nextWave(s: S, { allocations }: Live, own: Own, waiting: (atMs: number) => ActionPlan): ActionPlan {
  const { action } = s.spec;
  const turn = new Set(nextOf(s.spec, own));
  const showsMs = settledMs(s, own, turn);
  if (s.nowMs < showsMs) return waiting(showsMs);
  const startedAt = textOf(s.wallMs);
  const begun: Result[] = [];
  const results = own.results.map((one): Result => {
    const seen = allocations[one.allocation];
    if (!turn.has(one.allocation) || seen === undefined) return one;
    const { again: _, ...first } = one;
    const found = beforehand(action, seen);
    if (found) return { ...first, ...found, ...(isFinal(found) && { finishedAt: startedAt }) };
    const before = action.restart && seen && { before: seen.restarts };
    const started: Result = { ...first, phase: 'Started', startedAt, ...before };
    begun.push(started);
    return started;
  });
  const after: Own = { ...own, results };
  if (begun.length === 0) return note(progressOf(after), after);
  const namespace = s.ref['namespace'] ?? '';
  const calls = begun.flatMap(({ allocation: id }) =>
    callsOn(action, allocations[id], { id, namespace }, commands),
  );
  const step: Step<ActionEffect> = {
    verb: 'act',
    summary: summaryOf(s.spec, begun),
    changes: [],
    effect: { port: 'allocations', op: 'allocations.call', calls },
    intent: { op: intents.wave, token: [...turn].join(' ') },
    noted: after,
    disturbs: begun.map(({ allocation }) => allocationNamed(allocation)),
    dueMs: lookMs,
  };
  return { verdict: 'change', steps: [step] };
}

/** When the effect of unanswered calls would show, monotonic. */
const settledMs = (s: S, { results }: Own, turn: ReadonlySet<string>): number =>
  Math.max(
    0,
    ...results
      .filter(({ allocation, again }) => again === true && turn.has(allocation))
      .map(({ allocation }) => s.since(`asked of ${allocation}`) + settleMs),
  );
