// Holds the unapproved deletions of the last hour, for the deletion limits. Their age comes from the process's monotonic
// clock and from the time since the machine's boot, neither of which can be set.
import type { Boot, Stamp } from './boot.ts';
import type { RecentDeletion } from './row.ts';
import type { StoredDeletion, Write } from './transaction.ts';

const keptMs = 3_600_000;

export class DeletionLog {
  readonly #boot: Boot | undefined;
  #kept: StoredDeletion[];
  #nextId: number;
  /** The stamp for deletions of unknown age, which count from now on; `undefined`: there are none. */
  readonly restamped: Stamp | undefined;

  /**
   * @param stored by earlier processes. The age of those of another boot is unknown: they count as of `nowMs`
   * @param boot absent: unknown, so no stored deletion has a known age
   */
  constructor(stored: readonly Omit<StoredDeletion, 'atMs'>[], nowMs: number, boot?: Boot) {
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

  /** Keys of the connection's deletions within the last hour. */
  keys(connection: string, nowMs: number): readonly string[] {
    return this.#kept
      .filter((d) => d.connection === connection && d.atMs > nowMs - keptMs)
      .map(({ key }) => key);
  }

  /** Prepares a recent deletion for writing. Each attempt has its own number: a failed one may have reached the file. */
  numbered(key: string, { again, ...deletion }: RecentDeletion): NonNullable<Write['deletion']> {
    const recent = this.#kept.filter(({ atMs }) => atMs >= deletion.atMs - keptMs);
    const isSame = (one: StoredDeletion): boolean =>
      one.key === key && one.connection === deletion.connection;
    const id = (again && recent.findLast(isSame)?.id) ?? this.#nextId++;
    const keptFrom = recent[0]?.id ?? id;
    return { ...deletion, ...this.#stamp(), key, id, keptFrom };
  }

  /** Records that the deletion was written, and that those before `keptFrom` were deleted. */
  add({ keptFrom, ...deletion }: NonNullable<Write['deletion']>): void {
    const others = this.#kept.filter(({ id }) => id >= keptFrom && id !== deletion.id);
    this.#kept = [...others, deletion].toSorted((a, b) => a.id - b.id);
  }

  #stamp(): Stamp {
    return { boot: this.#boot?.id ?? '', bootMs: Math.floor(this.#boot?.sinceMs() ?? 0) };
  }
}
