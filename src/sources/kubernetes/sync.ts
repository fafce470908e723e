// Whether everything declared in the cluster is known: every collection has an open watch, and no deletion has arrived for a
// while.
import type { Sync } from '../../core/source/source.ts';
import type { DeletionDebounce } from './deletion-debounce.ts';

interface Collection {
  readonly plural: string;
  /** Empty: all namespaces, or a cluster-scoped resource. */
  readonly namespace: string;
}

export class ClusterSync implements Sync {
  readonly #deletions: DeletionDebounce;
  /** Collections without an open watch. */
  readonly #unwatched = new Map<symbol, Collection>();
  readonly #waiting: (() => void)[] = [];

  constructor(deletions: DeletionDebounce) {
    this.#deletions = deletions;
  }

  /** Adds a collection. @returns what to call when its watch opens or ends */
  collection(collection: Collection): (isOpen: boolean) => void {
    const id = Symbol(collection.plural);
    this.#unwatched.set(id, collection);
    return (isOpen) => {
      if (!isOpen) this.#unwatched.set(id, collection);
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

  /** Names no namespace, as tenants read it. That of a chosen namespace is in the log. */
  unknown(): string | undefined {
    const unwatched = [...this.#unwatched.values()];
    if (unwatched.length === 0) return undefined;
    const plurals = [...new Set(unwatched.map(({ plural }) => plural))].toSorted().join(', ');
    const isOfOne = unwatched.some(({ namespace }) => namespace !== '');
    return isOfOne
      ? `${plurals} can't be watched in a chosen namespace now (the log says in which)`
      : `${plurals} can't be watched now`;
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
