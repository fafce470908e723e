// Who left without having been approved within the last hour: what deletion limits count. How long ago that was is known by
// the monotonic clock of the process that saw it, and by the time since the machine started: by nothing that anybody can set.
import type { Departure } from './row.ts';
import type { StoredDeparture, Write } from './transaction.ts';

/** Deletion limits are about the last hour. */
const keptMs = 3_600_000;

/** One start of the machine. */
export interface Boot {
  /** No other start has it, on whatever machine. */
  readonly id: string;
  /** Since it began, sleep included; nobody can set it. */
  readonly sinceMs: () => number;
}

/** When a departure was, as another process can tell: on which start of the machine, and how long after it. */
export interface Stamp {
  /** Empty: nobody knows. */
  readonly boot: string;
  readonly bootMs: number;
}

export class DepartureLog {
  readonly #boot: Boot | undefined;
  #kept: StoredDeparture[];
  #nextId: number;
  /** Of those that nobody can tell the age of: from now on it can be told. */
  readonly restamped: Stamp | undefined;

  /**
   * @param stored of earlier processes. Those of another boot count as of `nowMs`: nobody knows how long ago they were.
   * @param boot absent: not known, and so it is of all of them
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

  /** Keys of those that used that connection and went within the last hour. */
  keys(connection: string, nowMs: number): readonly string[] {
    return this.#kept
      .filter((d) => d.connection === connection && d.atMs > nowMs - keptMs)
      .map(({ key }) => key);
  }

  /** As it is written. Every attempt to write has its own number: one that failed may stand in the file all the same. */
  numbered(key: string, departed: Departure): NonNullable<Write['departed']> {
    const id = this.#nextId++;
    const keptFrom = this.#kept.find(({ atMs }) => atMs >= departed.atMs - keptMs)?.id ?? id;
    return { ...departed, ...this.#stamp(), key, id, keptFrom };
  }

  /** It is written, and with it those before `keptFrom` are gone. */
  add({ keptFrom, ...departed }: NonNullable<Write['departed']>): void {
    this.#kept = [...this.#kept.filter(({ id }) => id >= keptFrom), departed];
  }

  #stamp(): Stamp {
    return { boot: this.#boot?.id ?? '', bootMs: Math.floor(this.#boot?.sinceMs() ?? 0) };
  }
}
