// Draws what befalls an operator in a cluster besides: it may be two processes, and the one that leads may stand still.
import { randomOf } from '../machine/random.ts';
import type { Action, Event, History } from './events.ts';

const second = 1_000;

/** Half of them are replicated; the rest of the history stays as it is. */
export function inCluster(history: History): History {
  const random = randomOf(`${history.seed} replicas`);
  if (random.chance(0.5)) return history;
  const lastMs = history.events.at(-1)?.at ?? 0;
  const freezes = Array.from({ length: random.below(5) }, (): Event => {
    const forMs = random.pick([second, 8 * second, 14 * second, 16 * second, 60 * second, 600 * second]);
    const freeze: Action = { on: 'machine', do: 'freeze', op: 'A', forMs };
    // Worst amid a visit: what it has still to send is due when it goes on.
    const amid = {
      do: 'between',
      nth: random.below(4),
      only: 'writes',
      action: freeze,
      about: false,
    } as const;
    const action: Action = random.chance(0.3) ? freeze : { on: 'machine', op: 'A', ...amid };
    return { at: random.below(lastMs + 30 * second), action };
  });
  const events = [...history.events, ...freezes].toSorted((a, b) => a.at - b.at);
  return { ...history, setup: { ...history.setup, replicated: true }, events };
}
