// LDAPStaticRole: notifies consumers of a new password, one step at a time. PURE.
//
// Guarantees: every allocation that runs when its consumer's turn comes is notified at least once of each rotation. If
// the scheduler shows the event of a call whose response was lost, it is notified exactly once. A workload is restarted
// exactly once: it carries the instant of the rotation.
import type { Effect } from '../../api/routes.ts';
import { blocked, type Blocked, type Plan, type Step } from '../../core/planning/plan.ts';
import { conditionOf } from '../../core/status/condition.ts';
import type { Live, RoleSituation } from './body.ts';
import {
  attemptOf,
  isJob,
  nameOf,
  namespaceOf,
  turnOf,
  viaOf,
  type Consumer,
  type JobConsumer,
  type Seen,
  type Turn,
  type WorkloadConsumer,
} from './consumers.ts';
import { withTold, type Own, type Telling, type Told } from './own.ts';

type S = RoleSituation;

/** How long the effect of a call may take to show before the call is repeated. */
const settleMs = 5_000;
const againMs = 2_000;
/** A visit ends after so many steps, to record the progress. */
const stepsPerVisit = 8;

/** @returns `undefined` if no consumer can be notified now */
export function tell(s: S, live: Live, own: Own): Plan<Effect> | undefined {
  const { telling } = own;
  const turn = turnOf(s, live.answers);
  if (!telling || !turn) return undefined;
  const waiting = (untilMs: number): Blocked =>
    blocked('NotificationInProgress', progress(turn, telling), { on: 'time', atMs: untilMs });
  const pause = waiting(s.nowMs);
  const ends = telling.steps > 0 && telling.steps % stepsPerVisit === 0;
  if (ends && conditionOf(s.status.conditions, 'Reconciling')?.message !== pause.message) return pause;
  const step = nextStep(s, live, own, { ...turn, telling });
  return typeof step === 'number' ? waiting(step) : { verdict: 'change', steps: [step] };
}

/** Changes with each step, see `tell`. */
function progress({ consumer, told }: Turn, { steps }: Telling): string {
  const left = (told?.left.length ?? 0) + Object.keys(told?.under ?? {}).length;
  const what = told ? `${left} allocations of ${nameOf(consumer)} left` : nameOf(consumer);
  return `${consumer.field}: ${what} (${steps} steps made)`;
}

type InTelling<C extends Consumer = JobConsumer> = Turn<C> & { readonly telling: Telling };

/** The next step, or the time of the next observation (monotonic). */
function nextStep(s: S, live: Live, own: Own, turn: InTelling<Consumer>): Step<Effect> | number {
  const { consumer } = turn;
  return isJob(consumer)
    ? nextOfJob(s, live, own, { ...turn, consumer })
    : restart(own, { ...turn, consumer });
}

function restart(own: Own, turn: InTelling<WorkloadConsumer>): Step<Effect> {
  const { consumer, telling } = turn;
  const { workload } = consumer;
  return {
    verb: 'act',
    summary: `restart ${nameOf(consumer)}`,
    changes: [],
    effect: { port: 'source', op: 'workload.restart', workload, token: telling.instant },
    attempt: attemptOf(consumer, telling),
    own: stepped(own, turn, { left: [], under: {}, succeeded: 0 }),
  };
}

function nextOfJob(s: S, live: Live, own: Own, turn: InTelling): Step<Effect> | number {
  const { consumer, told, ask, telling } = turn;
  const { job } = consumer;
  const { listed, allocations } = live.answers;
  if (!told) {
    if (!listed) return s.nowMs + againMs;
    const begun: Told = {
      left: listed,
      under: {},
      succeeded: s.status.tries[attemptOf(consumer, telling)] ?? 0,
    };
    return note(own, turn, begun, `job ${job.id}: ${listed.length} allocations are to be told`);
  }
  if (!allocations) return s.nowMs + againMs;
  const [first = ''] = ask;
  const seen = allocations[first];
  if (told.open) return settle(s, own, turn, told, told.open, seen);
  if (told.left.includes(first)) {
    if (seen?.running === true) return call(s, own, turn, told, first, seen);
    return note(own, turn, without(told, first), `${first} of job ${job.id} runs no more`);
  }
  const back = ask.filter((id) => isBack(allocations[id], told.under[id] ?? ''));
  if (back.length === 0) return s.nowMs + againMs;
  const under = Object.fromEntries(Object.entries(told.under).filter(([id]) => !back.includes(id)));
  return note(own, turn, { ...told, under }, `job ${job.id}: ${back.length} allocations run again`);
}

const isBack = (seen: Seen | undefined, before: string): boolean =>
  !seen || seen.ended || (seen.running && seen.tasksRun && seen.restarts !== before);

/** Finds out whether a call without a response was made. */
function settle(
  s: S,
  own: Own,
  turn: InTelling,
  told: Told,
  open: NonNullable<Told['open']>,
  seen: Seen | undefined,
): Step<Effect> | number {
  const { allocation: id, restarts } = open;
  const { job } = turn.consumer;
  if (seen && Number(seen.event) > Number(open.event)) {
    return note(own, turn, after(turn.consumer, told, id, restarts), `${id} of job ${job.id} was told`);
  }
  if (seen?.running !== true)
    return note(own, turn, without(told, id), `${id} of job ${job.id} runs no more`);
  const seenMs = s.since(`told ${id} of ${turn.telling.instant}`) + settleMs;
  return s.nowMs < seenMs ? seenMs : call(s, own, turn, told, id, seen);
}

function call(s: S, own: Own, turn: InTelling, told: Told, id: string, seen: Seen): Step<Effect> {
  const { consumer, telling } = turn;
  const done = after(consumer, told, id, seen.restarts);
  const evidence = {
    instant: telling.instant,
    consumer: consumer.key,
    allocation: id,
    event: seen.event,
    restarts: seen.restarts,
  };
  return {
    ...asked(consumer, { id, namespace: namespaceOf(consumer, s.resolved) }),
    verb: 'act',
    changes: [],
    via: viaOf(consumer),
    intent: { op: 'consume', token: `${telling.instant} ${id}`, evidence },
    attempt: attemptOf(consumer, telling),
    own: stepped(own, turn, { ...done, succeeded: told.succeeded + 1 }),
  };
}

function asked(
  { job }: JobConsumer,
  params: { readonly id: string; readonly namespace: string },
): { readonly summary: string; readonly effect: Effect } {
  const { action, task, signal = 'SIGHUP' } = job;
  const body = task === undefined ? {} : { Task: task };
  const port = 'scheduler';
  if (action === 'Restart') {
    const summary = `restart ${params.id} of job ${job.id}`;
    return { summary, effect: { port, op: 'allocation.restart', params, body } };
  }
  const summary = `send ${signal} to ${params.id} of job ${job.id}`;
  return { summary, effect: { port, op: 'allocation.signal', params, body: { Signal: signal, ...body } } };
}

/** Progress after a call. A restarted allocation does not run again yet. */
function after({ job }: JobConsumer, told: Told, id: string, restarts: string): Told {
  const rest = without(told, id);
  return job.action === 'Restart' ? { ...rest, under: { ...rest.under, [id]: restarts } } : rest;
}

const without = ({ open: _open, left, ...told }: Told, id: string): Told => ({
  ...told,
  left: left.filter((other) => other !== id),
});

const stepped = (own: Own, { consumer, telling }: InTelling<Consumer>, told: Told): Own =>
  withTold(own, { ...telling, steps: telling.steps + 1 }, consumer.key, told);

/** Changes only the status. */
const note = (own: Own, turn: InTelling, told: Told, summary: string): Step<Effect> => ({
  verb: 'act',
  summary,
  changes: [],
  own: stepped(own, turn, told),
});
