// Unapproved deletions within the last hour, which the deletion limits count. Their age comes from the monotonic clock
// of the process that saw them, and from the time since the machine's boot: nobody can set either.
import type { Boot, Stamp } from './boot.ts';
import type { Departure } from './row.ts';
import type { StoredDeparture, Write } from './transaction.ts';

/** Deletion limits are about the last hour. */
const keptMs = 3_600_000;

export class DepartureLog {
  readonly #boot: Boot | undefined;
  #kept: StoredDeparture[];
  #nextId: number;
  /** A new stamp for departures of unknown age, whose age counts from now on. */
  readonly restamped: Stamp | undefined;

  /**
   * @param stored by earlier processes. Those of another boot count as of `nowMs`: their age is unknown
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

  /** For writing. Every attempt has its own number: a failed one may be in the file nonetheless. */
  numbered(key: string, { again, ...departed }: Departure): NonNullable<Write['departed']> {
    const recent = this.#kept.filter(({ atMs }) => atMs >= departed.atMs - keptMs);
    const isSame = (one: StoredDeparture): boolean =>
      one.key === key && one.connection === departed.connection;
    const id = (again && recent.findLast(isSame)?.id) ?? this.#nextId++;
    const keptFrom = recent[0]?.id ?? id;
    return { ...departed, ...this.#stamp(), key, id, keptFrom };
  }

  /** The departure was written, and those before `keptFrom` were dropped. */
  add({ keptFrom, ...departed }: NonNullable<Write['departed']>): void {
    const others = this.#kept.filter(({ id }) => id >= keptFrom && id !== departed.id);
    this.#kept = [...others, departed].toSorted((a, b) => a.id - b.id);
  }

  #stamp(): Stamp {
    return { boot: this.#boot?.id ?? '', bootMs: Math.floor(this.#boot?.sinceMs() ?? 0) };
  }
}
