// Waits until deletions have stopped arriving. The API server reports them one by one, even if a whole namespace is
// deleted, and the deletion limits must judge them together.
import type { Clock } from '../../core/time/clock.ts';
import type { Sync } from '../../core/source/source.ts';

/** As long as a directory waits (sources/directory/removal-debounce.ts). */
const quietMs = 2_000;
/** Where deletions never stop, a batch is judged each time that so much has passed, */
const longestMs = 20_000;
/** and for that long: whoever waits has to be visited meanwhile. */
const openMs = 1_000;

export class DeletionDebounce implements Sync {
  readonly #clock: Clock;
  /** When the first of the deletions arrived that were less than `quietMs` apart. */
  #firstMs = -Infinity;
  #lastMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that an object has just been marked for deletion. */
  seen(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs >= this.#lastMs + quietMs) this.#firstMs = nowMs;
    this.#lastMs = nowMs;
  }

  hasSynced(): boolean {
    const nowMs = this.#clock.nowMs();
    const forMs = nowMs - this.#firstMs;
    return nowMs >= this.#lastMs + quietMs || (forMs >= longestMs && forMs % longestMs < openMs);
  }

  /** However many more arrive. */
  syncedByMs(): number {
    const nowMs = this.#clock.nowMs();
    return this.hasSynced() ? nowMs : nowMs + longestMs - ((nowMs - this.#firstMs) % longestMs);
  }

  /** Always empty: the API server rejects invalid objects. One accepted by an older definition reports its own problem. */
  problems(): readonly [] {
    return [];
  }

  async waitForSync(): Promise<void> {
    while (!this.hasSynced()) {
      const leftMs = Math.min(this.#lastMs + quietMs, this.syncedByMs()) - this.#clock.nowMs();
      await new Promise<void>((resolve) => void this.#clock.setTimer(leftMs, resolve));
    }
  }
}
