// Draws what shows only as a whole: some things that happen in one order, each of which is drawn often enough, and all of
// them together next to never.
import { randomOf, type Random } from '../machine/random.ts';
import type { Action, Event, Setup } from './events.ts';

const second = 1_000;
const minute = 60 * second;

/** Each with the longest time after the one before. */
type Told = readonly (readonly [withinMs: number, action: Action])[];
type Story = (random: Random, slots: readonly [string, string]) => Told;

const remove = (slot: string): Action => ({ on: 'tree', do: 'remove', op: 'A', slots: [slot] });
const back: Action = { on: 'tree', do: 'switch', op: 'A', back: 1, overMs: 0 };
const limits = (perHour: number): Action => ({
  on: 'tree',
  do: 'limits',
  op: 'A',
  perHour,
  percent: 100,
  remove: [],
});
const disposable = { deletion: 'Delete', suspended: false, observed: false } as const;
const declare = (slot: string, patch: object = disposable): Action => ({
  on: 'tree',
  do: 'declare',
  op: 'A',
  slot,
  patch,
});

/** More than may go within an hour, one after the other. */
const oneByOne: Story = (random, [first, other]) => [
  [second, declare(first)],
  [second, declare(other)],
  [minute, limits(1)],
  [3 * minute, remove(first)],
  [random.pick([minute, 40 * minute]), remove(other)],
];

/** A person lets it go, while somebody still has it; it is declared again, and leaves another day. */
const letGoOnce: Story = (_random, [slot]) => [
  [second, declare(slot)],
  [minute, limits(0)],
  [2 * minute, { on: 'cluster', do: 'claim', scheduler: 's1', namespace: 'team-a', id: slot }],
  [second, remove(slot)],
  [minute, { on: 'machine', do: 'approve', op: 'A', old: false }],
  [minute, back],
  [2 * minute, { on: 'cluster', do: 'end claim', how: 'complete' }],
  [2 * minute, remove(slot)],
];

/** It is told to be left alone, in its manifest or by a command, and then it leaves. */
const suspended: Story = (random, [slot]) => [
  [second, declare(slot)],
  random.chance(0.5)
    ? [2 * minute, declare(slot, { suspended: true })]
    : [2 * minute, { on: 'machine', do: 'ask', op: 'A', slot, name: 'suspend', token: 'true' }],
  [5 * minute, remove(slot)],
];

/** It is declared again while it goes, and nobody tells: whoever does not look once more destroys it. */
const takenBack: Story = (random, [slot]) => [
  [second, declare(slot)],
  [2 * minute, { on: 'machine', do: 'slow tree', op: 'A', slowestMs: 5_000, deaf: true }],
  [10 * second, remove(slot)],
  [second, { on: 'machine', do: 'network', op: 'A', fault: 'slow', nth: random.below(2), writes: true }],
  [40 * second, back],
];

const stories = [oneByOne, letGoOnce, suspended, takenBack] as const;

/** A history in so many has one. */
const share = 0.2;

/** Its numbers are of its own: a history without one is what it is without any of this. */
export function drawStory(seed: string, { volumes }: Setup, untilMs: number): readonly Event[] {
  const random = randomOf(`${seed} story`);
  if (!random.chance(share)) return [];
  const slots = volumes.map(({ slot }) => slot);
  const first = random.pick(slots);
  const other = random.pick(slots.filter((slot) => slot !== first));
  let at = 20_000 + random.below(Math.max(1, untilMs - 20_000));
  return random
    .pick(stories)(random, [first, other])
    .map(([withinMs, action]) => {
      at += random.below(withinMs);
      return { at, action };
    });
}
