// The deletion limits, applied to the objects that there are: what leaves, and what is announced to be replaced.
import { describe, expect, test } from 'vitest';
import { Deletions } from '../../../src/controller/reconcile/deletions.ts';
import { deletionID, unreadID } from '../../../src/core/planning/deletion-limits.ts';
import { digestOf, idOf, key, node, world } from './deletion-world.ts';

test('few may go, many wait', () => {
  expect(world(10, 3).verdict(0)).toBe('within');
  expect(world(10, 4).verdict(0)).toBe('beyond');
});

test('only the objects of that connection count', () => {
  const { graph, verdict } = world(10, 3);
  for (let n = 0; n < 9; n++) {
    graph.set(`Toy/bank/t${n}`, { ...node, uid: 'u', deleting: true, connection: 'd' });
  }
  graph.set('Conn/c', { ...node, uid: 'u', deleting: true, connection: undefined });
  expect(verdict(0)).toBe('within');
});

test('who went within the hour counts, and once: one that is about to go again is not counted twice', () => {
  const { deleted, state, verdict } = world(100, 1);
  deleted.push(...Array.from({ length: 19 }, (_, n) => key(50 + n)), key(0));
  expect(verdict(0)).toBe('within');
  deleted.push(key(80));
  state.nowMs += 1_000;
  expect(verdict(0)).toBe('beyond');
});

test('who went within the hour counts although it was declared again and a person lets it go: that is another going', () => {
  const { approvals, deleted, verdict } = world(100, 2);
  deleted.push(...Array.from({ length: 19 }, (_, n) => key(50 + n)), key(0));
  approvals.set(key(0), idOf(0));
  expect([verdict(0), verdict(1)]).toEqual(['within', 'beyond']);
});

test('one more that leaves is noticed at once, however fresh the last verdict', () => {
  const { put, verdict } = world(10, 3);
  expect(verdict(0)).toBe('within');
  put(3, true);
  expect(verdict(0)).toBe('beyond');
});

test('so is one that comes back', () => {
  const { put, verdict } = world(10, 4);
  expect(verdict(0)).toBe('beyond');
  put(3, false);
  expect(verdict(0)).toBe('within');
});

test('a verdict is kept for a second: ten thousand leavers ask for the same one', () => {
  const { deleted, state, verdict } = world(100, 1);
  expect(verdict(0)).toBe('within');
  deleted.push(...Array.from({ length: 20 }, (_, n) => key(50 + n)));
  state.nowMs += 999;
  expect(verdict(0)).toBe('within');
  state.nowMs += 1;
  expect(verdict(0)).toBe('beyond');
});

test('so is one that says no: ten thousand that wait ask, too', () => {
  const { deleted, state, verdict } = world(100, 1);
  deleted.push(...Array.from({ length: 20 }, (_, n) => key(50 + n)));
  expect(verdict(0)).toBe('beyond');
  deleted.length = 0;
  state.nowMs += 999;
  expect(verdict(0)).toBe('beyond');
  state.nowMs += 1;
  expect(verdict(0)).toBe('within');
});

test('a person is told how many of them leave, and how many would be replaced', () => {
  const { deletions, full } = world(10, 3);
  for (const n of [5, 6]) deletions.announce(key(n), 'c', `disk-${n}`);
  const verdict = full(0);
  expect(verdict).toMatchObject({
    is: 'beyond',
    message: `5 of 10 objects would be deleted or would be replaced (2): more than 30 % within an hour; to allow it: holdfast approve ${digestOf(verdict)}`,
  });
});

test('other limits are another question: those that were just raised, or lowered, hold at once', () => {
  const { deletions, verdict } = world(10, 3);
  expect(verdict(0)).toBe('within');
  expect(deletions.verdict(key(0), idOf(0), 'c', { perHour: 2, percent: 30 }).is).toBe('beyond');
});

describe('what is to be replaced is judged as a whole, with what leaves', () => {
  test('all of it waits where it is too much: none of forty disks goes by one edit', () => {
    const { replace } = world(40, 0);
    const verdicts = Array.from({ length: 40 }, (_, n) => replace(n));
    expect(verdicts.at(-1)).toBe('beyond');
    expect(Array.from({ length: 40 }, (_, n) => replace(n))).toEqual(
      Array.from({ length: 40 }, () => 'beyond'),
    );
  });

  test('the fourth of ten that goes is noticed, whether it leaves or is replaced', () => {
    const { replace, verdict } = world(10, 2);
    expect([verdict(0), replace(5)]).toEqual(['within', 'within']);
    expect([replace(6), verdict(0)]).toEqual(['beyond', 'beyond']);
  });

  test('what is not to be replaced any more stands in nobody’s way', () => {
    const { deletions, replace, verdict } = world(10, 3);
    expect(replace(5)).toBe('beyond');
    expect(deletions.announced('c')).toEqual([key(5)]);
    deletions.withdraw(key(5));
    expect(deletions.announced('c')).toEqual([]);
    expect(verdict(0)).toBe('within');
  });

  test('what leaves though it was to be replaced goes once', () => {
    const { deletions, put, verdict } = world(10, 2);
    deletions.announce(key(2), 'c', 'disk-2');
    put(2, true);
    expect(verdict(2)).toBe('within');
  });

  test('announcing the same again is no news: the verdict is kept', () => {
    const { deleted, replace } = world(100, 0);
    expect(replace(0)).toBe('within');
    deleted.push(...Array.from({ length: 20 }, (_, n) => key(50 + n)));
    expect(replace(0)).toBe('within');
  });

  test('what comes to use another connection counts there, and no longer where it was', () => {
    const { deletions } = world(10, 0);
    deletions.announce(key(0), 'c', 'disk-0');
    deletions.announce(key(0), 'd', 'disk-0');
    expect([deletions.announced('c'), deletions.announced('d')]).toEqual([[], [key(0)]]);
  });

  test('those who were judged are named once when the set changes: they have to be judged anew', () => {
    const { deletions, replace } = world(10, 0);
    deletions.announce(key(0), 'c', 'disk-0');
    expect(deletions.takeOutdated()).toEqual([]); // nobody was judged yet
    replace(0);
    replace(1);
    expect(deletions.takeOutdated()).toEqual(['c']);
    expect(deletions.takeOutdated()).toEqual([]);
    deletions.withdraw(key(1));
    expect(deletions.takeOutdated()).toEqual(['c']);
  });

  test('of another connection it is nobody’s business', () => {
    const { deletions, verdict } = world(10, 3);
    for (let n = 0; n < 5; n++) deletions.announce(`Toy/bank/t${n}`, 'd', 'disk');
    expect(verdict(0)).toBe('within');
    expect(deletions.announced('c')).toEqual([]);
  });
});

describe('nothing is judged before all is known that may go', () => {
  test('others have yet to be looked at: they may go, too', () => {
    const { deletions, unsettled, full } = world(10, 1);
    unsettled.add('c');
    expect(full(0)).toEqual({ is: 'unsettled' });
    expect(deletions.waiting).toEqual([key(0)]);
    unsettled.clear();
    expect(full(0)).toEqual({ is: 'within' });
    expect(deletions.waiting).toEqual([]);
  });

  test('what is declared still changes: half a commit would be judged, and nobody tells when it is whole', () => {
    const { state, full } = world(10, 1);
    state.synced = false;
    expect(full(0)).toEqual({ is: 'not-synced', atMs: state.nowMs + 1_000, problems: [] });
  });

  test('what can not be used is told with it', () => {
    const { state, full } = world(10, 1);
    state.synced = false;
    state.problems.push({ origin: 'a.yaml', message: 'broken' });
    expect(full(0)).toMatchObject({ is: 'not-synced', problems: state.problems });
  });

  test('what can not be watched is told with it: an administrator looks for that in vain in the files', () => {
    const { state, full } = world(10, 1);
    state.synced = false;
    state.unknown = "csisnapshots can't be watched now";
    expect(full(0)).toMatchObject({ is: 'not-synced', unknown: state.unknown });
  });

  test('a source that has listed everything once it has started has none of that', () => {
    const { graph, state } = world(10, 1);
    const approvals = { approved: () => undefined, recentDeletions: () => [] };
    const known = new Deletions({ graph, approvals, settled: () => true, nowMs: () => state.nowMs });
    expect(known.verdict(key(0), idOf(0), 'c', { perHour: 20, percent: 30 })).toEqual({ is: 'within' });
  });

  test('for as long as something in the tree can not be used: it is asked ever less often, not each second', () => {
    const { state, full } = world(10, 1);
    const asked: number[] = [];
    state.synced = false;
    for (const end = state.nowMs + 3_600_000; state.nowMs < end;) {
      const verdict = full(0);
      if (verdict.is !== 'not-synced') throw new Error(verdict.is);
      asked.push(verdict.atMs - state.nowMs);
      state.nowMs = verdict.atMs;
    }
    expect(asked.slice(0, 7)).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000]);
    expect(asked.length).toBeLessThan(200);
    state.synced = true;
    full(0);
    state.synced = false;
    expect(full(0)).toEqual({ is: 'not-synced', atMs: state.nowMs + 1_000, problems: [] });
  });

  test('not even what was approved goes: it is approved as a part of what was known', () => {
    const { approvals, state, verdict } = world(10, 1);
    approvals.set(key(0), idOf(0));
    state.synced = false;
    expect(verdict(0)).toBe('not-synced');
  });

  test('who only asks whether it is so is woken, too, when it is', () => {
    const { deletions, unsettled } = world(10, 1);
    unsettled.add('c');
    expect(deletions.isSettled(key(0), 'c')).toBe(false);
    expect(deletions.waiting).toEqual([key(0)]);
    unsettled.clear();
    expect(deletions.isSettled(key(0), 'c')).toBe(true);
    expect(deletions.waiting).toEqual([]);
  });

  test('who does not go any more waits for nothing', () => {
    const { deletions, unsettled, verdict } = world(10, 1);
    unsettled.add('c');
    verdict(0);
    deletions.withdraw(key(0));
    expect(deletions.waiting).toEqual([]);
  });
});

describe('approving', () => {
  test('some of them leaves fewer to count', () => {
    const { approvals, state, verdict } = world(10, 4);
    expect(verdict(2)).toBe('beyond');
    for (const n of [0, 1]) approvals.set(key(n), idOf(n));
    state.nowMs += 1_000;
    expect(verdict(2)).toBe('within');
  });

  test('lets each of them go, at once', () => {
    const { approvals, verdict } = world(10, 10);
    expect(verdict(0)).toBe('beyond');
    for (let n = 0; n < 10; n++) approvals.set(key(n), idOf(n));
    const verdicts = Array.from({ length: 10 }, (_, n) => verdict(n));
    expect(new Set(verdicts)).toEqual(new Set(['within']));
  });

  test('of one whose last manifest could not be used is one of its leaving, too: nobody is asked twice', () => {
    const { approvals, verdict } = world(10, 4);
    approvals.set(key(0), unreadID(idOf(0)));
    expect([verdict(0), verdict(1)]).toEqual(['within', 'within']);
  });

  test('does not let another one go that left since', () => {
    const { approvals, put, full, verdict } = world(20, 10);
    const before = digestOf(full(0));
    for (let n = 0; n < 10; n++) approvals.set(key(n), idOf(n));
    for (let n = 10; n < 17; n++) put(n, true);
    expect([verdict(0), verdict(16)]).toEqual(['within', 'beyond']);
    expect(digestOf(full(16))).not.toBe(before);
  });

  test('is of these lives: another object of the same name needs another approval', () => {
    const { graph, approvals, full } = world(10, 4);
    const before = digestOf(full(0));
    approvals.set(key(0), idOf(0));
    graph.set(key(0), { ...node, uid: 'another', deleting: true });
    expect(full(0, deletionID({ uid: 'another', generation: 1 })).is).toBe('beyond');
    expect(digestOf(full(1))).not.toBe(before);
  });

  test('is of this day: what came back and leaves again needs another approval', () => {
    const { graph, approvals, full } = world(10, 4);
    approvals.set(key(0), idOf(0));
    graph.set(key(0), { ...node, uid: 'u0', generation: 2, deleting: true });
    expect(full(0, idOf(0, 2)).is).toBe('beyond');
  });

  test('of leaving is none of being replaced, nor of being replaced by the next', () => {
    const { approvals, deletions, full } = world(4, 0);
    approvals.set(key(0), idOf(0));
    for (let n = 0; n < 4; n++) deletions.announce(key(n), 'c', `disk-${n}`);
    expect(full(0, 'disk-0').is).toBe('beyond');
    approvals.set(key(0), 'disk-0');
    expect(full(0, 'disk-0').is).toBe('within');
    deletions.announce(key(0), 'c', 'disk-9');
    expect(full(0, 'disk-9').is).toBe('beyond');
  });
});
