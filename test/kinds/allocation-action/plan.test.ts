// What AllocationAction plans for what was declared, seen and remembered.
import { describe, expect, test } from 'vitest';
import { actions, outline, results, runs, type Given } from './situation.ts';

const row = (why: string, given: Given, outcome: string) => ({ why, given, expect: outcome });

const fresh: Given = { results: 'not begun', held: false };
const call = 'act by allocations.call';
const waits = 'blocked ActionInProgress until time';
const failed = 'stalled ActionFailed until edit';
const done = { phase: 'Succeeded' } as const;
const bad = { phase: 'Failed', message: 'exit code 1' } as const;
const answered = { phase: 'Started', answered: true, before: '0 ' } as const;
const open = { phase: 'Started' } as const;
const ended = { ...runs, life: 'ended' } as const;
const rollout = (more: object): Given => ({ spec: { rollout: more } });

const beginning = [
  row('those that take part are recorded before any call', fresh, 'act then act then act then act'),
  row('what selects nothing ends at once', { ...fresh, selected: [] }, 'act'),
  row(
    'in larger waves there are fewer of them',
    { ...fresh, ...rollout({ maxParallel: 2 }) },
    'act then act then act',
  ),
  row(
    'a copy may have been done where it comes from',
    { ...fresh, doubt: 'copied' },
    'stalled ActionNotRepeated until edit',
  ),
  row(
    'before its time is over it begins',
    { ...fresh, spec: { notAfter: '2026-03-01T00:00:01Z' } },
    'act then act then act then act',
  ),
  row('after that it ends', { ...fresh, afterMs: 1_001, spec: { notAfter: '2026-03-01T00:00:01Z' } }, 'act'),
  row('of a time that is none nobody knows', { ...fresh, spec: { notAfter: '2026-02-31T99:00:00Z' } }, 'act'),
  row('suspended it does not begin', { ...fresh, policy: { suspend: true } }, 'blocked Suspended until edit'),
  row(
    'another backend has other allocations',
    { located: { backend: 'b2', namespace: 'default', action: 'shop/reload' } },
    'stalled BackendChanged until edit',
  ),
];

const going = [
  row('the first has its turn', {}, call),
  row('a visit ends after a step, so that it is stored before the next', { amid: true }, waits),
  row(
    'what was restarted is waited for',
    { spec: { action: actions.Restart }, results: results(answered) },
    waits,
  ),
  row(
    'what runs again after its restart is noted',
    {
      spec: { action: actions.Restart },
      results: results(answered),
      seen: { a1: { ...runs, restarts: '1 ' } },
    },
    'act',
  ),
  row(
    'what ended after its restart has failed',
    { spec: { action: actions.Restart }, results: results(answered), seen: { a1: ended } },
    'act',
  ),
  row(
    'what was told to stop is waited for',
    { spec: { action: actions.Stop }, results: results(answered) },
    waits,
  ),
  row(
    'what was stopped is waited for until the one in its stead runs',
    {
      spec: { action: actions.Stop },
      results: results(answered),
      seen: { a1: { ...ended, next: 'b1' }, b1: { ...runs, life: 'starts' } },
    },
    waits,
  ),
  row(
    'and then it is noted',
    {
      spec: { action: actions.Stop },
      results: results(answered),
      seen: { a1: { ...ended, next: 'b1' }, b1: runs },
    },
    'act',
  ),
  row(
    'what was stopped and is gone is noted',
    { spec: { action: actions.Stop }, results: results(answered), seen: { a1: null } },
    'act',
  ),
  row('a failure ends the rollout', { results: results(done, bad) }, 'act'),
  row('unless it is to go on', { results: results(done, bad), ...rollout({ onFailure: 'Continue' }) }, call),
  row('what nobody knows is a failure', { results: results({ phase: 'Unknown' }) }, 'act'),
  row('with all through it ends', { results: results(done, done, done) }, 'act'),
  row(
    'between two waves there is a pause',
    { results: results(done), ...rollout({ pause: '10s' }), sinceMs: 9_999 },
    waits,
  ),
  row('and then it is over', { results: results(done), ...rollout({ pause: '10s' }), sinceMs: 10_000 }, call),
  row('before the first wave there is none', rollout({ pause: '10s' }), call),
  row('at its limit it goes on', { afterMs: 60_000, spec: { timeout: '1m' } }, call),
  row('after it, no wave begins', { afterMs: 60_001, spec: { timeout: '1m' } }, 'act'),
  row('an hour is the limit where none is declared', { afterMs: 3_600_001 }, 'act'),
  row(
    'what was waited for by then has failed',
    { afterMs: 3_600_001, spec: { action: actions.Restart }, results: results(answered) },
    'act',
  ),
  row('suspended no wave begins', { policy: { suspend: true } }, 'blocked Suspended until edit'),
  row('deleted it lets go', { deleting: true }, 'gone kept'),
];

const over = [
  row('all succeeded', { results: results(done, done, done), own: { finishedAt: 'then' } }, 'in-sync'),
  row('one failed', { results: results(done, bad), own: { finishedAt: 'then' } }, failed),
  row('none took part', { results: [], own: { finishedAt: 'then', message: 'none' } }, failed),
  row(
    'its time was over',
    { results: [], own: { finishedAt: 'then', message: 'late', expired: true } },
    'stalled ActionExpired until edit',
  ),
];

const unanswered = [
  ...(['Exec', 'Signal', 'Restart'] as const).map((name) =>
    row(
      `${name}: begun and not answered, it is not repeated`,
      { spec: { action: actions[name] }, results: results(open) },
      'act',
    ),
  ),
  row(
    'Stop: it is asked for again, once it would show',
    { spec: { action: actions.Stop }, results: results(open), sinceMs: 5_000 },
    call,
  ),
  row('Stop: not before', { spec: { action: actions.Stop }, results: results(open), sinceMs: 4_999 }, waits),
  row(
    'Stop: where it shows it was done',
    { spec: { action: actions.Stop }, results: results(open), seen: { a1: ended }, sinceMs: 5_000 },
    'act',
  ),
  row(
    'begun by a process that died before the first call, it goes on',
    { pending: { op: 'begin', token: 'uid-1' } },
    call,
  ),
  row(
    'that it began is all that a stripped status left: nothing is done',
    { pending: { op: 'begin', token: 'uid-1' }, doubt: 'recalled' },
    'act',
  ),
];

describe.for([
  { what: 'before it begins', rows: beginning },
  { what: 'while it goes on', rows: going },
  { what: 'once it is over', rows: over },
  { what: 'without an answer', rows: unanswered },
])('$what', ({ rows }) => {
  test.for(rows)('$why', ({ given, expect: outcome }) => {
    expect(outline(given)).toBe(outcome);
  });
});
