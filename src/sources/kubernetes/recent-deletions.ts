// Records what left a connection, or was replaced, without approval within the last hour. These deletions count against
// the deletion limits. They are stored in the status of the connection, so that they survive a restart or a change of
// leader.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { Resource } from '../../api/kubernetes/resources.ts';
import type { Clock, WallClock } from '../../core/time/clock.ts';
import { ApiError } from '../../core/errors.ts';
import type { Json } from '../../core/secret.ts';
import type { Store } from './store.ts';
import { recentDeletionsOf, type DeletionRecord } from './wire.ts';

const hourMs = 3_600_000;
/** Bounds the size of the status: etcd accepts 1.5 MiB. The newest deletions are kept. */
const recordsMax = 10_000; // the same maximum as in the CustomResourceDefinition
const charactersMax = 2 ** 19;
/** Attempts per write. Each retry reads the connection again; other writers may conflict a few times, but not forever. */
const attemptsMax = 8;

interface RecentDeletion {
  /** Monotonic time. */
  readonly atMs: number;
  /** The date as it was last read or written. */
  text?: string;
}

interface Log {
  /** By key. */
  readonly seen: Map<string, RecentDeletion>;
  /** The status of the connection that was read last. */
  read: Json | undefined;
  /** The current write. Writes of one connection never overlap. */
  writing: Promise<void>;
  /** The write that is queued behind `writing`. It includes everything recorded before it starts. */
  next: Promise<void> | undefined;
}

export interface RecentDeletionsOptions {
  readonly client: Pick<KubernetesClient, 'get' | 'patch'>;
  readonly store: Store;
  readonly resourceOf: (kind: string) => Resource;
  /** Its date should be the same for all who record. */
  readonly clock: Pick<Clock, 'nowMs'> & WallClock;
}

export class RecentDeletions {
  readonly #options: RecentDeletionsOptions;
  readonly #logs = new Map<string, Log>();

  constructor(options: RecentDeletionsOptions) {
    this.#options = options;
  }

  /** Keys of the objects that left, or were replaced, within the last hour. */
  keys(connection: string): readonly string[] {
    return [...this.#recent(connection).keys()];
  }

  /** Resolves once the record survives a crash. A connection that is gone has no limits and needs none. @throws ApiError */
  record(connection: string, key: string): Promise<void> {
    const log = this.#log(connection);
    log.seen.set(key, { atMs: this.#options.clock.nowMs() });
    log.next ??= log.writing.then(() => {
      log.next = undefined;
      const write = this.#write(connection);
      log.writing = write.catch(() => {});
      return write;
    });
    return log.next;
  }

  #log(connection: string): Log {
    const log = this.#logs.get(connection) ?? {
      seen: new Map(),
      read: undefined,
      writing: Promise.resolve(),
      next: undefined,
    };
    this.#logs.set(connection, log);
    return log;
  }

  /**
   * The deletions within the last hour, including those that other processes recorded. Wall clocks may differ: a date in
   * the future counts as now, and a date that was read never makes a known deletion older.
   */
  #recent(connection: string): ReadonlyMap<string, RecentDeletion> {
    const { store, clock } = this.#options;
    const log = this.#log(connection);
    const { seen } = log;
    const nowMs = clock.nowMs();
    const wire = store.get(connection)?.wire;
    if (wire !== log.read) {
      log.read = wire;
      for (const { key, at } of recentDeletionsOf(wire)) {
        const known = seen.get(key);
        if (known?.text === at) continue; // its age is known, even if the wall clock has jumped
        const atMs = nowMs - Math.max(0, clock.wallMs() - Date.parse(at));
        if (atMs > (known?.atMs ?? -Infinity)) seen.set(key, { atMs, text: at });
      }
    }
    for (const [key, { atMs }] of seen) if (nowMs - atMs >= hourMs) seen.delete(key);
    return seen;
  }

  /** Conditional on the version that was read, so that a request that arrives late can't undo later records. */
  async #write(connection: string): Promise<void> {
    const { client, store, resourceOf } = this.#options;
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const stored = store.get(connection);
      if (!stored) return;
      const { key, uid } = stored.object;
      const resource = resourceOf(key.kind);
      const metadata = { uid, resourceVersion: stored.resourceVersion };
      const recentDeletions = this.#records(connection).map((record) => ({ ...record }));
      const body = { metadata, status: { recentDeletions } };
      const { is } = await store.write(connection, key.kind, () =>
        client.patch(resource, key, body, { subresource: 'status' }),
      );
      if (is === 'done') return;
      const found = await client.get(resource, key);
      if (found) store.enter(key.kind, found);
      else store.gone(connection, uid);
    }
    throw new ApiError(
      'unavailable',
      'ClusterUnavailable',
      `${connection} is written by others all the time`,
    );
  }

  /** The newest deletions that fit into the status, oldest first. */
  #records(connection: string): readonly DeletionRecord[] {
    const { clock } = this.#options;
    const [nowMs, wallMs] = [clock.nowMs(), clock.wallMs()];
    const records: DeletionRecord[] = [];
    let characters = 0;
    const newestFirst = [...this.#recent(connection)]
      .toSorted(([, a], [, b]) => a.atMs - b.atMs)
      .toReversed();
    for (const [key, deletion] of newestFirst) {
      const record = { key, at: new Date(wallMs - (nowMs - deletion.atMs)).toISOString() };
      characters += JSON.stringify(record).length + 1;
      if (records.length === recordsMax || characters > charactersMax) break;
      deletion.text = record.at;
      records.push(record);
    }
    return records.toReversed();
  }
}
