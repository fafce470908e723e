// Selects allocations, and reads the state of an allocation. PURE.
import * as z from 'zod';
import { fits } from '../problems.ts';

const name = z.string().max(1_024).nullish();
const shape = z.object({
  ID: z.string().max(64),
  Namespace: name,
  JobID: name,
  TaskGroup: name,
  NodeID: z.string().max(64).nullish(),
  NextAllocation: name,
  DesiredStatus: name,
  ClientStatus: name,
  TaskStates: z
    .record(
      z.string(),
      z.object({ State: name, Restarts: z.number().nullish(), LastRestart: name, StartedAt: name }).nullish(),
    )
    .nullish(),
});

export type Allocation = z.infer<typeof shape>;

interface TaskState {
  readonly State?: string | null | undefined;
  readonly Restarts?: number | null | undefined;
  /** RFC 3339. Before 1970: it never started. */
  readonly StartedAt?: string | null | undefined;
}

export const isAllocation = (answer: unknown): boolean => fits(shape, answer);

export interface Selector {
  readonly allocationID?: string;
  readonly job?: string;
  readonly group?: string;
  readonly node?: string;
}

export interface Selected {
  readonly allocation: string;
  readonly node: string;
}

/** Name of an allocation among what is frozen (core/kind/kind.ts, `open`). Its ID is unique among all schedulers. */
export const allocationNamed = (id: string): string => `allocation ${id}`;

/** The state of an allocation. */
export interface Seen {
  /** stopping: it must stop and has not ended yet. ended: it never runs again. */
  readonly life: 'runs' | 'starts' | 'stopping' | 'ended';
  /** Task → its state. */
  readonly tasks: Readonly<Record<string, string>>;
  /** A task has ended and starts again. */
  readonly restarting: boolean;
  /** Changes with each restart. */
  readonly restarts: string;
  /** ID of its replacement. Empty: the scheduler has placed none. */
  readonly next: string;
}

const endings: ReadonlySet<string | undefined | null> = new Set(['complete', 'failed', 'lost']);

function lifeOf({ DesiredStatus, ClientStatus }: Allocation): Seen['life'] {
  if (endings.has(ClientStatus)) return 'ended';
  if (DesiredStatus === 'stop' || DesiredStatus === 'evict') return 'stopping';
  return ClientStatus === 'running' ? 'runs' : 'starts';
}

/**
 * @param isCounted of those that must stop and have not ended, which count as well. Default: none
 * @returns allocations of the namespace that run or start; the service may not have filtered, or have read by ID
 */
export const selectedOf = (
  { allocationID, job, group, node }: Selector,
  namespace: string,
  listed: readonly Allocation[],
  isCounted: (stopping: Allocation) => boolean = () => false,
): readonly Selected[] =>
  listed
    .filter(
      (a) =>
        (a.Namespace ?? namespace) === namespace &&
        (allocationID === undefined || a.ID === allocationID) &&
        (job === undefined || a.JobID === job) &&
        (group === undefined || a.TaskGroup === group) &&
        (node === undefined || a.NodeID === node) &&
        (['runs', 'starts'].includes(lifeOf(a)) || (lifeOf(a) === 'stopping' && isCounted(a))),
    )
    .map(({ ID, NodeID }) => ({ allocation: ID, node: NodeID ?? '' }))
    .toSorted((a, b) => (a.allocation < b.allocation ? -1 : 1));

/** Filter expression for the list of allocations. */
export function filterOf({ job, group, node }: Selector): string {
  const terms = Object.entries({ JobID: job, TaskGroup: group, NodeID: node });
  return terms
    .flatMap(([field, value]) => (value === undefined ? [] : [`${field} == ${JSON.stringify(value)}`]))
    .join(' and ');
}

/**
 * Whether the task starts again. A task that waits for the others to end is pending, too, all their life long
 * (services.md#tasks-and-their-events).
 */
export const isRestarting = ({ State, Restarts, StartedAt }: TaskState): boolean =>
  State === 'pending' && ((Restarts ?? 0) > 0 || (StartedAt ?? '') > '1970');

/** The tasks that run. */
export const runningIn = ({ tasks }: Pick<Seen, 'tasks'>): readonly string[] =>
  Object.keys(tasks).filter((task) => tasks[task] === 'running');

/** @param task only this task counts */
export function seenOf(allocation: Allocation, task: string | undefined): Seen {
  const { TaskStates, NextAllocation } = allocation;
  const tasks = Object.entries(TaskStates ?? {}).filter(([one]) => task === undefined || one === task);
  return {
    life: lifeOf(allocation),
    tasks: Object.fromEntries(tasks.map(([one, state]) => [one, state?.State ?? ''])),
    restarting: tasks.some(([, state]) => state && isRestarting(state)),
    restarts: tasks.map(([, t]) => `${t?.Restarts ?? 0} ${t?.LastRestart ?? ''}`).join(),
    next: NextAllocation ?? '',
  };
}
