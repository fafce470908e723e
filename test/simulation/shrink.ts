// Makes a history that fails smaller: takes out events, in ever smaller portions, and volumes, as long as the same
// invariant is broken.
import type { History } from './history/events.ts';

const triesMax = 250;

/** @param stillFails plays it */
export async function shrunk(
  history: History,
  stillFails: (history: History) => Promise<boolean>,
): Promise<History> {
  let tries = 0;
  const fails = async (smaller: History): Promise<boolean> => {
    tries += 1;
    return tries <= triesMax && (await stillFails(smaller));
  };
  let best = history;
  for (let portion = Math.ceil(best.events.length / 2); portion >= 1; portion = Math.floor(portion / 2)) {
    for (let from = 0; from < best.events.length;) {
      const events = best.events.filter((_, i) => i < from || i >= from + portion);
      if (await fails({ ...best, events })) best = { ...best, events };
      else from += portion;
    }
  }
  for (const { slot } of best.setup.volumes) {
    const volumes = best.setup.volumes.filter((volume) => volume.slot !== slot);
    const smaller = { ...best, setup: { ...best.setup, volumes } };
    if (await fails(smaller)) best = smaller;
  }
  return best;
}
