// Visits as they end, for core/status/outcome.ts: by hand and at random.
import { noStatus, type FieldChange } from '../../src/core/status/status.ts';
import fc from 'fast-check';
import type { Stated } from '../../src/core/status/condition.ts';
import { ApiError, SpecError, type ApiErrorClass } from '../../src/core/errors.ts';
import type { Ending, ReconcileOutcome } from '../../src/core/status/outcome.ts';
import { blocked, stalled, type Step, type Wake } from '../../src/core/planning/plan.ts';
import type { Reason } from '../../src/core/status/reasons.ts';

export const startMs = Date.parse('2026-03-01T00:00:00.000Z');

/** A visit that found all well, but for what is said. With this randomness, jitter leaves durations as they are. */
export const visited = (
  more: Partial<ReconcileOutcome> & Pick<ReconcileOutcome, 'ending'>,
): ReconcileOutcome => ({
  status: noStatus,
  done: [],
  report: undefined,
  absent: false,
  generation: 1,
  deleting: false,
  failures: 1,
  nowMs: 5_000_000,
  wallMs: startMs,
  random: 0.5,
  ...more,
});

export const rest = (drift: readonly FieldChange[] = []): Ending => ({
  is: 'rest',
  plan: { verdict: 'in-sync', drift },
});
export const stopped = (
  reason: Reason,
  message: string,
  wake: Wake = { on: 'live' },
  changes: readonly FieldChange[] = [],
): Ending => ({ is: 'blocked', plan: blocked(reason, message, wake, changes) });
/** Nothing but a person helps. */
export const stuck = (...why: Parameters<typeof stalled>): Ending => ({
  is: 'blocked',
  plan: stalled(...why),
});
export const parked: Ending = { is: 'parked', message: 'Conn/c: no leader', early: false };
export const failed = (error: unknown): Ending => ({ is: 'failed', error });

const anyReason = fc.constantFrom<Reason>('NotPublished', 'PluginHealthy', 'Unavailable');
const word = fc.constantFrom('Alpha', 'Beta', 'Gamma');
const change: fc.Arbitrary<FieldChange> = fc.record({
  path: fc.constantFrom('/a', '/b'),
  desired: fc.nat(2),
  live: fc.nat(2),
  cause: fc.constantFrom('edit', 'drift'),
});
const changes = fc.array(change, { maxLength: 2 });
const wake: fc.Arbitrary<Wake> = fc.oneof(
  fc.constantFrom('object' as const, 'live' as const, 'edit' as const).map((on) => ({ on })),
  fc.record({ on: fc.constant('approval'), digest: word, id: word }, { requiredKeys: ['on', 'digest'] }),
  fc.record({ on: fc.constant('time'), atMs: fc.integer({ min: -1e6, max: 1e9 }) }),
);
const classes: readonly ApiErrorClass[] = [
  'refused',
  'waiting',
  'throttled',
  'unavailable',
  'timeout',
  'unreadable',
];
const error = fc.oneof(
  fc.tuple(fc.constantFrom(...classes), anyReason).map(([kind, why]) => new ApiError(kind, why, 'no luck')),
  fc.constant(new SpecError('/spec/a', 'a number', 'text')),
  fc.constant(new TypeError('x is not a function')),
);
const reason = fc.constantFrom(
  'AdoptionRefused',
  'DeletionBlocked',
  'DependencyNotReady',
  'NonConverging',
  'Suspended',
  'AccessDenied',
);

const anyEnding: fc.Arbitrary<Ending> = fc.oneof(
  fc.option(fc.nat(1e6), { nil: undefined }).chain((revisitMs) =>
    changes.map((drift): Ending => ({
      is: 'rest',
      plan: { verdict: 'in-sync', drift, ...(revisitMs !== undefined && { revisitMs }) },
    })),
  ),
  fc
    .tuple(reason, word, wake, changes, fc.boolean())
    .map(([why, message, on, all, stalls]) => (stalls ? stuck : stopped)(why, message, on, all)),
  fc.tuple(word, fc.boolean()).map(([message, early]): Ending => ({ is: 'parked', message, early })),
  error.map(failed),
);

const stated: fc.Arbitrary<Stated> = fc.record({
  type: fc.constantFrom('Schedulable', 'Abnormal'),
  status: fc.constantFrom('True', 'False', 'Unknown'),
  reason: anyReason,
  message: word,
});
const seen = {
  observed: fc.dictionary(word, fc.nat(3)),
  conditions: fc.uniqueArray(stated, { selector: (c) => c.type }),
};
const report = fc.oneof(
  { weight: 3, arbitrary: fc.record(seen) },
  { weight: 1, arbitrary: fc.record({ ...seen, unready: fc.record({ reason: anyReason, message: word }) }) },
);
const step: fc.Arbitrary<Step<unknown>> = fc.record({
  verb: fc.constantFrom('create', 'update', 'delete'),
  summary: word,
  changes,
});

/** One visit of a series, without the memory that the one before it left. */
export const anyVisit: fc.Arbitrary<Omit<ReconcileOutcome, 'status'>> = fc.record({
  absent: fc.constant(false),
  ending: anyEnding,
  done: fc.array(step, { maxLength: 7 }),
  report: fc.option(report, { nil: undefined }),
  generation: fc.integer({ min: 1, max: 3 }),
  deleting: fc.boolean(),
  failures: fc.integer({ min: 1, max: 40 }),
  nowMs: fc.nat(1e9),
  wallMs: fc.nat(1e9).map((ms) => startMs + ms),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});
