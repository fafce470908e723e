// How a visit ended → what people see and when it is looked at again.
import { describe, expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { ApiError, SpecError } from '../../../src/core/errors.ts';
import { conclude, isUsable, type Ending } from '../../../src/core/status/outcome.ts';
import { noStatus, type Status, type FieldChange } from '../../../src/core/status/status.ts';
import { failed, parked, rest, startMs, stopped, stuck, visited } from '../../support/visits.ts';

const drift: FieldChange = { path: '/size', desired: 10, live: 5, cause: 'drift' };
const wasReady = conclude(visited({ ending: rest() })).status;
const minuteMs = 60_000;

const shown = ({ conditions }: Status): string =>
  conditions.map((c) => `${c.type}=${c.status}/${c.reason}`).join(' ');

const stalled = (reason: string): string =>
  `Ready=False/${reason} Synced=False/${reason} Stalled=True/${reason}`;
const going = (reason: string): string =>
  `Ready=False/${reason} Synced=False/${reason} Reconciling=True/${reason}`;
const outage = (reason: string): string =>
  `Ready=True/InSync Synced=Unknown/${reason} Reconciling=True/${reason}`;
const api = (...args: ConstructorParameters<typeof ApiError>): Ending => failed(new ApiError(...args));
const atMs = (time: number): Ending => stopped('DeletionBlocked', 'm', { on: 'time', atMs: time });

interface Row {
  readonly why: string;
  /** How a visit to an object ended that was Ready before. */
  readonly ending: Ending;
  readonly expect: string;
  /** never: nothing but an event brings it back. wait: ten minutes, a minute while deleting. */
  readonly requeue: number | 'never' | 'wait';
}
const row = (why: string, ending: Ending, conditions: string, requeue: Row['requeue']): Row => ({
  why,
  ending,
  expect: conditions,
  requeue,
});

const message = (ending: Ending): string | undefined =>
  conditionOf(conclude(visited({ ending })).status.conditions, 'Synced')?.message;
const generation = (ending: Ending): number | undefined =>
  conclude(visited({ ending, generation: 2, status: wasReady })).status.observedGeneration;
const first = (ending: Ending): string => shown(conclude(visited({ ending })).status);
const after = (ms: number, memory: Status, ending: Ending): Status =>
  conclude(visited({ ending, status: memory, wallMs: startMs + ms })).status;

const firstRetryMs = 188;
const firstDeniedMs = 3_750;
/** It has something to do by then, whatever stops it. */
const due = (dueMs: number, ending: Ending): Ending =>
  ending.is === 'blocked' ? { ...ending, plan: { ...ending.plan, dueMs } } : ending;
const dueAtRest = (more: object): Ending => ({
  is: 'rest',
  plan: { verdict: 'in-sync', drift: [], ...more },
});
const passing = ['DependencyNotReady', 'DeletionBlocked', 'ReplacementBlocked', 'ExternalNotFound'] as const;
const live = { on: 'live' } as const;
const edit = stuck('NonConverging', 'm', { on: 'edit' });

const well = 'Ready=True/InSync Synced=True/InSync';
const unseen = 'Ready=True/AppliedUnverified Synced=Unknown/AppliedUnverified';

const table: readonly Row[] = [
  row('all is well', rest(), well, 'never'),
  row('it is well, and nothing tells of changes', dueAtRest({ revisitMs: 5_000 }), well, 5_000),
  row('it is well, and something is due', dueAtRest({ dueMs: 9 }), well, 9),
  row('it is looked at again before something is due', dueAtRest({ dueMs: 9, revisitMs: 5 }), well, 5),
  row('nobody can see what was written', dueAtRest({ unverified: true }), unseen, 'never'),
  row('reported drift is not synced', rest([drift]), 'Ready=True/InSync Synced=False/Drifted', 'never'),
  row(
    'a person has to do something',
    stuck('AdoptionRefused', 'm', live),
    stalled('AdoptionRefused'),
    'wait',
  ),
  ...passing.map((reason) => row('it goes on by itself', stopped(reason, 'm'), going(reason), 'wait')),
  row('another object', stopped('VolumeInUse', 'm', { on: 'object' }), going('VolumeInUse'), 'wait'),
  row(
    'an approval',
    stopped('DeletionLimitExceeded', 'm', { on: 'approval', digest: 'd1', id: 'u1 leaves' }),
    going('DeletionLimitExceeded'),
    'wait',
  ),
  row('an edit', edit, stalled('NonConverging'), 'never'),
  row('a time', atMs(5_000_007), going('DeletionBlocked'), 7),
  row('a time that has come', atMs(4_999_993), going('DeletionBlocked'), 0),
  row('an edit, and something is due before', due(9, edit), stalled('NonConverging'), 9),
  row('a time, and something is due before', due(5, atMs(5_000_007)), going('DeletionBlocked'), 5),
  row('a time before something is due', due(9, atMs(5_000_007)), going('DeletionBlocked'), 7),
  row('something is due before anybody tells', due(9, stopped('VolumeInUse', 'm')), going('VolumeInUse'), 9),
  row(
    'suspended: Ready keeps its value',
    stopped('Suspended', 'm', { on: 'edit' }),
    'Ready=True/InSync Synced=False/Suspended',
    'never',
  ),
  row('an outage says nothing about Ready', parked, outage('ConnectionNotReady'), 'wait'),
  row('unreachable', api('unavailable', 'ServerError', 'm'), outage('ServerError'), firstRetryMs),
  row('no answer in time', api('timeout', 'Timeout', 'm'), outage('Timeout'), firstRetryMs),
  row('no sense in it', api('unreadable', 'InvalidResponse', 'm'), outage('InvalidResponse'), firstRetryMs),
  row('throttled', api('throttled', 'Throttled', 'm'), outage('Throttled'), firstRetryMs),
  row('until then', api('throttled', 'Throttled', 'm', { retryAfterMs: 9_000 }), outage('Throttled'), 9_000),
  row('something else has to change', api('waiting', 'VolumeInUse', 'm'), going('VolumeInUse'), firstRetryMs),
  row('what it takes may change unheard', api('refused', 'Rejected', 'm'), stalled('Rejected'), 'wait'),
  row('a permission', api('refused', 'PermissionDenied', 'm'), stalled('PermissionDenied'), firstDeniedMs),
  row('the document is wrong', failed(new SpecError('/a', 'b', 'c')), stalled('InvalidSpec'), 'never'),
];

describe('an ending, its conditions and its timer', () => {
  test.for(table)('$why: $expect', ({ ending, expect: conditions, requeue }) => {
    const waits = { never: [undefined, undefined], wait: [10 * minuteMs, minuteMs] };
    const delays = typeof requeue === 'number' ? [requeue, requeue] : waits[requeue];
    const concluded = [false, true].map((deleting) =>
      conclude(visited({ ending, deleting, status: wasReady })),
    );
    expect(concluded.map(({ status: memory }) => shown(memory))).toEqual([conditions, conditions]);
    expect(concluded.map(({ requeueMs }) => requeueMs)).toEqual(delays);
  });

  test('nothing is known of an object that was never looked at', () => {
    expect(first(parked)).toMatch(/^Ready=Unknown\/ConnectionNotReady Synced=Unknown/);
    expect(first(api('timeout', 'Timeout', 'm'))).toMatch(/^Ready=Unknown\/Timeout Synced=Unknown/);
    expect(first(failed(new TypeError('x')))).toMatch(/^Ready=Unknown\/InternalError/);
    expect(first(stopped('Suspended', 'm'))).toBe('Ready=Unknown/Suspended Synced=False/Suspended');
  });

  test('what was seen not to be there is not ready, whatever else fails: it would be relied on', () => {
    const memory = conclude(visited({ ending: rest() })).status;
    const ending = failed(new ApiError('unavailable', 'Unavailable', 'no answer'));
    const lookedAt = (absent: boolean) =>
      conclude(visited({ ending, status: memory, absent })).status.conditions;
    expect(lookedAt(false)).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    expect(lookedAt(true)).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False', reason: 'Unavailable' }),
    );
  });

  test('a bug is named as one, leaves Ready alone and is not tried in a hurry', () => {
    const { status: memory, requeueMs } = conclude(
      visited({ ending: failed(new TypeError('x')), status: wasReady }),
    );
    expect(conditionOf(memory.conditions, 'Ready')).toEqual(conditionOf(wasReady.conditions, 'Ready'));
    expect(conditionOf(memory.conditions, 'Synced')).toMatchObject({
      status: 'Unknown',
      message: 'a bug in Holdfast: x',
    });
    expect(conditionOf(memory.conditions, 'Stalled')).toMatchObject({
      reason: 'InternalError',
      message: 'a bug in Holdfast: x',
    });
    expect(requeueMs).toBeGreaterThanOrEqual(5 * minuteMs);
  });

  test('waits spread, so that what waits together does not come back together', () => {
    const at = [0, 0.5, 0.99].map((random) => conclude(visited({ ending: parked, random })).requeueMs);
    expect(at).toEqual([540_000, 600_000, 658_800]);
    const settled = dueAtRest({ revisitMs: 5_000 });
    const revisits = [0, 0.99].map((random) => conclude(visited({ ending: settled, random })).requeueMs);
    expect(revisits).toEqual([4_500, 5_490]);
  });

  test('failures in a row are answered ever more slowly, but never more slowly than a wait', () => {
    const away = api('unavailable', 'Unavailable', 'm');
    const delays = [false, true].map((deleting) =>
      [1, 5, 40].map((failures) => conclude(visited({ ending: away, failures, deleting })).requeueMs),
    );
    expect(delays).toEqual([
      [firstRetryMs, 3_000, 225_000],
      [firstRetryMs, 3_000, minuteMs],
    ]);
  });
});

describe('what people read', () => {
  test('leads with the fields that drifted', () => {
    const { status: memory } = conclude(visited({ ending: rest([drift, { ...drift, path: '/disk' }]) }));
    expect(conditionOf(memory.conditions, 'Synced')?.message).toBe('/size, /disk: left as found');
    expect(memory.drift?.summary).toBe('2 fields');
    expect(conclude(visited({ ending: rest([drift]) })).status.drift?.summary).toBe('1 field');
  });

  test('is the message of the plan or of the error', () => {
    expect(message(stopped('DeletionBlocked', 'used by a'))).toBe('used by a');
    expect(message(failed(new SpecError('/spec/a', 'a number', 'text')))).toBe(
      '/spec/a: expected a number, got text',
    );
    expect(message(api('refused', 'Rejected', 'volume.create: no permission'))).toBe(
      'volume.create: no permission',
    );
    expect(message(parked)).toBe('Conn/c: no leader');
  });
});

test.for(table)('every condition says why: $why: $expect', ({ ending }) => {
  const { conditions } = conclude(visited({ ending, status: wasReady })).status;
  const why = message(ending);
  for (const c of conditions) expect([c.type, c.message]).toEqual([c.type, c.reason === 'InSync' ? '' : why]);
});

test('a connection that was visited can be used by others where all is well, or where only it is stopped', () => {
  const blockedOnly = stopped('DeletionBlocked', 'still used');
  expect([rest(), { ...blockedOnly, usable: true as const }].map(isUsable)).toEqual([true, true]);
  expect([blockedOnly, parked, failed(new TypeError('x'))].map(isUsable)).toEqual([false, false, false]);
});

describe('what is remembered', () => {
  test('the last five things that were done, the newest last', () => {
    const done = Array.from({ length: 7 }, (_, n) => ({
      verb: 'update' as const,
      summary: `n${n}`,
      changes: [drift],
    }));
    const early = conclude(visited({ ending: rest(), done: done.slice(0, 3) })).status;
    expect(early.history[0]).toEqual({
      at: '2026-03-01T00:00:00.000Z',
      verb: 'update',
      what: 'n0',
      fields: ['/size'],
    });
    const { history } = conclude(visited({ ending: rest(), status: early, done: done.slice(3) })).status;
    expect(history.map((h) => h.what)).toEqual(['n2', 'n3', 'n4', 'n5', 'n6']);
  });

  test('what was seen, until it is seen again', () => {
    const report = { observed: { size: 5 }, conditions: [] };
    const seen = conclude(visited({ ending: rest(), report })).status;
    expect(seen.observed).toEqual({ size: 5 });
    expect(conclude(visited({ ending: parked, status: seen })).status.observed).toEqual({ size: 5 });
  });

  test('conditions of the kind stand beside those of the engine', () => {
    const own = { type: 'Schedulable', status: 'False', reason: 'PluginUnhealthy', message: 'm' } as const;
    const { status: memory } = conclude(
      visited({ ending: rest(), report: { observed: {}, conditions: [own] } }),
    );
    expect(shown(memory)).toBe('Ready=True/InSync Synced=True/InSync Schedulable=False/PluginUnhealthy');
  });

  test('since when the same fields differ', () => {
    const once = after(0, noStatus, rest([drift]));
    const same = after(1_000, once, rest([drift]));
    expect(same.drift).toEqual({
      summary: '1 field',
      detectedAt: '2026-03-01T00:00:00.000Z',
      fields: [drift],
    });
    const other = after(2_000, same, stopped('NonConverging', 'm', { on: 'edit' }, [{ ...drift, live: 6 }]));
    expect(other.drift?.detectedAt).toBe('2026-03-01T00:00:02.000Z');
    const edited = after(2_000, same, rest([{ ...drift, desired: 11 }]));
    expect(edited.drift?.detectedAt).toBe('2026-03-01T00:00:02.000Z');
    expect(after(3_000, other, rest())).not.toHaveProperty('drift');
  });

  test('what differed stays known while nobody can look', () => {
    const once = after(0, noStatus, rest([drift]));
    for (const ending of [parked, api('unavailable', 'ServerError', 'm'), failed(new TypeError('x'))])
      expect(after(1_000, once, ending).drift).toEqual(once.drift);
    expect(after(1_000, once, api('refused', 'Rejected', 'm'))).not.toHaveProperty('drift');
    expect(after(1_000, noStatus, parked)).not.toHaveProperty('drift');
  });

  test('what the kind said stays while nothing could be seen; what the engine said does not', () => {
    const own = { type: 'Schedulable', status: 'False', reason: 'PluginUnhealthy', message: 'm' } as const;
    const report = { observed: {}, conditions: [own] };
    const before = conclude(visited({ ending: stopped('VolumeInUse', 'm'), report })).status;
    expect(shown(before)).toBe(`${going('VolumeInUse')} Schedulable=False/PluginUnhealthy`);
    expect(shown(after(1, before, parked))).toBe(
      'Ready=False/ConnectionNotReady Synced=Unknown/ConnectionNotReady Reconciling=True/ConnectionNotReady Schedulable=False/PluginUnhealthy',
    );
    expect(shown(after(1, before, rest()))).toMatch(/Schedulable=False\/PluginUnhealthy$/);
    const bad = after(1, before, failed(new SpecError('/a', 'b', 'c')));
    expect(shown(bad)).toBe(`${stalled('InvalidSpec')} Schedulable=False/PluginUnhealthy`);
  });

  test('which generation was refused, by us or by the service, so that it is not judged for ever', () => {
    expect([failed(new SpecError('/a', 'b', 'c')), api('refused', 'Rejected', 'm')].map(generation)).toEqual([
      2, 2,
    ]);
    expect([failed(new TypeError('x')), api('waiting', 'VolumeInUse', 'm')].map(generation)).toEqual([1, 1]);
  });

  test('which generation was looked at: none, where nothing could be looked at', () => {
    expect([rest(), stopped('DeletionBlocked', 'm')].map(generation)).toEqual([2, 2]);
    expect([parked, api('unavailable', 'Unavailable', 'm')].map(generation)).toEqual([1, 1]);
  });

  test('the rest of it as the visit left it', () => {
    const carried = {
      externalRef: { id: 'a' },
      applied: { '/size': 10 },
      pending: { op: 'replace', token: '/disk' },
      handledRequests: { rotate: '1' },
      tries: { '/size': 2 },
      own: { disk: 'd' },
    };
    const { status: memory } = conclude(visited({ ending: parked, status: { ...noStatus, ...carried } }));
    expect(memory).toMatchObject(carried);
  });
});
