// Connections plan no effects: what their probes said becomes a condition and the time of the next look.
import { expect, test } from 'vitest';
import { ApiError, type ApiErrorClass } from '../../../src/core/errors.ts';
import { connectionKind, problemOf, type Probed } from '../../../src/schema/connection/kind.ts';

const nowMs = Date.parse('2026-03-01T00:00:00Z');
const planned = (live: Probed) => connectionKind.plan({ observed: { state: 'present', live }, nowMs });

test('what can be used is looked at again within seconds, though nothing tells of changes', () => {
  expect(planned({})).toEqual({ verdict: 'in-sync', drift: [], revisitMs: 30_000 });
});

test.for<{ why: string; problem: NonNullable<Probed['problem']> }>([
  { why: 'no leader', problem: { reason: 'NoLeader', message: 'the scheduler has no leader' } },
  {
    why: 'no permission, which a person has to give',
    problem: problemOf(new ApiError('refused', 'PermissionDenied', 'volume.list: Permission denied')),
  },
])('what can not be used says why, and is looked at again in seconds: $why', ({ problem }) => {
  expect(planned({ problem })).toEqual({
    verdict: 'blocked',
    ...problem,
    changes: [],
    wake: { on: 'time', atMs: nowMs + 5_000 },
  });
});

const stalls = (kind: ApiErrorClass): boolean =>
  problemOf(new ApiError(kind, 'LoginFailed', 'no')).stalls === true;

test('who only reads whether it stalls sees what a person has to mend', () => {
  const classes = ['refused', 'waiting', 'throttled', 'unavailable', 'timeout', 'unreadable'] as const;
  expect(classes.filter(stalls)).toEqual(['refused']);
});

test.for([
  { asked: undefined, waits: 5_000 },
  { asked: 1_000, waits: 5_000 },
  { asked: 15_000, waits: 15_000 },
  { asked: 3_600_000, waits: 30_000 },
])(
  'a service whose quota is used up is probed no sooner than it asks, nor so late that its recovery goes unseen: $asked',
  ({ asked, waits }) => {
    const error = new ApiError('throttled', 'Throttled', 'quota exceeded', { retryAfterMs: asked });
    expect(planned({ problem: problemOf(error) })).toMatchObject({
      wake: { on: 'time', atMs: nowMs + waits },
    });
  },
);
