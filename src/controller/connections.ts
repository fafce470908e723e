// The open connections: one service per connection object, reused while its definition stays the same. The health of
// a connection is the health of its object: while that is not well, nothing but its own probe is sent.
import type { Connection, DeletionLimits } from '../core/connection.ts';
import type { Outcome } from '../core/errors.ts';
import { Secret } from '../core/secret.ts';

/** A service as the reconciler uses it. */
export interface Service<E, Reader> {
  readonly reader: Reader;
  /** Never throws for what the service did or did not do. */
  perform(effect: E, key: string, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Opened<E, Reader> {
  readonly connection: Connection;
  readonly service: Service<E, Reader>;
}

export interface Unusable {
  /** Nobody has looked at it yet. */
  readonly early: boolean;
  readonly message: string;
}

interface Held<E, Reader> extends Opened<E, Reader> {
  readonly definition: string;
  healthy: boolean;
  /** Why not, for those who wait. Absent until it was probed. */
  message: string | undefined;
}

export class Connections<E, Reader> {
  readonly #held = new Map<string, Held<E, Reader>>();
  readonly #connect: (connection: Connection) => Service<E, Reader>;

  constructor(connect: (connection: Connection) => Service<E, Reader>) {
    this.#connect = connect;
  }

  /** Opens what a connection object defines now. A changed definition is not healthy until it has been probed. */
  open(key: string, connection: Connection): Opened<E, Reader> {
    const definition = definitionOf(connection);
    const before = this.#held.get(key);
    if (before?.definition === definition) return before;
    void before?.service.close();
    const service = this.#connect(connection);
    const held = { connection, service, definition, healthy: false, message: undefined };
    this.#held.set(key, held);
    return held;
  }

  /** @returns whether that is news. */
  setHealth(key: string, healthy: boolean, message: string): boolean {
    const held = this.#held.get(key);
    if (!held) return false;
    const changed = held.healthy !== healthy || held.message === undefined;
    held.healthy = healthy;
    held.message = message;
    return changed;
  }

  /** The connection if it can be used now, else why not. */
  get(key: string): Opened<E, Reader> | Unusable {
    const held = this.#held.get(key);
    if (held?.healthy === true) return held;
    if (held?.message === undefined) return { early: true, message: `${key} has not been looked at yet` };
    return { early: false, message: `${key}: ${held.message}` };
  }

  /** Known as soon as the connection was opened, healthy or not. */
  limits(key: string): DeletionLimits | undefined {
    return this.#held.get(key)?.connection.limits.deletions;
  }

  async close(key: string): Promise<void> {
    const held = this.#held.get(key);
    this.#held.delete(key);
    await held?.service.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((key) => this.close(key)));
  }
}

/** Secrets take part with source and version. */
const definitionOf = (connection: Connection): string =>
  JSON.stringify(connection, function (this: Record<string, unknown>, name: string, shown: unknown) {
    const held = this[name]; // toJSON has already run on `shown`
    return held instanceof Secret ? { source: held.source, version: held.version } : shown;
  });
