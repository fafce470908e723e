// What left a connection, or was replaced, without an approval within the last hour: it counts against the deletion limits.
// It is kept in the status of the connection, so that it counts after a restart and for the next leader, too.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { Resource } from '../../api/kubernetes/resources.ts';
import type { Clock, WallClock } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import type { Json } from '../../core/secret.ts';
import type { Store } from './store.ts';
import { departuresOf } from './wire.ts';

const hourMs = 3_600_000;
/** More than any limit lets go within an hour; bounds the status. */
const recordsMax = 10_000;

interface Log {
  /** Key → when it left, monotonic. */
  readonly seen: Map<string, number>;
  /** The status that was last read. */
  read: Json | undefined;
  /** Writes go one after the other; each has all that was recorded before it. */
  writing: Promise<void>;
}

export interface DeparturesOptions {
  readonly client: Pick<KubernetesClient, 'patch'>;
  readonly store: Store;
  readonly resourceOf: (kind: string) => Resource;
  readonly clock: Pick<Clock, 'nowMs'> & WallClock;
}

export class Departures {
  readonly #options: DeparturesOptions;
  readonly #logs = new Map<string, Log>();

  constructor(options: DeparturesOptions) {
    this.#options = options;
  }

  /** Keys of what left within the last hour. */
  keys(connection: string): readonly string[] {
    return [...this.#recent(connection).keys()];
  }

  /** Resolves when that survives this process. @throws ApiError */
  async record(connection: string, key: string): Promise<void> {
    const log = this.#log(connection);
    log.seen.set(key, this.#options.clock.nowMs());
    const write = log.writing.then(() => this.#write(connection));
    log.writing = write.catch(() => {});
    await write;
  }

  #log(connection: string): Log {
    const log = this.#logs.get(connection) ?? {
      seen: new Map(),
      read: undefined,
      writing: Promise.resolve(),
    };
    this.#logs.set(connection, log);
    return log;
  }

  /** Takes over what another process recorded. Its clock may be another: nothing is older than it says, nor of the future. */
  #recent(connection: string): ReadonlyMap<string, number> {
    const { store, clock } = this.#options;
    const log = this.#log(connection);
    const nowMs = clock.nowMs();
    const wire = store.get(connection)?.wire;
    if (wire !== log.read) {
      log.read = wire;
      for (const { key, at } of departuresOf(wire)) {
        const atMs = nowMs - Math.max(0, clock.wallMs() - Date.parse(at));
        if (atMs > (log.seen.get(key) ?? -Infinity)) log.seen.set(key, atMs);
      }
    }
    for (const [key, atMs] of log.seen) if (nowMs - atMs >= hourMs) log.seen.delete(key);
    return log.seen;
  }

  async #write(connection: string): Promise<void> {
    const { client, store, resourceOf, clock } = this.#options;
    const stored = store.get(connection);
    if (!stored) throw new ApiError('unavailable', 'ClusterUnavailable', `${connection} is gone`);
    const { key } = stored.object;
    const nowMs = clock.nowMs();
    const departures = [...this.#recent(connection)].slice(-recordsMax).map(([left, atMs]) => ({
      key: left,
      at: new Date(clock.wallMs() - (nowMs - atMs)).toISOString(),
    }));
    await store.write(connection, async () => {
      const written = await client.patch(
        resourceOf(key.kind),
        key,
        { status: { departures } },
        { subresource: 'status' },
      );
      if (written.is === 'done') store.enter(key.kind, written.object);
    });
  }
}
