// LDAPStaticRole: notifies consumers of a new password, one step at a time. PURE.
//
// Guarantees: every allocation that has not ended when its consumer's turn comes is notified at least once of each rotation. If
// the scheduler shows the event of a call whose response was lost, it is notified exactly once. A workload is restarted
// exactly once: it carries the instant of the rotation. Who does not come back after a restart is named, and holds up
// nobody but the other allocations of its own job. Who refuses a call holds up nobody. Who does not run just now, and has
// not ended, is named, notified once it runs, and holds up nobody. Who is frozen for a snapshot is notified once it is thawed.
import type { Effect } from '../../api/routes.ts';
import { blocked, type Blocked, type Plan, type Step } from '../../core/planning/plan.ts';
import { conditionOf } from '../../core/status/condition.ts';
import { allocationNamed } from '../../schema/scheduler/allocations.ts';
import type { Live, RoleSituation } from './body.ts';
import { problemMs } from './schedule.ts';
import {
  attemptOf,
  hasOthers,
  isJob,
  nameOf,
  namespaceOf,
  turnOf,
  viaOf,
  type Consumer,
  type Job,
  type JobConsumer,
  type AllocationState,
  type Turn,
  type WorkloadConsumer,
} from './consumers.ts';
import { counted } from '../../core/text/count.ts';
import { withProgress, type Own, type Notification, type ConsumerProgress } from './own.ts';

type S = RoleSituation;

/** How long the effect of a call may take to show before the call is repeated. */
const settleMs = 5_000;
const againMs = 2_000;
/** How often it is asked whether what a snapshot has frozen may be told by now. */
const lookMs = 10_000;
/** Images are pulled, and restarts are delayed. Whoever needs longer is waited for no more often than once a minute. */
const backMs = 300_000;
/** A visit ends after so many steps, to record the progress. */
const stepsPerVisit = 8;

/** @returns `undefined` if no consumer can be notified now */
export function notify(s: S, live: Live, own: Own): Plan<Effect> | undefined {
  const { notification } = own;
  const turn = turnOf(s, live.answers);
  if (!notification || !turn) return undefined;
  const waiting = (untilMs: number): Blocked =>
    blocked('NotificationInProgress', progressText(turn, notification), { on: 'time', atMs: untilMs });
  const pause = waiting(s.nowMs);
  const ends = notification.steps > 0 && notification.steps % stepsPerVisit === 0;
  if (ends && conditionOf(s.status.conditions, 'Reconciling')?.message !== pause.message) return pause;
  const step = nextStep(s, live, own, { ...turn, notification });
  if (typeof step === 'number') return waiting(step);
  // What is refused, for one, is so for long, and the others have a password that is dead.
  const retryMs = hasOthers(s, live.answers) ? againMs : problemMs;
  return { verdict: 'change', steps: [step.effect ? { ...step, retryMs } : step] };
}

/** Changes with each step, see `notify`. */
function progressText({ consumer, progress }: Turn, { steps }: Notification): string {
  const left = (progress?.left.length ?? 0) + Object.keys(progress?.under ?? {}).length;
  const what = progress ? `${counted(left, 'allocation')} of ${nameOf(consumer)} left` : nameOf(consumer);
  return `${consumer.field}: ${what} (${counted(steps, 'step')} made)`;
}

type Notifying<C extends Consumer = JobConsumer> = Turn<C> & { readonly notification: Notification };

/** The next step, or the time of the next observation (monotonic). */
function nextStep(s: S, live: Live, own: Own, turn: Notifying<Consumer>): Step<Effect> | number {
  const { consumer } = turn;
  return isJob(consumer)
    ? nextOfJob(s, live, own, { ...turn, consumer })
    : restart(own, { ...turn, consumer });
}

function restart(own: Own, turn: Notifying<WorkloadConsumer>): Step<Effect> {
  const { consumer, notification } = turn;
  const { workload } = consumer;
  return {
    verb: 'act',
    summary: `restart ${nameOf(consumer)}`,
    changes: [],
    effect: { port: 'source', op: 'workload.restart', workload, token: notification.instant },
    attempt: attemptOf(consumer, notification),
    own: stepped(own, turn, { left: [], under: {}, succeeded: 0 }),
  };
}

function nextOfJob(s: S, live: Live, own: Own, turn: Notifying): Step<Effect> | number {
  const { consumer, progress, ask, notification } = turn;
  const { job } = consumer;
  const { listed, allocations } = live.answers;
  if (!progress) {
    if (!listed) return s.nowMs + againMs;
    const begun: ConsumerProgress = {
      left: listed,
      under: {},
      succeeded: s.status.tries[attemptOf(consumer, notification)] ?? 0,
    };
    return note(own, turn, begun, `tell ${counted(listed.length, 'allocation')} of job ${job.id}`);
  }
  if (!allocations) return s.nowMs + againMs;
  const [first = ''] = ask;
  const state = allocations[first];
  if (progress.open) return settle(s, own, turn, progress, progress.open, state);
  if (progress.left.includes(first) && progress.late?.includes(first) !== true)
    return state && !state.ended
      ? tell(s, own, turn, progress, first, state)
      : note(own, turn, without(progress, first), `${first} of job ${job.id} runs no more`);
  const back = ask.filter((id) => isBack(allocations[id], progress.under[id]));
  if (back.length === 0) return overdue(s, own, { ...turn, progress });
  const { late = [], ...others } = progress;
  const under = Object.fromEntries(Object.entries(progress.under).filter(([id]) => !back.includes(id)));
  const still = late.filter((id) => !back.includes(id));
  const next = { ...others, under, ...(still.length > 0 && { late: still }) };
  return note(own, turn, next, `job ${job.id}: ${counted(back.length, 'allocation')} running again`);
}

/** Notes which of the restarted allocations are late, so that the other consumers go on. */
function overdue(
  s: S,
  own: Own,
  turn: Notifying & { readonly progress: ConsumerProgress },
): Step<Effect> | number {
  const { progress, ask, notification, consumer } = turn;
  const { late = [] } = progress;
  const sinceMs = (id: string): number => s.since(`restarted ${id} of ${notification.instant}`);
  const found = ask.filter((id) => !late.includes(id) && s.nowMs - sinceMs(id) >= backMs);
  if (found.length === 0) return s.nowMs + againMs;
  const names = found.join(', ');
  return note(
    own,
    turn,
    { ...progress, late: [...late, ...found] },
    `job ${consumer.job.id}: not running yet: ${names}`,
  );
}

/** Why a consumer is passed over: all that it waits for is late. `undefined`: its turn goes on. */
export function latenessOf(
  { consumer: { job }, progress, ask }: Turn<JobConsumer>,
  allocations: Readonly<Record<string, AllocationState>> = {},
): string | undefined {
  const { late = [], under = {} } = progress ?? {};
  if (ask.length === 0 || !ask.every((id) => late.includes(id))) return undefined;
  if (ask.some((id) => isBack(allocations[id], under[id]))) return undefined;
  const [restarted, others] = [ask.filter((id) => id in under), ask.filter((id) => !(id in under))];
  const whys = [
    ...(restarted.length > 0 ? [`told to restart and not running again since: ${restarted.join(', ')}`] : []),
    ...(others.length > 0 ? [`not told, because it does not run: ${others.join(', ')}`] : []),
  ];
  return `job ${job.id}: ${whys.join('; ')}`;
}

/** @param before restarts before it was restarted. Absent: it waits to be notified */
const isBack = (state: AllocationState | undefined, before: string | undefined): boolean =>
  !state ||
  state.ended ||
  (state.running && (before === undefined || (state.tasksRun && state.restarts !== before)));

/** Finds out whether a call without a response was made. */
function settle(
  s: S,
  own: Own,
  turn: Notifying,
  progress: ConsumerProgress,
  open: NonNullable<ConsumerProgress['open']>,
  state: AllocationState | undefined,
): Step<Effect> | number {
  const { allocation: id, task, restarts } = open;
  const { job } = turn.consumer;
  if (state && Number(eventOf(state, task)) > Number(open.event)) {
    const told = after(turn.consumer, progress, id, { ...state, restarts }, task);
    return note(own, turn, told, `${id} of job ${job.id} was told`);
  }
  if (!state || state.ended)
    return note(own, turn, without(progress, id), `${id} of job ${job.id} runs no more`);
  const seenMs = s.since(`told ${id} of ${turn.notification.instant}`) + settleMs;
  return s.nowMs < seenMs ? seenMs : tell(s, own, turn, progress, id, state);
}

/** The call; or, where no task runs to take it, the note that the allocation is notified after the others. */
function tell(
  s: S,
  own: Own,
  turn: Notifying,
  progress: ConsumerProgress,
  id: string,
  state: AllocationState,
): Step<Effect> {
  const { consumer, notification } = turn;
  const { job } = consumer;
  if (!state.running) {
    const { open: _, signalled: _signalled, late = [], ...rest } = progress;
    const summary = `${id} of job ${job.id} does not run now`;
    return note(own, turn, { ...rest, late: [...late, id] }, summary);
  }
  const isBegun = progress.signalled !== undefined;
  const isApart = job.action === 'Signal' && job.task === undefined && (state.apart || isBegun);
  const task = isApart ? waitingOf(state, progress)[0] : undefined;
  if (isBegun && task === undefined)
    return note(own, turn, without(progress, id), `${id} of job ${job.id} was told`);
  const done = after(consumer, progress, id, state, task);
  const evidence = {
    instant: notification.instant,
    consumer: consumer.key,
    allocation: id,
    ...(task !== undefined && { task }),
    event: eventOf(state, task),
    restarts: state.restarts,
  };
  return {
    ...asked(task === undefined ? job : { ...job, task }, {
      id,
      namespace: namespaceOf(consumer, s.resolved),
    }),
    verb: 'act',
    changes: [],
    via: viaOf(consumer),
    intent: { op: 'consume', token: `${notification.instant} ${id}`, evidence },
    attempt: attemptOf(consumer, notification),
    disturbs: [allocationNamed(id)],
    dueMs: lookMs,
    own: stepped(own, turn, { ...done, succeeded: progress.succeeded + 1 }),
  };
}

/** Running tasks that were not signalled yet, where each is signalled by itself. */
const waitingOf = (
  { runningTasks }: AllocationState,
  { signalled = [] }: ConsumerProgress,
): readonly string[] => runningTasks.filter((task) => !signalled.includes(task));

/** Time of the last event that a call causes. @param task the only one that the call is for. `undefined`: all */
const eventOf = ({ tasks, event }: AllocationState, task: string | undefined): string =>
  task === undefined ? event : (tasks[task] ?? '0');

function asked(
  job: Job,
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

/** Progress after a call. A restarted allocation does not run again yet. @param task the only one that was signalled */
function after(
  { job }: JobConsumer,
  progress: ConsumerProgress,
  id: string,
  state: AllocationState,
  task: string | undefined,
): ConsumerProgress {
  const { restarts } = state;
  const { open: _, signalled = [], ...others } = progress;
  if (task !== undefined) {
    const left = [id, ...progress.left.filter((other) => other !== id)];
    const so = { ...others, left, signalled: [...signalled, task] };
    if (waitingOf(state, so).length > 0) return so;
  }
  const rest = without(progress, id);
  return job.action === 'Restart' ? { ...rest, under: { ...rest.under, [id]: restarts } } : rest;
}

const without = (
  { open: _open, signalled: _signalled, left, ...progress }: ConsumerProgress,
  id: string,
): ConsumerProgress => ({
  ...progress,
  left: left.filter((other) => other !== id),
});

const stepped = (
  own: Own,
  { consumer, notification }: Notifying<Consumer>,
  progress: ConsumerProgress,
): Own => withProgress(own, { ...notification, steps: notification.steps + 1 }, consumer.key, progress);

/** Changes only the status. */
const note = (own: Own, turn: Notifying, progress: ConsumerProgress, summary: string): Step<Effect> => ({
  verb: 'act',
  summary,
  changes: [],
  own: stepped(own, turn, progress),
});
