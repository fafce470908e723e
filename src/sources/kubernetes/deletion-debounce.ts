// Waits until deletions have stopped arriving. The API server reports them one by one, even if a whole namespace is
// deleted, and the deletion limits must judge them together.
import type { Clock } from '../../core/time/clock.ts';
import type { Sync } from '../../core/source/source.ts';

/** As long as a directory waits (sources/directory/removal-debounce.ts). */
const quietMs = 2_000;
/** Where deletions never stop, a batch is judged after this long. */
const longestMs = 20_000;

export class DeletionDebounce implements Sync {
  readonly #clock: Clock;
  #firstMs = -Infinity;
  #lastMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that an object has just been marked for deletion. */
  seen(): void {
    const nowMs = this.#clock.nowMs();
    if (this.hasSynced()) this.#firstMs = nowMs;
    this.#lastMs = nowMs;
  }

  hasSynced(): boolean {
    return this.#leftMs() <= 0;
  }

  /** Always empty: the API server rejects invalid objects. One accepted by an older definition reports its own problem. */
  problems(): readonly [] {
    return [];
  }

  async waitForSync(): Promise<void> {
    while (!this.hasSynced()) {
      await new Promise<void>((resolve) => void this.#clock.setTimer(this.#leftMs(), resolve));
    }
  }

  #leftMs(): number {
    return Math.min(this.#lastMs + quietMs, this.#firstMs + longestMs) - this.#clock.nowMs();
  }
}
