// Keeps a copy of one collection: lists it, watches it, and lists it again when the watch can't be resumed. It never
// delivers a state older than one it has delivered before.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { ListOptions } from '../../api/kubernetes/options.ts';
import type { KubernetesObject, Resource } from '../../api/kubernetes/resources.ts';
import { backoffMs } from '../../core/time/backoff.ts';
import { sleep, type Clock } from '../../core/time/clock.ts';
import type { WatchEvent } from '../../api/kubernetes/watch.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import { listAll } from './list.ts';
import { isNewer } from './wire.ts';

export interface Collected {
  /** The whole collection, as of that version. */
  replace(objects: readonly KubernetesObject[], resourceVersion: string): void;
  changed(object: KubernetesObject): void;
  deleted(object: KubernetesObject): void;
  /** Everything is gone along with its namespace. Absent where that is never asked. */
  emptied?(): void;
}

export interface ReflectorOptions {
  readonly client: Pick<KubernetesClient, 'list' | 'watch'>;
  readonly resource: Resource;
  readonly of: ListOptions;
  readonly into: Collected;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called once when the collection can't be read (with the reason), and once when it can again (`undefined`). */
  readonly trouble: (message: string | undefined) => void;
  /** Called when every change is known, by an open watch or because the namespace is gone, and when that has ended. */
  readonly watched?: (isOpen: boolean) => void;
  /** Asked when the collection may not be read: whether its namespace is gone. Absent: it never is. */
  readonly isGone?: (signal: AbortSignal) => Promise<boolean>;
}

/** The API server is asked to end each watch after a random time in this range, so that watches do not end all at once. */
const watchSeconds = { least: 300, most: 600 } as const;
/** Failures in a row until trouble is reported: a single broken watch is normal. */
const toldAfter = 2;
/** A watch that ends sooner counts as a failure, with backoff: something ends every watch. */
const shortestMs = 1_000;
const backoff = { baseMs: 500, capMs: 30_000 };
/** Lists that a watch is too late for begin this far apart, so that thousands of deletions do not list thousands of times. */
const betweenListsMs = 1_000;
const goneText = 'there is no such namespace';
/** Such a list goes on while the program stops: visits that need it may still end. Its calls have deadlines of their own. */
const never = new AbortController().signal;

export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #ending = new AbortController();
  readonly #listed = Promise.withResolvers<void>();
  #ended: Promise<void> | undefined;
  /** Everything up to this version was delivered; `undefined`: the collection must be listed. */
  #version: string | undefined;
  /** The newest version that was delivered. */
  #newest = '0';
  /** Whether the API server can send a list as part of a watch (Kubernetes 1.34). */
  #streams = true;
  #failures = 0;
  /** Whether the namespace was gone when this was last asked. */
  #isEmpty = false;
  #toldEmpty = false;
  /** The list that is about to begin or under way because the watch is behind. */
  #catchingUp: Promise<void> | undefined;
  #caughtUpMs = -Infinity;
  /** Version of the last such list. What the watch reports up to it is outdated. */
  #overtaken = '0';

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  /** Resolves once the first list was delivered. Retries without end. */
  start(): Promise<void> {
    this.#ended ??= this.#run();
    return this.#listed.promise;
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error('stopped'));
    this.#listed.resolve();
    await this.#ended;
  }

  /**
   * Resolves when all changes up to this version were delivered. A watch may be silent for minutes before that shows, so
   * the collection is listed unless the watch has reported anything of that version or later.
   * @throws ApiError if it can't be listed
   */
  async reach(version: string): Promise<void> {
    if (!isNewer(version, this.#newest)) return;
    await this.#catchingUp?.catch(() => {}); // it may have begun before there was such a version
    if (!isNewer(version, this.#newest)) return;
    await (this.#catchingUp ??= this.#catchUp().finally(() => (this.#catchingUp = undefined)));
  }

  async #catchUp(): Promise<void> {
    const { client, resource, of, into, clock } = this.#options;
    const waitMs = this.#caughtUpMs + betweenListsMs - clock.nowMs();
    if (waitMs > 0) await sleep(clock, waitMs, never);
    this.#caughtUpMs = clock.nowMs();
    const found = await listAll(client, resource, of, never).catch((error: unknown) =>
      this.#unlessGone(error),
    );
    if (!found) return; // what was declared there is gone
    const { items, resourceVersion } = found;
    if (isNewer(this.#newest, resourceVersion)) return; // the watch has reported later changes meanwhile
    into.replace(items, resourceVersion);
    this.#overtaken = resourceVersion;
    this.#reached(resourceVersion);
  }

  /** @throws the error, unless the namespace is gone now. What is known of it stays until the watch is refused, too. */
  async #unlessGone(error: unknown): Promise<undefined> {
    if (!(await this.#isGone(error, never))) throw error;
  }

  async #isGone(error: unknown, signal: AbortSignal): Promise<boolean> {
    const isDenied = error instanceof ApiError && (error.status === 403 || error.status === 404);
    return isDenied && (await this.#options.isGone?.(signal)) === true;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        await this.#failed(error);
      }
    }
  }

  async #follow(): Promise<void> {
    try {
      if (this.#version === undefined && !this.#streams) await this.#listInPages();
      await this.#watch();
    } catch (error) {
      const wasEmpty = this.#isEmpty;
      this.#isEmpty = await this.#isGone(error, this.#ending.signal);
      if (this.#isEmpty) this.#emptied();
      else if (wasEmpty) this.#watched(false);
      throw error;
    }
  }

  #emptied(): void {
    this.#version = undefined;
    this.#options.into.emptied?.();
    this.#listed.resolve();
    this.#watched(true);
  }

  async #listInPages(): Promise<void> {
    const { client, resource, of } = this.#options;
    const { signal } = this.#ending;
    const { items, resourceVersion } = await listAll(client, resource, of, signal);
    this.#replace(items, resourceVersion);
  }

  /** Resolves when the API server ends the watch. */
  async #watch(): Promise<void> {
    const { clock, resource } = this.#options;
    const sinceMs = clock.nowMs();
    const events = await this.#events();
    if (this.#isEmpty) this.#watched(false); // it is there again, and not listed yet
    this.#isEmpty = false;
    try {
      await this.#deliver(events);
    } finally {
      this.#watched(false);
    }
    if (clock.nowMs() - sinceMs < shortestMs) throw unavailable(`${resource.plural}.watch: ended at once`);
  }

  async #deliver(events: AsyncIterable<WatchEvent>): Promise<void> {
    let listing: Map<string, KubernetesObject> | undefined =
      this.#version === undefined ? new Map() : undefined;
    if (!listing) this.#watched(true);
    for await (const event of events) {
      if (!listing) this.#take(event);
      else if (event.is === 'bookmark') {
        if (!event.initial) continue;
        this.#replace([...listing.values()], event.resourceVersion);
        listing = undefined;
        this.#watched(true);
      } else if (event.is === 'deleted') listing.delete(event.object.metadata.uid);
      else listing.set(event.object.metadata.uid, event.object);
    }
    if (listing) throw unavailable(`${this.#options.resource.plural}.watch: ended within the list`);
  }

  /** Not while it stops: then nothing is watched, and visits may still end. */
  #watched(isOpen: boolean): void {
    if (!this.#ending.signal.aborted) this.#options.watched?.(isOpen);
  }

  #events(): Promise<AsyncIterable<WatchEvent>> {
    const { client, resource, of, random } = this.#options;
    const { least, most } = watchSeconds;
    const from =
      this.#version === undefined
        ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
        : { resourceVersion: this.#version };
    const timeoutSeconds = String(Math.round(least + random() * (most - least)));
    return client.watch(resource, of, { ...from, timeoutSeconds }, this.#ending.signal);
  }

  #take(event: WatchEvent): void {
    const { into } = this.#options;
    this.#works();
    const version = event.is === 'bookmark' ? event.resourceVersion : event.object.metadata.resourceVersion;
    // A late report would bring back an object that a list no longer had.
    if (event.is !== 'bookmark' && isNewer(version, this.#overtaken)) {
      if (event.is === 'deleted') into.deleted(event.object);
      else into.changed(event.object);
    }
    this.#reached(version);
  }

  #replace(objects: readonly KubernetesObject[], version: string): void {
    // An API server that lags behind, or whose store was restored, must not undo what was delivered.
    if (isNewer(this.#newest, version)) {
      const { plural } = this.#options.resource;
      throw unavailable(`${plural}.list: version ${version} is older than ${this.#newest}`);
    }
    this.#options.into.replace(objects, version);
    this.#reached(version);
    this.#listed.resolve();
    this.#works();
  }

  #reached(version: string): void {
    if (isNewer(version, this.#newest)) this.#newest = version;
    this.#version = this.#newest;
  }

  #works(): void {
    if (this.#failures >= toldAfter) this.#options.trouble(undefined);
    this.#failures = 0;
  }

  async #failed(error: unknown): Promise<void> {
    const { clock, random } = this.#options;
    const isRefused =
      error instanceof ApiError && error.status !== undefined && [400, 422].includes(error.status);
    if (isRefused && this.#version === undefined && this.#streams) {
      this.#streams = false;
      return;
    }
    const canGoOn =
      error instanceof ApiError && error.class !== 'unreadable' && error.reason !== 'PageTokenExpired';
    if (!canGoOn) this.#version = undefined;
    this.#failures += 1;
    this.#tell(this.#isEmpty ? goneText : messageOf(error));
    const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    await sleep(clock, Math.max(askedMs, backoffMs(this.#failures, random(), backoff)), this.#ending.signal);
  }

  /** Reports trouble once, and once more when the namespace turns out to be gone, or there again. */
  #tell(message: string): void {
    const isOther = this.#failures > toldAfter && this.#isEmpty !== this.#toldEmpty;
    if (this.#failures !== toldAfter && !isOther) return;
    this.#toldEmpty = this.#isEmpty;
    this.#options.trouble(message);
  }
}

const unavailable = (message: string): ApiError => new ApiError('unavailable', 'ClusterUnavailable', message);
