// What AllocationAction records with a step, when it looks again, and what it says.
import { expect, test } from 'vitest';
import { nothing } from '../../../src/kinds/allocation-action/plan.ts';
import { actions, firstStep, planned, results, runs, startMs, type Given } from './situation.ts';

const fresh: Given = { results: 'not begun', held: false };
const done = { phase: 'Succeeded' } as const;
const bad = { phase: 'Failed', message: 'exit code 1' } as const;
const answered = { phase: 'Started', answered: true, before: '0 ' } as const;
const open = { phase: 'Started' } as const;
const ended = { ...runs, life: 'ended' } as const;
const rollout = (more: object): Given => ({ spec: { rollout: more } });

const ownAfter = (given: Given) => {
  const { own, noted } = firstStep(given);
  return { ...Object(noted), ...Object(own) };
};

test('the beginning records when, and who takes part, with the intent', () => {
  const step = firstStep(fresh);
  expect(step.intent).toEqual({ op: 'begin', token: 'uid-1' });
  expect(step.summary).toBe('begin: Exec of 3 allocations');
  expect(step.noted).toEqual(step.own);
  expect(step.effect).toBeUndefined();
  expect(ownAfter(fresh)).toMatchObject({
    startedAt: '2026-03-01T00:00:01.000Z',
    results: results(),
  });
  expect(ownAfter(fresh).finishedAt).toBeUndefined();
});

test('the waves that follow are shown, so many of them', () => {
  const plan = planned({ ...fresh, ...rollout({ maxParallel: 2 }) });
  expect(plan.verdict === 'change' && plan.steps.slice(1).map(({ summary }) => summary)).toEqual([
    'exec a1 and 1 more',
    'exec a3',
  ]);
  const many = Array.from({ length: 40 }, (_, n) => ({ allocation: `a${n}`, node: 'n1' }));
  const long = planned({ ...fresh, selected: many });
  expect(long.verdict === 'change' && long.steps.length).toBe(17);
});

test('what selects nothing says so, and so does what came too late', () => {
  expect(ownAfter({ ...fresh, selected: [] })).toMatchObject({
    finishedAt: '2026-03-01T00:00:01.000Z',
    message: 'no allocation that has not ended is selected',
  });
  expect(ownAfter({ ...fresh, afterMs: 1_001, spec: { notAfter: '2026-03-01T00:00:01Z' } })).toEqual({
    startedAt: '2026-03-01T00:00:01.001Z',
    finishedAt: '2026-03-01T00:00:01.001Z',
    expired: true,
    message: '/notAfter: it had not begun by 2026-03-01T00:00:01Z',
    results: [],
  });
});

test('each call of a wave is recorded as started before it is made', () => {
  const step = firstStep({ results: results(done), ...rollout({ maxParallel: 2 }) });
  expect(step.intent).toEqual({ op: 'wave', token: 'a2 a3' });
  expect(step.own).toBeUndefined();
  const started = { phase: 'Started', startedAt: '2026-03-01T00:00:01.000Z' } as const;
  const finished = { ...done, finishedAt: '2026-03-01T00:00:01.000Z' };
  expect(Object(step.noted).results).toEqual(results(finished, started, started));
  expect(step.effect).toMatchObject({
    port: 'allocations',
    calls: [
      { op: 'allocation.exec', params: { id: 'a2', namespace: 'default' } },
      { op: 'allocation.exec', params: { id: 'a3', namespace: 'default' } },
    ],
  });
  expect(step.summary).toBe('exec a2 and 1 more');
});

test.for([
  { more: {}, deadlineMs: 300_000 },
  { more: { timeout: '30s' }, deadlineMs: 30_000 },
  { more: { timeout: '1h' }, deadlineMs: 3_600_000 },
])(
  'a command has five minutes, or as long as is declared, also where that is more: $more',
  ({ more, deadlineMs }) => {
    const step = firstStep({ spec: { action: { exec: { ...actions.Exec.exec, ...more } } } });
    expect(step.effect).toMatchObject({ calls: [{ op: 'allocation.exec', deadlineMs }] });
  },
);

test('a call names what it disturbs: else it restarts what a snapshot has frozen, and that is called consistent', () => {
  expect(firstStep({}).disturbs).toEqual(['allocation a1']);
  const wave = { results: results(done), ...rollout({ maxParallel: 2 }) };
  expect(firstStep(wave).disturbs).toEqual(['allocation a2', 'allocation a3']);
  // Nothing is asked of what runs no more.
  expect(firstStep({ ...rollout({ maxParallel: 2 }), seen: { a1: ended } }).disturbs).toEqual([
    'allocation a2',
  ]);
});

test('only a restart records how often it was restarted before', () => {
  expect(Object(firstStep({ spec: { action: actions.Restart } }).noted).results[0]).toMatchObject({
    before: '0 ',
  });
  expect(Object(firstStep({ spec: { action: actions.Signal } }).noted).results[0].before).toBeUndefined();
});

test('what makes a call needless is noted, and the others of the wave have theirs', () => {
  const step = firstStep({ seen: { a1: ended }, ...rollout({ maxParallel: 2 }) });
  expect(step.effect).toMatchObject({ calls: [{ params: { id: 'a2' } }] });
  expect(Object(step.noted).results[0]).toMatchObject({ phase: 'Failed', message: 'it runs no more' });
  const alone = firstStep({ seen: { a1: null } });
  expect(alone.effect).toBeUndefined();
  expect(alone.intent).toBeUndefined();
  expect(Object(alone.own).results[0]).toMatchObject({
    phase: 'Failed',
    finishedAt: '2026-03-01T00:00:01.000Z',
  });
});

test('a stop that shows already, and is not over, is waited for without a call', () => {
  const stopping = { ...runs, life: 'stopping' } as const;
  const step = firstStep({ spec: { action: actions.Stop }, seen: { a1: stopping } });
  expect(step.effect).toBeUndefined();
  expect(Object(step.own).results[0]).toEqual({
    ...results()[0],
    phase: 'Started',
    answered: true,
  });
});

test('a call that is repeated is a call like any other', () => {
  const step = firstStep({ spec: { action: actions.Stop }, results: results(open), sinceMs: 5_000 });
  expect(Object(step.noted).results[0].again).toBeUndefined();
});

test('the end says what became of all', () => {
  expect(firstStep({ results: results(done, done, done) }).summary).toBe('end: all succeeded');
  expect(firstStep({ results: results(done, bad) }).summary).toBe(
    'end: of 3: 1 failed, 1 not begun; a2: exit code 1',
  );
  expect(ownAfter({ results: results(done), afterMs: 60_001, spec: { timeout: '1m' } })).toMatchObject({
    finishedAt: new Date(startMs + 60_001).toISOString(),
    message: '/timeout: not done within 1m',
  });
  expect(ownAfter({ results: results(done, done, bad), afterMs: 3_600_001 }).message).toBeUndefined();
});

test('messages name the first that failed, and how many there are of each', () => {
  const plan = planned({
    results: results({ phase: 'Unknown' }, bad, done),
    own: { finishedAt: 'then', message: '/timeout: not done within 1h' },
  });
  expect(plan.verdict === 'blocked' && plan.message).toBe(
    '/timeout: not done within 1h; of 3: 1 failed, 1 unknown; a1: Unknown',
  );
});

test.for<{ why: string; given: Given; inMs: number }>([
  { why: 'a step was made', given: { amid: true }, inMs: 0 },
  {
    why: 'it does not run again yet',
    given: { spec: { action: actions.Restart }, results: results(answered) },
    inMs: 1_000,
  },
  {
    why: 'there is a pause',
    given: {
      results: results(done),
      ...rollout({ pause: '10s' }),
      sinceMs: 4_000,
      facts: ['1 of uid-1 begun'],
    },
    inMs: 6_000,
  },
  {
    why: 'a stop would show by then',
    given: {
      spec: { action: actions.Stop },
      results: results(open),
      sinceMs: 1_000,
      facts: ['asked of a1'],
    },
    inMs: 4_000,
  },
])('it looks again in $inMs ms: $why', ({ given, inMs }) => {
  const plan = planned(given);
  expect(plan.verdict === 'blocked' && plan.wake).toEqual({ on: 'time', atMs: 100_000 + inMs });
});

test('what became of a restart is recorded with its time, and so is what did not come back', () => {
  const finishedAt = '2026-03-01T00:00:01.000Z';
  const given: Given = { spec: { action: actions.Restart }, results: results(answered) };
  const back = firstStep({ ...given, seen: { a1: { ...runs, restarts: '1 ' } } });
  expect(Object(back.own).results[0]).toEqual({ ...results(answered)[0], phase: 'Succeeded', finishedAt });
  expect(back.summary).toBe('1 of 3 begun, 1 through, 1 succeeded');
  const late = firstStep({ ...given, afterMs: 3_600_001 });
  expect(Object(late.own).results[0]).toEqual({
    ...results(answered)[0],
    phase: 'Failed',
    message: 'it did not run again, or end, in time',
    finishedAt: '2026-03-01T01:00:00.001Z',
  });
});

test('no step claims to change a field', () => {
  for (const given of [fresh, {}, { results: results(done, done, done) }])
    expect(firstStep(given).changes).toEqual([]);
});

test.for<{ why: string; given: Given; message: string }>([
  {
    why: 'a copy',
    given: { ...fresh, doubt: 'copied' },
    message:
      'it bears the record of another object, as copies and restored backups do, so it may have been done: remove the annotation holdfast.dev/intent and the finalizer to have it done, or declare another one',
  },
  {
    why: 'no record',
    given: { ...fresh, held: true },
    message: 'it was begun, and its record can not be read, so it may have been done: declare another one',
  },
  {
    why: 'nothing took part',
    given: { results: [], own: { finishedAt: 'then', message: 'none' } },
    message: 'none',
  },
  {
    why: 'none of those that were begun failed',
    given: { results: results(done), own: { finishedAt: 'then', message: '/timeout: not done within 1h' } },
    message: '/timeout: not done within 1h; of 3: 2 not begun',
  },
])('it says why nothing is done: $why', ({ given, message }) => {
  const plan = planned(given);
  expect(plan.verdict === 'blocked' && plan.message).toBe(message);
});

test('what came too late, and what leaves, says so', () => {
  const late = firstStep({ ...fresh, afterMs: 1_001, spec: { notAfter: '2026-03-01T00:00:01Z' } });
  expect(late.summary).toBe('end: /notAfter: it had not begun by 2026-03-01T00:00:01Z');
  const gone = planned({ deleting: true });
  expect(gone.verdict === 'gone' && gone.because).toBe('what it did is done');
});

test('what was not read is not judged', () => {
  expect(nothing).toEqual({ selected: [], allocations: {} });
  const waiting = planned({
    spec: { action: actions.Restart },
    results: results(answered),
    unread: 'a1',
  });
  expect(waiting.verdict).toBe('blocked');
  const { own, effect } = firstStep({ unread: 'a1' });
  expect([Object(own).results, effect]).toEqual([results(), undefined]);
});
