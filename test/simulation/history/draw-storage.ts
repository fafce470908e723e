// Draws snapshots of a volume, a schedule of them, and actions on jobs. Their numbers are of their own: a history without any
// is what it is without this.
import { randomOf, type Random } from '../machine/random.ts';
import type { Action, ActionWish, Event, ScheduleWish, SnapshotWish, StorageSetup } from './events.ts';

/** A history in so many has them. */
const share = 0.3;
const second = 1_000;
const snapshotSlots = ['s1', 's2', 's3'] as const;
export const actionSlots = ['a1', 'a2'] as const;

const scheduleOf = (random: Random): ScheduleWish => ({
  everyMinutes: random.pick([1, 2, 3]),
  count: 1 + random.below(3),
  minReady: 1 + random.below(2),
  suspended: random.chance(0.1),
  ...(random.chance(0.4) && { deadlineS: random.pick([5, 30, 120]) }),
});
const snapshotOf = (random: Random): SnapshotWish => ({
  deletion: random.pick(['Delete', 'Delete', 'Retain'] as const),
  ...(random.chance(0.5) && { deadlineS: random.pick([5, 30, 120]) }),
});
const actionOf = (random: Random): ActionWish => ({
  does: random.pick(['restart', 'restart', 'signal', 'stop'] as const),
  parallel: 1 + random.below(2),
});

export function drawStorage(seed: string): StorageSetup | undefined {
  const random = randomOf(`${seed} storage`);
  if (!random.chance(share)) return undefined;
  return {
    readyMs: random.pick([0, 3_000, 90_000]),
    ...(random.chance(0.8) && { schedule: scheduleOf(random) }),
  };
}

type Draw = (random: Random) => Action;
const op = 'A' as const;

const draws: readonly Draw[] = [
  (r) => ({ on: 'tree', do: 'declare snapshot', op, slot: r.pick(snapshotSlots), wish: snapshotOf(r) }),
  (r) => ({ on: 'tree', do: 'declare snapshot', op, slot: r.pick(snapshotSlots), wish: snapshotOf(r) }),
  (r) => ({ on: 'tree', do: 'declare action', op, slot: r.pick(actionSlots), wish: actionOf(r) }),
  (r) => ({ on: 'tree', do: 'declare action', op, slot: r.pick(actionSlots), wish: actionOf(r) }),
  (r) => ({ on: 'tree', do: 'let go', op, slot: r.pick([...snapshotSlots, ...actionSlots]) }),
  (r) => ({ on: 'tree', do: 'declare schedule', op, wish: scheduleOf(r) }),
  (r) => ({ on: 'cluster', do: 'strange snapshot', name: r.pick(['nightly-2026', 's1-copy', '']) }),
  (r) => ({
    on: 'machine',
    do: 'crash',
    op,
    phase: r.pick(['before', 'after'] as const),
    nth: r.below(6),
    downMs: r.below(r.pick([5 * second, 600 * second])),
  }),
  (r) => ({
    on: 'machine',
    do: 'network',
    op,
    fault: r.pick(['lost before', 'lost after', 'doubled', 'error after', 'slow'] as const),
    nth: r.below(3),
    writes: true,
  }),
];

/** Where there is storage. */
export function drawStored(seed: string, untilMs: number): readonly Event[] {
  const random = randomOf(`${seed} stored`);
  const events: Event[] = [];
  const count = 4 + random.below(10);
  while (events.length < count) {
    const at = 20_000 + random.below(Math.max(600_000, untilMs));
    events.push({ at, action: random.pick(draws)(random) });
  }
  return events;
}
