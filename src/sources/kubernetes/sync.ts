// Whether everything declared in the cluster is known: every collection has an open watch, and no deletion has arrived for a
// while.
import type { Sync } from '../../core/source/source.ts';
import type { DeletionDebounce } from './deletion-debounce.ts';

export class ClusterSync implements Sync {
  readonly #deletions: DeletionDebounce;
  /** Collections without an open watch → their plural. */
  readonly #unwatched = new Map<symbol, string>();
  readonly #waiting: (() => void)[] = [];

  constructor(deletions: DeletionDebounce) {
    this.#deletions = deletions;
  }

  /** Adds a collection. @returns what to call when its watch opens or ends */
  collection(plural: string): (isOpen: boolean) => void {
    const id = Symbol(plural);
    this.#unwatched.set(id, plural);
    return (isOpen) => {
      if (!isOpen) this.#unwatched.set(id, plural);
      else if (this.#unwatched.delete(id) && this.#unwatched.size === 0)
        for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  hasSynced(): boolean {
    return this.#unwatched.size === 0 && this.#deletions.hasSynced();
  }

  syncedByMs(): number | undefined {
    return this.#unwatched.size === 0 ? this.#deletions.syncedByMs() : undefined;
  }

  /** Without namespaces: the message is read by tenants. */
  unknown(): string | undefined {
    const plurals = [...new Set(this.#unwatched.values())].toSorted();
    return plurals.length === 0 ? undefined : `${plurals.join(', ')} can't be watched now`;
  }

  problems(): readonly [] {
    return this.#deletions.problems();
  }

  async waitForSync(): Promise<void> {
    while (!this.hasSynced()) {
      await this.#deletions.waitForSync();
      if (this.#unwatched.size > 0) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
  }
}
