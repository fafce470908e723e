// Where the program is killed, effect after effect: at each, or, where nobody waits for the rest (.ci/run), at one in `step`.

/** Whether all of what is tried case by case is tried. */
export const isWhole = process.env['KILL_LOOPS'] === undefined;

/** @param step as many are left out where not all is played */
export function* kills(step: number): Generator<number, never> {
  const every = isWhole ? 1 : step;
  for (let n = isWhole ? 1 : 1 + Math.floor(Math.random() * every); ; n += every) yield n;
}
