// What is played where nobody waits for the rest (.ci/run): told by the seed of that run, and all of it otherwise.
import { chance } from './chance.ts';

/** Whether all of what is tried case by case is tried. */
export const isWhole = process.env['KILL_LOOPS'] === undefined;

const { FAULTS_SEED: seed = String(Date.now()) } = process.env;

/** Where the program is killed, effect after effect. @param step as many are left out where not all is played */
export function* kills(step: number, of: string): Generator<number, never> {
  const every = isWhole ? 1 : step;
  for (let n = 1 + Math.floor(chance(seed, of) * every); ; n += every) yield n;
}

/** One in `share` of these, or a little more: at least one is played. @param nameOf names that differ */
export function drawn<T>(all: readonly T[], share: number, nameOf: (one: T) => string): readonly T[] {
  if (isWhole) return all;
  const byLot = all.toSorted((a, b) => chance(seed, nameOf(a)) - chance(seed, nameOf(b)));
  return byLot.slice(0, Math.ceil(all.length / share));
}
