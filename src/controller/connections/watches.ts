// The watches of live state: one per connection, started when the connection is found healthy and restarted when its
// definition changes. Watches only trigger reconciles; a missed event delays a reconcile and does no other harm.
import type { ExternalObject, Listed } from '../../core/resource.ts';
import type { ConnectionView } from '../../core/status/view.ts';
import type { Opened } from './connections.ts';

export interface Follower {
  stop(): Promise<void>;
  /**
   * A visit observed the external object. The watch can then report its deletion even if no list has shown the object yet.
   */
  observed(ref: ExternalObject): void;
  /** The external object in the newest list; `undefined`: it is not in it, or nothing can be listed. */
  listed(ref: ExternalObject): Listed | undefined;
  view(): ConnectionView;
}

/** Starts to watch the live state of a connection. Returns `undefined` if the service has nothing to watch. */
export type Follow<E, Reader> = (
  connection: Opened<E, Reader>,
  handlers: {
    /** The external object has changed or disappeared, as of this state index. */
    readonly changed: (ref: ExternalObject, index: number) => void;
    /** The first list is complete, or failed: from now on `listed` never says that it is pending. */
    readonly complete: () => void;
    /** The watch can't reach the service. */
    readonly trouble: (message: string) => void;
  },
) => Follower | undefined;

interface Handlers {
  readonly changed: (ref: ExternalObject, index: number) => void;
  /** @param key keyText of the connection */
  readonly complete: (key: string) => void;
  /** @param key keyText of the connection */
  readonly trouble: (key: string, message: string) => void;
}

interface Watch<E, Reader> {
  readonly opened: Opened<E, Reader>;
  follower?: Follower | undefined;
  /** The first list is neither complete nor failed. */
  listing: boolean;
}

export class Watches<E, Reader> {
  readonly #follow: Follow<E, Reader> | undefined;
  readonly #handlers: Handlers;
  /** Connection → its definition when the watch began, and the watch. */
  readonly #watches = new Map<string, Watch<E, Reader>>();

  /** @param follow absent: nothing is watched, as in a single pass */
  constructor(follow: Follow<E, Reader> | undefined, handlers: Handlers) {
    this.#follow = follow;
    this.#handlers = handlers;
  }

  isOf(key: string, opened: Opened<E, Reader>): boolean {
    return this.#watches.get(key)?.opened === opened;
  }

  begin(key: string, opened: Opened<E, Reader>): void {
    this.end(key);
    const { changed, complete, trouble } = this.#handlers;
    const watch: Watch<E, Reader> = { opened, listing: this.#follow !== undefined };
    this.#watches.set(key, watch);
    watch.follower = this.#follow?.(opened, {
      changed,
      complete: () => {
        watch.listing = false;
        complete(key);
      },
      trouble: (message) => trouble(key, message),
    });
  }

  end(key: string): void {
    void this.#watches.get(key)?.follower?.stop();
    this.#watches.delete(key);
  }

  observed(ref: ExternalObject): void {
    for (const { opened, follower } of this.#watches.values())
      if (opened.connection.backend === ref['backend']) follower?.observed(ref);
  }

  listed(key: string, ref: ExternalObject): Listed | undefined {
    return this.#watches.get(key)?.follower?.listed(ref);
  }

  isListing(key: string): boolean {
    return this.#watches.get(key)?.listing === true;
  }

  view(key: string): ConnectionView {
    return this.#watches.get(key)?.follower?.view() ?? { watch: this.#follow ? 'polling' : 'off' };
  }

  /** Resolves when all watches have ended. */
  async stop(): Promise<void> {
    for (const { follower } of this.#watches.values()) await follower?.stop();
  }
}
