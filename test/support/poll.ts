// Waiting in tests: for a condition, with a deadline, never for a time.
import { setTimeout as pause } from 'node:timers/promises';

const everyMs = 20;
const defaultMs = 20_000;

/**
 * Looks until there is something to see.
 * @param look gives `undefined` or false for "not yet"; what it throws ends the wait.
 * @throws Error that says what was waited for, and what was seen last.
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  { withinMs = defaultMs, seen }: { readonly withinMs?: number; readonly seen?: () => string } = {},
): Promise<Exclude<T, undefined | false>> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    // oxlint-disable-next-line no-unsafe-type-assertion -- just checked
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
    if (performance.now() > endMs) {
      throw new Error(`not within ${withinMs} ms: ${what}${seen ? `; seen: ${seen()}` : ''}`);
    }
    await pause(everyMs);
  }
}
