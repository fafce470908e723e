// Draws what befalls an operator in a cluster besides: others meddle with its objects, it may be several processes, and the one
// that leads may stand still.
import { randomOf, type Random } from '../machine/random.ts';
import {
  copies as kindsOfCopy,
  copyings,
  meddlings,
  restorings,
  type Action,
  type Event,
  type History,
  type Setup,
} from './events.ts';

const second = 1_000;
const slots = ['v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7'] as const;

/** The rest of the history stays as it is. Half of the operators are replicated. */
export function inCluster(history: History): History {
  const { seed, setup, events } = history;
  const untilMs = (events.at(-1)?.at ?? 0) + 30 * second;
  const others = randomOf(`${seed} others`);
  const meddled = some(others, 4, untilMs, () => {
    const [what, slot] = [others.pick(meddlings), others.pick(slots)];
    return { on: 'machine', do: 'meddle', op: 'A', what, slot };
  });
  const back = restored(randomOf(`${seed} backups`), events);
  const copies = copied(randomOf(`${seed} copies`), setup, untilMs);
  const emptied = deleted(randomOf(`${seed} namespace`), untilMs);
  const all = [...events, ...meddled, ...back, ...copies, ...emptied];
  const replicas = randomOf(`${seed} replicas`);
  if (replicas.chance(0.5)) return { seed, setup, events: inOrder(all) };
  const frozen = some(replicas, 5, untilMs, () => {
    const forMs = replicas.pick([second, 8 * second, 14 * second, 16 * second, 60 * second, 600 * second]);
    return { on: 'machine', do: 'freeze', op: 'A', forMs };
  });
  const count = replicas.chance(0.3) ? 3 : 2;
  return { seed, setup: { ...setup, replicas: count }, events: inOrder([...all, ...frozen]) };
}

/** Some of those that leave are put back from a backup, most of them once they are gone. */
function restored(random: Random, events: readonly Event[]): readonly Event[] {
  return events.flatMap(({ at, action }): readonly Event[] => {
    if (action.do !== 'remove' || action.op !== 'A' || action.slots.length === 0) return [];
    if (random.chance(0.5)) return [];
    const [what, slot] = [random.pick(restorings), random.pick(action.slots)];
    const afterMs = 5 * second + random.below(600 * second);
    return [{ at: at + afterMs, action: { on: 'machine', do: 'meddle', op: 'A', what, slot } }];
  });
}

/**
 * Some are there once more under another name; the original leaves, or the copy, or both. The original may be gone at once, for
 * somebody took its finalizer away.
 */
function copied(random: Random, { volumes }: Setup, untilMs: number): readonly Event[] {
  if (random.chance(0.6)) return [];
  return Array.from({ length: 1 + random.below(2) }, () => {
    const [what, copy] = [random.pick(copyings), random.pick(kindsOfCopy)];
    const { slot } = random.pick(volumes);
    const at = random.below(untilMs);
    const afterMs = () => at + second + random.below(random.pick([60 * second, 1_200 * second]));
    const meddle = { on: 'machine', do: 'meddle', op: 'A', slot, copy } as const;
    const leavesAt = afterMs();
    const strip = { on: 'machine', do: 'meddle', op: 'A', slot, what: 'finalizer' } as const;
    const leaves: readonly Event[] = [
      ...(random.chance(0.5) ? [{ at: leavesAt, action: strip }] : []),
      { at: leavesAt, action: { on: 'tree', do: 'remove', op: 'A', slots: [slot] } },
    ];
    const goes: Event = { at: afterMs(), action: { ...meddle, what: 'delete' } };
    return [
      { at, action: { ...meddle, what } },
      ...(random.chance(0.4) ? leaves : []),
      ...(random.chance(0.6) ? [goes] : []),
    ];
  }).flat();
}

/** All that is declared goes at once, with the Secrets beside it. */
function deleted(random: Random, untilMs: number): readonly Event[] {
  if (random.chance(0.92)) return [];
  const action = { on: 'machine', do: 'meddle', op: 'A', what: 'delete namespace', slot: '' } as const;
  return [{ at: random.below(untilMs), action }];
}

/** Most of them amid a visit, where they are worst: what it has still to send is due when it goes on. */
function some(random: Random, below: number, untilMs: number, drawn: () => Action): readonly Event[] {
  return Array.from({ length: random.below(below) }, () => {
    const action = drawn();
    const amid = { do: 'between', nth: random.below(4), only: 'writes', action, about: false } as const;
    return {
      at: random.below(untilMs),
      action: random.chance(0.3) ? action : { on: 'machine', op: 'A', ...amid },
    };
  });
}

const inOrder = (events: readonly Event[]): readonly Event[] => events.toSorted((a, b) => a.at - b.at);
