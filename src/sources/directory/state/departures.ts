// Holds the unapproved deletions of the last hour, for the deletion limits. Their age comes from the process's monotonic
// clock and from the time since the machine's boot, neither of which can be set.
import type { Boot, Stamp } from './boot.ts';
import type { Departure } from './row.ts';
import type { StoredDeparture, Write } from './transaction.ts';

const keptMs = 3_600_000;

export class DepartureLog {
  readonly #boot: Boot | undefined;
  #kept: StoredDeparture[];
  #nextId: number;
  /** The stamp for departures of unknown age, which count from now on; `undefined`: there are none. */
  readonly restamped: Stamp | undefined;

  /**
   * @param stored by earlier processes. The age of those of another boot is unknown: they count as of `nowMs`
   * @param boot absent: unknown, so no stored departure has a known age
   */
  constructor(stored: readonly Omit<StoredDeparture, 'atMs'>[], nowMs: number, boot?: Boot) {
    this.#boot = boot;
    const stamp = this.#stamp();
    const isKnown = (one: Stamp): boolean =>
      one.boot !== '' && one.boot === stamp.boot && one.bootMs <= stamp.bootMs;
    this.#kept = stored.map((one) =>
      isKnown(one)
        ? { ...one, atMs: nowMs - (stamp.bootMs - one.bootMs) }
        : { ...one, ...stamp, atMs: nowMs },
    );
    this.restamped = boot && !stored.every(isKnown) ? stamp : undefined;
    this.#nextId = Math.max(0, ...stored.map(({ id }) => id)) + 1;
  }

  /** Keys of the connection's departures within the last hour. */
  keys(connection: string, nowMs: number): readonly string[] {
    return this.#kept
      .filter((d) => d.connection === connection && d.atMs > nowMs - keptMs)
      .map(({ key }) => key);
  }

  /** Prepares a departure for writing. Each attempt has its own number: a failed one may have reached the file. */
  numbered(key: string, { again, ...departed }: Departure): NonNullable<Write['departed']> {
    const recent = this.#kept.filter(({ atMs }) => atMs >= departed.atMs - keptMs);
    const isSame = (one: StoredDeparture): boolean =>
      one.key === key && one.connection === departed.connection;
    const id = (again && recent.findLast(isSame)?.id) ?? this.#nextId++;
    const keptFrom = recent[0]?.id ?? id;
    return { ...departed, ...this.#stamp(), key, id, keptFrom };
  }

  /** Records that the departure was written, and that those before `keptFrom` were deleted. */
  add({ keptFrom, ...departed }: NonNullable<Write['departed']>): void {
    const others = this.#kept.filter(({ id }) => id >= keptFrom && id !== departed.id);
    this.#kept = [...others, departed].toSorted((a, b) => a.id - b.id);
  }

  #stamp(): Stamp {
    return { boot: this.#boot?.id ?? '', bootMs: Math.floor(this.#boot?.sinceMs() ?? 0) };
  }
}
