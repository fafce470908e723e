// The source of desired state that reads custom resources from an API server. It keeps its memory in their status.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { namespacesOf, secrets, type Resource } from '../../api/kubernetes/resources.ts';
import { ApiError } from '../../core/errors.ts';
import type { Clock, WallClock } from '../../core/time/clock.ts';
import type { Workload } from '../../core/effect.ts';
import type { Key } from '../../core/resource.ts';
import type { Approvals } from '../../core/source/approvals.ts';
import type { Entry, Handle, Notify, SecretEntry, Source } from '../../core/source/source.ts';
import { parseSelector } from '../../core/text/selector.ts';
import { DeletionDebounce } from './deletion-debounce.ts';
import { RecentDeletions } from './recent-deletions.ts';
import { isNamespaceGone } from './gone-namespace.ts';
import { KubernetesHandle, type HandleParts, type WriteListener } from './handle.ts';
import { MissingSecrets } from './missing-secrets.ts';
import { Outputs } from './outputs.ts';
import { Reflector, type Collected, type ReflectorOptions } from './reflector.ts';
import { tryRestart } from './restarts.ts';
import { Rewrites } from './rewrites.ts';
import { LabelledSecrets, readSecret, watchLabel } from './secrets.ts';
import { Store } from './store.ts';
import { ClusterSync } from './sync.ts';
import type { Validate } from './wire.ts';

/** Whether this process may act: in a group of replicas, only the holder of the lease may. */
export interface Leadership {
  readonly leading: boolean;
  /** @returns the term @throws ApiError when this process may not act */
  fence(): unknown;
}

export interface KubernetesSourceOptions {
  readonly client: KubernetesClient;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  /** Selects declared objects; absent: all. */
  readonly labelSelector?: string;
  readonly validate: Validate;
  readonly leadership: Leadership;
  readonly clock: Clock & WallClock;
  readonly random: () => number;
  readonly newID: () => string;
  readonly connectionOf: (key: Key) => string | undefined;
  /** The kinds whose objects may refer to one of this kind, or name the same external object; the kind itself included. */
  readonly related: (kind: string) => Iterable<string>;
  /** Called once when a collection can't be read (with the reason), and once when it can again (`undefined`). */
  readonly onTrouble: (about: string, message: string | undefined) => void;
  readonly writes?: WriteListener;
}

export class KubernetesSource implements Source, Approvals {
  readonly distrusted = undefined;
  /** Whether everything declared is known now, and no more deletions are about to arrive. */
  readonly sync: ClusterSync;
  readonly #options: KubernetesSourceOptions;
  readonly #store: Store;
  readonly #recentDeletions: RecentDeletions;
  readonly #parts: HandleParts;
  /** By kind, of what is declared. */
  readonly #declared: ReadonlyMap<string, readonly Reflector[]>;
  readonly #reflectors: readonly Reflector[];
  readonly #missing: MissingSecrets;
  readonly #rewrites: Rewrites;
  #notify: Notify | undefined;
  #isStopped = false;

  /** @throws UsageError for a selector that can't be read */
  constructor(options: KubernetesSourceOptions) {
    const { client, resources, validate, clock, random, newID, connectionOf, labelSelector } = options;
    this.#options = options;
    const deletions = new DeletionDebounce(clock);
    this.sync = new ClusterSync(deletions);
    this.#missing = new MissingSecrets({
      clock,
      random,
      tell: (key) => this.#notify?.(key, 'secret'),
    });
    this.#rewrites = new Rewrites({ clock, random, tell: (key) => this.#store.tell(key, 'listed') });
    this.#store = new Store({
      validate,
      ...(labelSelector !== undefined && { selects: parseSelector(labelSelector) }),
      notify: (key, cause) => this.#notify?.(key, cause),
      onDeletion: () => deletions.seen(),
      onRewrite: (key) => this.#rewrites.seen(key),
    });
    const resourceOf = (kind: string): Resource => {
      const resource = resources.get(kind);
      if (!resource) throw new Error(`no resource of kind ${kind}`);
      return resource;
    };
    // Other replicas read what this one writes there, by whatever date their machines have.
    const wallMs = () => client.date.wallMs() ?? clock.wallMs();
    const dated = { nowMs: clock.nowMs, wallMs };
    this.#recentDeletions = new RecentDeletions({ client, store: this.#store, resourceOf, clock: dated });
    this.#parts = {
      client,
      store: this.#store,
      outputs: new Outputs(client),
      recentDeletions: this.#recentDeletions,
      resourceOf,
      connectionOf,
      approved: (key) => this.approved(key),
      reach: (kind, version) => this.#reach(kind, version),
      newID,
      ...(options.writes && { writes: options.writes }),
    };
    this.#declared = new Map([...resources].map(([kind, resource]) => [kind, [...this.#of(kind, resource)]]));
    this.#reflectors = [...[...this.#declared.values()].flat(), ...this.#labelledSecrets()];
  }

  async start(notify: Notify): Promise<void> {
    this.#notify = notify;
    await Promise.all(this.#reflectors.map((reflector) => reflector.start()));
    if (this.#isStopped) return; // the lists may be incomplete
    this.#store.isListed = true;
    this.resume();
  }

  async stop(): Promise<void> {
    this.#missing.stop();
    this.#rewrites.stop();
    this.#isStopped = true;
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  /** Notifies of every object, because this process may act from now on. */
  resume(): void {
    for (const key of this.keys()) this.#store.tell(key, 'listed');
  }

  fence(): unknown {
    return this.#options.leadership.fence();
  }

  keys(): Iterable<string> {
    return this.#store.keys();
  }

  read(key: string): Entry | undefined {
    return this.#store.get(key);
  }

  open(key: string): Handle | undefined {
    const stored = this.#store.get(key);
    return stored && this.#options.leadership.leading
      ? new KubernetesHandle(key, stored, this.#parts)
      : undefined;
  }

  async secret(namespace: string, name: string, entry: string): Promise<SecretEntry> {
    if (!this.#store.isListed) return { is: 'pending' };
    const key = `Secret/${namespace}/${name}`;
    const found = await readSecret(this.#options.client, namespace, name, entry).catch((error: unknown) => {
      if (error instanceof ApiError) this.#missing.missing(key, entry); // nothing tells when it can be read again
      throw error;
    });
    // A blank entry counts as missing (controller/reconcile/resolve.ts), and may be filled unheard, too.
    const isMissing = found.is === 'missing' || (found.is === 'there' && found.secret.isBlank);
    if (isMissing) this.#missing.missing(key, entry);
    else this.#missing.found(key, entry);
    return found;
  }

  tryRestart(namespace: string, workload: Workload): Promise<void> {
    return tryRestart(this.#options.client, namespace, workload);
  }

  approved(key: string): string | undefined {
    return this.#store.approved(key, this.#options.connectionOf);
  }

  judged(connection: string, digest: string, ids: ReadonlyMap<string, string>): void {
    this.#store.judged(connection, digest, ids);
  }

  recentDeletions(connection: string): readonly string[] {
    return this.#recentDeletions.keys(connection);
  }

  async #reach(kind: string, version: string): Promise<void> {
    const kinds = [...this.#options.related(kind)];
    const reflectors = kinds.flatMap((one) => this.#declared.get(one) ?? []);
    await Promise.all(reflectors.map((reflector) => reflector.reach(version)));
  }

  *#of(kind: string, resource: Resource): Generator<Reflector> {
    const { labelSelector, namespaces } = this.#options;
    for (const namespace of namespacesOf(resource, namespaces)) {
      const of = { kind, namespace };
      const into: Collected = {
        replace: (objects, version) => this.#store.replace(of, objects, version),
        changed: (object) => this.#store.changed(kind, object),
        deleted: (object) => this.#store.remove(of, object),
        emptied: () => this.#store.emptied(of),
      };
      const watched = this.sync.collection({ plural: resource.plural, namespace });
      const only = { namespace, ...(labelSelector !== undefined && { labelSelector }) };
      yield this.#reflector(resource, only, into, { watched });
    }
  }

  *#labelledSecrets(): Generator<Reflector> {
    for (const namespace of namespacesOf(secrets, this.#options.namespaces)) {
      const into = new LabelledSecrets((key) => this.#store.tell(key, 'secret'));
      yield this.#reflector(secrets, { namespace, labelSelector: watchLabel, metadataOnly: true }, into);
    }
  }

  #reflector(
    resource: Resource,
    of: ReflectorOptions['of'],
    into: Collected,
    told: Pick<ReflectorOptions, 'watched'> = {},
  ): Reflector {
    const { client, clock, random, onTrouble } = this.#options;
    const about = of.namespace === '' ? resource.plural : `${resource.plural} in ${of.namespace}`;
    return new Reflector({
      client,
      resource,
      of,
      into,
      clock,
      random,
      trouble: (message) => onTrouble(about, message),
      isGone: (signal) => isNamespaceGone(client, of.namespace, signal),
      ...told,
    });
  }
}
