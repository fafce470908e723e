// The open connections: one service per connection object, reused while its definition stays the same. The health of
// a connection is the health of its object: while that is not well, nothing but its own probe is sent.
import type { Connection, DeletionLimits } from '../../core/connection.ts';
import { stricter } from '../../core/planning/deletion-limits.ts';
import type { Outcome } from '../../core/errors.ts';
import { Secret } from '../../core/secret.ts';

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

/** Deletion limits that were in force, and hold on although looser ones were declared since. */
interface Former {
  readonly limits: DeletionLimits;
  /** Monotonic, milliseconds. */
  readonly untilMs: number;
}

/** The time that deletion limits speak of: whoever raises them waits that long, or has what goes approved. */
const formerMs = 3_600_000;

export class Connections<E, Reader> {
  readonly #held = new Map<string, Held<E, Reader>>();
  /** Why they could not be opened: what they refer to is missing. Nobody asks that of those that are open. */
  readonly #unopened = new Map<string, string>();
  /** Backend → limits of connections to it, whatever they are called: another name has no other limits. */
  readonly #formers = new Map<string, readonly Former[]>();
  readonly #connect: (connection: Connection) => Service<E, Reader>;
  readonly #nowMs: () => number;

  /** @param nowMs monotonic */
  constructor(connect: (connection: Connection) => Service<E, Reader>, nowMs: () => number) {
    this.#connect = connect;
    this.#nowMs = nowMs;
  }

  /**
   * Opens what a connection object defines now. A changed definition is not healthy until it has been probed.
   * @param inForce deletion limits that were when the last process looked: they hold on where they are stricter
   */
  open(key: string, connection: Connection, inForce?: DeletionLimits): Opened<E, Reader> {
    const definition = definitionOf(connection);
    const before = this.#held.get(key);
    if (before?.definition === definition) return before;
    const former = before?.connection.limits.deletions ?? inForce;
    if (former) this.#holdOn(connection.backend, former);
    void before?.service.close();
    const service = this.#connect(connection);
    const held = { connection, service, definition, healthy: false, message: undefined };
    this.#held.set(key, held);
    return held;
  }

  /** @returns whether that is news. */
  setHealth(key: string, healthy: boolean, message: string): boolean {
    const held = this.#held.get(key);
    if (!held) {
      if (healthy) return false;
      const isNews = !this.#unopened.has(key);
      this.#unopened.set(key, message);
      return isNews;
    }
    const changed = held.healthy !== healthy || held.message === undefined;
    held.healthy = healthy;
    held.message = message;
    return changed;
  }

  /** The connection if it can be used now, else why not. */
  get(key: string): Opened<E, Reader> | Unusable {
    const held = this.#held.get(key);
    if (held?.healthy === true) return held;
    const message = held ? held.message : this.#unopened.get(key);
    if (message === undefined) return { early: true, message: `${key} has not been looked at yet` };
    return { early: false, message: `${key}: ${message}` };
  }

  /** The connection, whether or not it is well: for what can't wait. */
  opened(key: string): Opened<E, Reader> | undefined {
    return this.#held.get(key);
  }

  /**
   * Known as soon as the connection was opened, healthy or not: the strictest of those that were declared within the hour. A
   * commit can't raise the limits that guard what it deletes.
   */
  limits(key: string): DeletionLimits | undefined {
    const held = this.#held.get(key);
    if (!held) return undefined;
    const { backend } = held.connection;
    const same = [...this.#held.values()].filter((other) => other.connection.backend === backend);
    const declared = same.map(({ connection }) => connection.limits.deletions);
    const former = this.#formersOf(backend).map(({ limits }) => limits);
    return [...declared, ...former].reduce(stricter);
  }

  #holdOn(backend: string, limits: DeletionLimits): void {
    const untilMs = this.#nowMs() + formerMs;
    this.#formers.set(backend, [...this.#formersOf(backend), { limits, untilMs }]);
  }

  #formersOf(backend: string): readonly Former[] {
    const nowMs = this.#nowMs();
    const formers = (this.#formers.get(backend) ?? []).filter(({ untilMs }) => untilMs > nowMs);
    if (formers.length === 0) this.#formers.delete(backend);
    else this.#formers.set(backend, formers);
    return formers;
  }

  /** What a connection says, whether or not it can be used now. */
  defined(key: string): Connection | undefined {
    return this.#held.get(key)?.connection;
  }

  async close(key: string): Promise<void> {
    const held = this.#held.get(key);
    this.#unopened.delete(key);
    this.#held.delete(key);
    if (held) this.#holdOn(held.connection.backend, held.connection.limits.deletions);
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
