// The open connections: one service client per connection object, reused while the connection's definition is unchanged. A
// connection is healthy if the last visit to its object found the service usable. While it is unhealthy, only that visit
// (the probe) sends calls through it, so an outage costs one probe per interval, however many objects use the service.
import type { Connection, DeletionLimits } from '../../core/connection.ts';
import { stricter } from '../../core/planning/deletion-limits.ts';
import type { Outcome } from '../../core/errors.ts';
import { Secret } from '../../core/secret.ts';

export interface Service<E, Reader> {
  readonly reader: Reader;
  /** Reports a failed call as an outcome; never throws for it. */
  perform(effect: E, key: string, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Opened<E, Reader> {
  readonly connection: Connection;
  readonly service: Service<E, Reader>;
}

export interface Unusable {
  /** The connection has not been probed yet. */
  readonly early: boolean;
  readonly message: string;
}

interface Held<E, Reader> extends Opened<E, Reader> {
  readonly definition: string;
  healthy: boolean;
  /** Why the connection is unhealthy. Absent until the first probe. */
  message: string | undefined;
}

/** Deletion limits of an earlier definition. They stay in force although the definition has changed. */
interface Former {
  readonly limits: DeletionLimits;
  /** Milliseconds on the monotonic clock. */
  readonly untilMs: number;
}

/**
 * How long earlier limits stay in force. It equals the hour that the limits count over: whoever raises the limits waits
 * that long, or has the deletions approved.
 */
const formerMs = 3_600_000;

export class Connections<E, Reader> {
  readonly #held = new Map<string, Held<E, Reader>>();
  /** Connection → why it could not be opened, such as a missing Secret. Only read while the connection is not open. */
  readonly #unopened = new Map<string, string>();
  /**
   * Backend → earlier limits of its connections. Keyed by backend, so that renaming a connection does not loosen its
   * limits.
   */
  readonly #formers = new Map<string, readonly Former[]>();
  readonly #connect: (connection: Connection) => Service<E, Reader>;
  readonly #nowMs: () => number;

  /** @param nowMs monotonic clock */
  constructor(connect: (connection: Connection) => Service<E, Reader>, nowMs: () => number) {
    this.#connect = connect;
    this.#nowMs = nowMs;
  }

  /**
   * Opens a connection as its object now defines it. A changed definition is unhealthy until it has been probed.
   * @param inForce limits that the previous process recorded; they stay in force for the hour where they are stricter
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

  /** @returns whether the health has changed */
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

  get(key: string): Opened<E, Reader> | Unusable {
    const held = this.#held.get(key);
    if (held?.healthy === true) return held;
    const message = held ? held.message : this.#unopened.get(key);
    if (message === undefined) return { early: true, message: `${key} has not been looked at yet` };
    return { early: false, message: `${key}: ${message}` };
  }

  /** The connection whether or not it is healthy: for closing what a step opened, which can't wait. */
  opened(key: string): Opened<E, Reader> | undefined {
    return this.#held.get(key);
  }

  /**
   * The strictest deletion limits declared for the backend within the last hour, so that the commit that deletes objects
   * can't also raise the limits that guard them. Known once the connection was opened, healthy or not.
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

/** Text that changes with the definition. A secret counts by its source and version. */
const definitionOf = (connection: Connection): string =>
  JSON.stringify(connection, function (this: Record<string, unknown>, name: string, shown: unknown) {
    const held = this[name]; // toJSON has already run on `shown`
    return held instanceof Secret ? { source: held.source, version: held.version } : shown;
  });
