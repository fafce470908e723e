// Deletions come one by one, also when all of a namespace goes: what goes is judged as a whole once no more have come for a
// while.
import type { Clock } from '../../core/clock.ts';
import type { Sync } from '../../core/source/source.ts';

/** As long as a directory waits (sources/directory/removal-debounce.ts). */
const quietMs = 2_000;
/** Where deletions never cease, each batch is judged after this long. */
const longestMs = 20_000;

export class DeletionDebounce implements Sync {
  readonly #clock: Clock;
  #firstMs = -Infinity;
  #lastMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An object is to be deleted from now on. */
  seen(): void {
    const nowMs = this.#clock.nowMs();
    if (this.hasSynced()) this.#firstMs = nowMs;
    this.#lastMs = nowMs;
  }

  hasSynced(): boolean {
    return this.#leftMs() <= 0;
  }

  /** The API server takes none that it can't read; of those of older definitions, each says so itself. */
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
