// Who watches the live state of which connection: one watch for each definition of it that was found well.
import type { ExternalObject } from '../../core/resource.ts';
import type { ConnectionView } from '../../core/status/view.ts';
import type { Opened } from './connections.ts';

/** Who watches a connection's live state. */
export interface Follower {
  stop(): Promise<void>;
  /** A visit has seen it: it may be gone before the watch first hears of it. */
  seen(ref: ExternalObject): void;
  /** How far it is, for people. */
  view(): ConnectionView;
}

/** Watches one connection's live state until it is stopped. Absent: nothing there can be watched. */
export type Follow<E, Reader> = (
  connection: Opened<E, Reader>,
  told: {
    /** The external object has changed, or is gone, as of that state index. */
    readonly changed: (ref: ExternalObject, index: number) => void;
    /** The watcher can't reach the service. */
    readonly trouble: (message: string) => void;
  },
) => Follower | undefined;

interface Told {
  readonly changed: (ref: ExternalObject, index: number) => void;
  /** @param key of the connection */
  readonly trouble: (key: string, message: string) => void;
}

interface Watch<E, Reader> {
  readonly opened: Opened<E, Reader>;
  readonly follower: Follower | undefined;
}

export class Watches<E, Reader> {
  readonly #follow: Follow<E, Reader> | undefined;
  readonly #told: Told;
  /** Connection → as it was last found well, and who watches it. */
  readonly #watches = new Map<string, Watch<E, Reader>>();

  /** @param follow absent: nothing is watched, as in a single pass */
  constructor(follow: Follow<E, Reader> | undefined, told: Told) {
    this.#follow = follow;
    this.#told = told;
  }

  /** Whether the connection was last watched as it is defined now. */
  isOf(key: string, opened: Opened<E, Reader>): boolean {
    return this.#watches.get(key)?.opened === opened;
  }

  /** Watches the connection as it is defined now, and no more as it was before. */
  begin(key: string, opened: Opened<E, Reader>): void {
    this.end(key);
    const { changed, trouble } = this.#told;
    const follower = this.#follow?.(opened, { changed, trouble: (message) => trouble(key, message) });
    this.#watches.set(key, { opened, follower });
  }

  end(key: string): void {
    void this.#watches.get(key)?.follower?.stop();
    this.#watches.delete(key);
  }

  /** A visit has seen it. */
  seen(ref: ExternalObject): void {
    for (const { opened, follower } of this.#watches.values())
      if (opened.connection.backend === ref['backend']) follower?.seen(ref);
  }

  /** How far the watch of a connection is. */
  view(key: string): ConnectionView {
    return this.#watches.get(key)?.follower?.view() ?? { watch: this.#follow ? 'polling' : 'off' };
  }

  /** Resolves when none is under way. */
  async stop(): Promise<void> {
    for (const { follower } of this.#watches.values()) await follower?.stop();
  }
}
