// Draws what befalls an operator in a cluster besides: others meddle with its objects, it may be two processes, and the one that
// leads may stand still.
import { randomOf, type Random } from '../machine/random.ts';
import { meddlings, type Action, type Event, type History } from './events.ts';

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
  const replicas = randomOf(`${seed} replicas`);
  if (replicas.chance(0.5)) return { seed, setup, events: inOrder([...events, ...meddled]) };
  const frozen = some(replicas, 5, untilMs, () => {
    const forMs = replicas.pick([second, 8 * second, 14 * second, 16 * second, 60 * second, 600 * second]);
    return { on: 'machine', do: 'freeze', op: 'A', forMs };
  });
  return { seed, setup: { ...setup, replicated: true }, events: inOrder([...events, ...meddled, ...frozen]) };
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
