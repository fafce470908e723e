// LDAPStaticRole: which consumer is notified next of a new password, and what must be read for that. PURE.
import type { Status } from '../../core/status/status.ts';
import type { AllocationStub, TaskState } from '../../api/scheduler/wire.ts';
import type { Workload } from '../../core/effect.ts';
import { shortHash } from '../../core/hash.ts';
import type { Resolved } from '../../core/resource.ts';
import { takeNext } from '../../core/planning/rollout.ts';
import { isRestarting } from '../../schema/scheduler/allocations.ts';
import { remembered, type Own, type Notification, type ConsumerProgress } from './own.ts';
import type { Spec } from './schema.ts';

export type Job = NonNullable<NonNullable<Spec['consumers']>[number]['job']>;

interface Declared {
  /** JSON pointer into the spec. */
  readonly field: string;
  /** Hash of target and action: a consumer with another target or action is another consumer. */
  readonly key: string;
}
export interface JobConsumer extends Declared {
  readonly job: Job;
}
/** It counts as notified once its restart was requested, whether or not its pods are new by then. */
export interface WorkloadConsumer extends Declared {
  readonly workload: Workload;
}
export type Consumer = JobConsumer | WorkloadConsumer;

/** The state of an allocation. */
export interface AllocationState {
  /** A task runs, so it may have the old password. */
  readonly running: boolean;
  /** It, or each of its tasks, has ended or must stop, so it does not run again. */
  readonly ended: boolean;
  /** Some of its tasks run, and none is starting again. */
  readonly tasksRun: boolean;
  /** Its tasks → the time of the last event that the action causes in each. `0`: there is none. */
  readonly tasks: Readonly<Record<string, string>>;
  /** Those that run. A task that ended at its signal shows the event of that all the same. */
  readonly runningTasks: readonly string[];
  /** Some of its tasks do not run: a signal to all of them would be an error. */
  readonly apart?: true;
  /** The same time, of all its tasks. */
  readonly event: string;
  /** Changes with each restart. */
  readonly restarts: string;
}

/** What an observation read about consumers. */
export interface Answers {
  /** Whether workloads can be restarted. */
  readonly restarts: boolean;
  /** Consumer → why it could not be read or restarted. */
  readonly problems: Readonly<Record<string, string>>;
  /** Allocations of the current consumer that may have the old password. */
  readonly listed?: readonly string[];
  /** The allocations that were read. One that does not exist is missing. */
  readonly allocations?: Readonly<Record<string, AllocationState>>;
}

/** The current consumer, and what must be read about it. */
export interface Turn<C extends Consumer = Consumer> {
  readonly consumer: C;
  /** Absent: its notification was not begun. */
  readonly progress?: ConsumerProgress;
  /** Allocations to read. */
  readonly ask: readonly string[];
}

export const viaOf = ({ field }: JobConsumer): string => `${field}/job/connectionRef`;
export function namespaceOf(consumer: JobConsumer, resolved: Resolved): string {
  const connection = resolved.get(viaOf(consumer));
  const usual = connection?.state === 'ready' ? connection.outputs['namespace'] : undefined;
  return consumer.job.namespace ?? usual ?? 'default';
}
/** Name under which calls are counted in `tries`. */
export const attemptOf = (consumer: Consumer, { instant }: Pick<Notification, 'instant'>): string =>
  `consumer ${consumer.key}${isJob(consumer) ? '' : ` ${instant}`}`;
/** Name for messages. */
export const nameOf = (consumer: Consumer): string =>
  isJob(consumer) ? `job ${consumer.job.id}` : `${consumer.workload.kind} ${consumer.workload.name}`;

export const isJob = (consumer: Consumer): consumer is JobConsumer => 'job' in consumer;

/** @param restarts whether workloads can be restarted; if not, they are omitted */
export function consumersOf(spec: Spec, restarts: boolean): readonly Consumer[] {
  const found = new Map<string, Consumer>();
  for (const [at, { job, workload }] of (spec.consumers ?? []).entries()) {
    const field = `/consumers/${at}`;
    const consumer = job ? asJob(field, job) : workload && restarts && asWorkload(field, workload);
    if (consumer && !found.has(consumer.key)) found.set(consumer.key, consumer);
  }
  return [...found.values()];
}

function asJob(field: string, job: Job): JobConsumer {
  const { connectionRef, maxParallel: _pace, ...what } = job;
  return { field, key: shortHash({ ...what, connection: connectionRef.name }), job };
}

const asWorkload = (field: string, workload: Workload): WorkloadConsumer => ({
  field,
  key: shortHash({ ...workload }),
  workload,
});

/** Consumers that are not notified completely, in the order of the spec. */
export const outstanding = (
  spec: Spec,
  { consumers }: Notification,
  restarts: boolean,
): readonly Consumer[] =>
  consumersOf(spec, restarts).filter(({ key }) => {
    const progress = consumers[key];
    return (
      !progress ||
      progress.left.length > 0 ||
      Object.keys(progress.under).length > 0 ||
      progress.open !== undefined
    );
  });

interface Asking {
  readonly spec: Spec;
  readonly resolved: Resolved;
  readonly status: Status<Own>;
}

interface Waiting {
  readonly consumer: Consumer;
  /** How many of its calls have failed. */
  readonly failures: number;
}

/**
 * The consumers that wait for their turn, in order. A consumer that can't be reached is skipped, and one whose calls fail comes
 * last, so that it does not delay the others.
 */
function waitingOf(
  { spec, resolved, status }: Asking,
  { problems, restarts }: Pick<Answers, 'problems' | 'restarts'>,
  notification: Notification,
): readonly Waiting[] {
  const failures = (consumer: Consumer): number => {
    const tries = status.tries[attemptOf(consumer, notification)] ?? 0;
    if (!isJob(consumer)) return tries;
    const progress = notification.consumers[consumer.key];
    return progress ? Math.max(0, tries - progress.succeeded) : 0;
  };
  const isReached = (c: Consumer): boolean => !isJob(c) || resolved.get(viaOf(c))?.state === 'ready';
  return outstanding(spec, notification, restarts)
    .filter((c) => isReached(c) && problems[c.key] === undefined)
    .map((consumer) => ({ consumer, failures: failures(consumer) }))
    .toSorted((a, b) => a.failures - b.failures);
}

/** The next consumer. */
export function turnOf(s: Asking, answers: Pick<Answers, 'problems' | 'restarts'>): Turn | undefined {
  const { notification } = remembered(s.status);
  const waiting = notification && waitingOf(s, answers, notification)[0];
  if (!waiting) return undefined;
  const { consumer, failures } = waiting;
  const progress = notification.consumers[consumer.key];
  return progress && isJob(consumer)
    ? { consumer, progress, ask: toAsk(consumer.job, progress, failures) }
    : { consumer, ask: [] };
}

/** Whether it is another one's turn, should the next call fail. */
export function hasOthers(s: Asking, answers: Pick<Answers, 'problems' | 'restarts'>): boolean {
  const { notification } = remembered(s.status);
  const [first, second] = notification ? waitingOf(s, answers, notification) : [];
  return first !== undefined && second !== undefined && second.failures <= first.failures;
}

/**
 * Allocations that the next step depends on. After each failure it is the turn of another one: who refuses for long holds up none.
 * One of whose tasks some were told goes on, as the first.
 */
function toAsk(
  { maxParallel = 1 }: Job,
  { left, under, late = [], open, signalled }: ConsumerProgress,
  failures: number,
): readonly string[] {
  if (open) return [open.allocation];
  const underWay = Object.keys(under);
  const telling = left.filter((id) => !late.includes(id));
  const first = signalled === undefined && telling.length > 0 ? failures % telling.length : 0;
  const [next] = takeNext({
    all: [...telling.slice(first), ...telling.slice(0, first)],
    underWay: new Set(underWay),
    atOnce: maxParallel,
  });
  if (next !== undefined) return [next];
  return [...underWay, ...left.filter((id) => late.includes(id)).slice(0, lateMax)];
}

/** How many of those that do not run are looked at again at a time. */
const lateMax = 50;

const endings: ReadonlySet<string | undefined> = new Set(['complete', 'failed', 'lost']);

const ended = ({ DesiredStatus, ClientStatus }: AllocationStub): boolean =>
  DesiredStatus === 'stop' || DesiredStatus === 'evict' || endings.has(ClientStatus);

const running = (a: AllocationStub): boolean => a.ClientStatus === 'running' && !ended(a);

/**
 * @returns allocations of the job that may have the old password, even if the service did not filter the list. One that is pending
 * may have read it before an image was pulled, or starts again with it; one on a node that is disconnected may run.
 */
export const toTell = (job: Job, listed: readonly AllocationStub[]): readonly string[] =>
  listed
    .filter((a) => a.JobID === job.id && (job.group === undefined || a.TaskGroup === job.group) && !ended(a))
    .map((a) => a.ID);

/** The event that an action causes as soon as it is requested (services.md#signals-and-restarts). */
const eventTypes = { Signal: 'Signaling', Restart: 'Restart Signaled' } as const;

export function stateOf({ task, action }: Job, allocation: AllocationStub): AllocationState {
  const named = Object.entries(allocation.TaskStates ?? {}).filter(
    ([name]) => task === undefined || name === task,
  );
  const tasks = named.map(([, state]) => state);
  const run = named.filter(([, { State }]) => State === 'running');
  const last = (...of: readonly TaskState[]): string => {
    const events = of.flatMap((t) => t.Events ?? []).filter((e) => e.Type === eventTypes[action]);
    return String(Math.max(0, ...events.map((e) => e.Time)));
  };
  return {
    running: running(allocation) && (run.length > 0 || tasks.length === 0),
    ended: ended(allocation) || (tasks.length > 0 && tasks.every((t) => t.State === 'dead')),
    tasksRun: run.length > 0 && !tasks.some(isRestarting),
    tasks: Object.fromEntries(named.map(([name, state]) => [name, last(state)])),
    runningTasks: run.map(([name]) => name),
    ...(run.length < tasks.length && { apart: true }),
    event: last(...tasks),
    restarts: tasks.map((t) => `${t.Restarts ?? 0} ${t.LastRestart ?? ''}`).join(),
  };
}
