// Waiting in tests: for a condition, with a deadline, never for a time.
import { setTimeout as pause } from 'node:timers/promises';

/** What takes long is looked at less often: looks cost the time of whoever is looked at. */
const everyMs = (sinceMs: number): number => Math.min(200, Math.max(20, (performance.now() - sinceMs) / 20));
const defaultMs = Number(process.env['WITHIN_MS'] ?? 20_000);

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
  const sinceMs = performance.now();
  for (;;) {
    const found = await look();
    // oxlint-disable-next-line no-unsafe-type-assertion -- just checked
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
    if (performance.now() - sinceMs > withinMs) {
      throw new Error(`not within ${withinMs} ms: ${what}${seen ? `; seen: ${seen()}` : ''}`);
    }
    await pause(everyMs(sinceMs));
  }
}
