// An action that is declared and has begun on three allocations, of which none was met; what differs; and its plan in a line.
import type { Seen, Selected } from '../../../src/schema/scheduler/allocations.ts';
import { remembered, type Own, type Result } from '../../../src/kinds/allocation-action/own.ts';
import { plan, type ActionSituation } from '../../../src/kinds/allocation-action/plan.ts';
import { progressOf } from '../../../src/kinds/allocation-action/progress.ts';
import type { Spec } from '../../../src/kinds/allocation-action/schema.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { common, planning, type Common } from '../planning.ts';

const ids = ['a1', 'a2', 'a3'] as const;
export const startMs = Date.parse('2026-03-01T00:00:00Z');
export const startedAt = '2026-03-01T00:00:00.000Z';
const ref = { backend: 'b1', namespace: 'default', action: 'shop/reload' };

export const actions = {
  Exec: { exec: { task: 'server', command: ['true'] } },
  Restart: { restart: {} },
  Signal: { signal: { name: 'SIGHUP' } },
  Stop: { stop: {} },
} as const satisfies Record<string, Spec['action']>;

const declared: Spec = {
  connectionRef: { name: 'production' },
  selector: { job: 'web' },
  action: actions.Exec,
};

export const runs: Seen = {
  life: 'runs',
  tasks: { server: 'running' },
  restarting: false,
  restarts: '0 ',
  next: '',
};
const selected: readonly Selected[] = ids.map((allocation) => ({ allocation, node: 'n1' }));

/** Results in the order of the allocations; those that are left out are pending. */
export const results = (...changed: readonly Partial<Result>[]): readonly Result[] =>
  selected.map((one, at) => ({ ...one, phase: 'Pending', ...changed[at] }));

/** What differs. */
export interface Given extends Common<Own> {
  readonly spec?: Partial<Spec>;
  /** Absent: it has not begun. */
  readonly results?: readonly Result[] | 'not begun';
  readonly own?: Partial<Own>;
  readonly pending?: Status['pending'];
  /** Allocation → how it looks; those that are left out run. */
  readonly seen?: Readonly<Record<string, Seen | null>>;
  /** That could not be read. */
  readonly unread?: string;
  readonly selected?: readonly Selected[];
  /** Since it began. */
  readonly afterMs?: number;
  readonly sinceMs?: number;
  readonly doubt?: 'copied' | 'recalled';
  /** Those that have been so since then; absent: all. The others have been so for ever. */
  readonly facts?: readonly string[];
  /** A step was made in this visit. */
  readonly amid?: boolean;
}

function situation(given: Given): ActionSituation {
  const spec = { ...declared, ...given.spec };
  const { results: all = results(), afterMs = 1_000, sinceMs = 0, seen = {}, doubt, pending } = given;
  const own: Own | undefined = all === 'not begun' ? undefined : { startedAt, results: all, ...given.own };
  const { action } = spec;
  const stored = { ...(own && { own }), ...(pending && { pending }) };
  const known = remembered({ status: stored, ...(doubt && { doubt }) }, 'stop' in action);
  const shows = known && given.amid !== true && { observed: { progress: progressOf(known) } };
  const memory: Status<Own> = { ...noStatus, ...stored, ...(own && { externalRef: ref }), ...shows };
  const shown = Object.fromEntries(ids.filter((id) => id !== given.unread).map((id) => [id, runs]));
  return {
    key: { kind: 'AllocationAction', namespace: 'shop', name: 'reload' },
    ...common({ ...given, memory }, { memory, ref }),
    ...(doubt && { doubt }),
    spec,
    resolved: new Map(),
    observed: {
      state: 'present',
      live: { selected: given.selected ?? selected, allocations: { ...shown, ...seen } },
    },
    nowMs: 100_000,
    wallMs: startMs + afterMs,
    since: (what) => (given.facts === undefined || given.facts.includes(what) ? 100_000 - sinceMs : 0),
  };
}

export const { planned, firstStep, outline } = planning(situation, plan);
