// Consumers that do not come back from a restart: noted after a while, and then passed over.
import { describe, expect, test } from 'vitest';
import { latenessOf } from '../../../src/kinds/ldap-static-role/notification.ts';
import { firstStep, instant, planned, type Given } from './situation.ts';
import { startMs } from './surroundings.ts';
import { after, api, runs, notification, told } from './notifications.ts';

const hanging = (late: readonly string[] | undefined, nowMs: number): Given =>
  notification(
    { consumer: api, told: told({ under: { a1: '0 ' }, ...(late && { late }) }) },
    { answers: { allocations: { a1: runs } }, nowMs },
  );

describe('one that does not come back', () => {
  test('is noted as late after five minutes, and not before', () => {
    expect(planned(hanging(undefined, startMs + 299_999)).verdict).toBe('blocked');
    const late = hanging(undefined, startMs + 300_000);
    expect(firstStep(late).summary).toBe('job web: not running yet: a1');
    expect(after(late, api)).toEqual(told({ under: { a1: '0 ' }, late: ['a1'] }));
    expect(planned(hanging(['a1'], startMs + 600_000)).verdict).toBe('blocked'); // once
  });

  test('is noted apart from those that are late already, and each by its own time', () => {
    const consumer = { job: { ...api.job, maxParallel: 3 } };
    const three = { a1: '0 ', a2: '0 ', a3: '0 ' };
    const so = notification(
      { consumer, told: told({ under: three, late: ['a1'] }) },
      { answers: { allocations: { a1: runs, a2: runs, a3: runs } }, nowMs: startMs + 300_000 },
    );
    expect(firstStep(so).summary).toBe('job web: not running yet: a2, a3');
    expect(after(so, consumer)?.late).toEqual(['a1', 'a2', 'a3']);
    const younger = { ...so, facts: { [`restarted a2 of ${instant}`]: startMs + 1 } };
    expect(firstStep(younger).summary).toBe('job web: not running yet: a3');
    const back = { ...so, answers: { allocations: { a1: runs, a2: { ...runs, restarts: '1 ' }, a3: runs } } };
    expect(after(back, consumer)).toEqual(told({ under: { a1: '0 ', a3: '0 ' }, late: ['a1'] }));
  });

  test('is late no more once it is back', () => {
    const back = notification(
      { consumer: api, told: told({ under: { a1: '0 ' }, late: ['a1'] }) },
      { answers: { allocations: { a1: { ...runs, restarts: '1 ' } } } },
    );
    expect(after(back, api)).toEqual(told());
    const turn = { consumer: { ...api, field: '/consumers/0', key: 'k' }, ask: ['a1', 'a2'] };
    const both = { under: { a1: '0 ', a2: '0 ' }, left: [], succeeded: 0 };
    const seen = { a1: runs, a2: runs };
    expect(latenessOf({ ...turn, progress: { ...both, late: ['a1'] } }, seen)).toBeUndefined();
    const all = { ...turn, progress: { ...both, late: ['a1', 'a2'] } };
    expect(latenessOf(all, seen)).toBe('job web: told to restart and not running again since: a1, a2');
    expect(latenessOf(all, { a1: runs })).toBeUndefined(); // one that is gone makes room
    expect(latenessOf({ ...all, ask: [] }, seen)).toBeUndefined();
    expect(latenessOf(turn, seen)).toBeUndefined();
  });
});
