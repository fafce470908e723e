// Reads the objects of a cluster once and never writes: the source of commands such as `plan`.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { ListOptions } from '../../api/kubernetes/options.ts';
import type { Resource } from '../../api/kubernetes/resources.ts';
import type { Clock, WallClock } from '../../core/time/clock.ts';
import { ApiError } from '../../core/errors.ts';
import type { Key } from '../../core/resource.ts';
import { Secret } from '../../core/secret.ts';
import type { Approvals } from '../../core/source/approvals.ts';
import type { Declarations, Entry, SecretEntry } from '../../core/source/source.ts';
import { writtenVersions } from '../written-versions.ts';
import { RecentDeletions } from './recent-deletions.ts';
import { listAll } from './list.ts';
import { readSecret } from './secrets.ts';
import { Store } from './store.ts';
import type { Stored, Validate } from './wire.ts';

export interface ReadOnlyOptions {
  readonly client: KubernetesClient;
  readonly validate: Validate;
  readonly clock: Pick<Clock, 'nowMs'> & WallClock;
  readonly connectionOf: (key: Key) => string | undefined;
}

const listsMax = 3;

const resourceOf = (): never => {
  throw new Error('nothing is recorded here');
};

export class ReadOnlyCluster implements Declarations, Approvals {
  readonly distrusted = undefined;
  readonly #options: ReadOnlyOptions;
  readonly #store: Store;
  readonly #recentDeletions: RecentDeletions;
  #written: ReadonlyMap<string, string> | undefined;

  constructor(options: ReadOnlyOptions) {
    const { client, validate, clock } = options;
    this.#options = options;
    this.#store = new Store({ validate, notify: () => {}, onDeletion: () => {} });
    const store = this.#store;
    this.#recentDeletions = new RecentDeletions({ client, store, resourceOf, clock });
  }

  /** @throws ApiError */
  async list(resource: Resource, of: ListOptions, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { items } = await listAll(this.#options.client, resource, of, signal);
        for (const object of items) this.#store.changed(resource.kind, object);
        return;
      } catch (error) {
        const isExpired = error instanceof ApiError && error.reason === 'PageTokenExpired';
        if (!isExpired || attempt === listsMax) throw error;
      }
    }
  }

  keys(): Iterable<string> {
    return this.#store.keys();
  }

  read(key: string): Stored | undefined {
    return this.#store.get(key);
  }

  entries(): readonly Entry[] {
    return Array.from(this.keys(), (key) => this.read(key)).filter((stored) => stored !== undefined);
  }

  /** A Secret that this user may not read counts as unchanged, in the version that was last written. */
  async secret(namespace: string, name: string, entry: string): Promise<SecretEntry> {
    try {
      return await readSecret(this.#options.client, namespace, name, entry);
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'PermissionDenied') throw error;
      const source = `${name}/${entry}`;
      this.#written ??= writtenVersions(this.entries());
      const version = this.#written.get(`${namespace}/${source}`) ?? '';
      return {
        is: 'there',
        secret: Secret.unloaded(source, version, `this user may not read Secret ${namespace}/${name}`),
      };
    }
  }

  /** Does nothing: planning must not require the permission to restart workloads. */
  async tryRestart(): Promise<void> {}

  approved(key: string): string | undefined {
    return this.#store.approved(key, this.#options.connectionOf);
  }

  recentDeletions(connection: string): readonly string[] {
    return this.#recentDeletions.keys(connection);
  }
}
