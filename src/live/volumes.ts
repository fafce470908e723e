// Watches a scheduler's volumes with blocking queries and reports which ones changed. The reports are hints: the
// reconciler observes each volume again. A single pass lists them once, and watches nothing.
import { backoffMs, jitterMs } from '../core/time/backoff.ts';
import { sleep, type Clock, type WallClock } from '../core/time/clock.ts';
import type { Connection } from '../core/connection.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import type { ExternalObject, Listed } from '../core/resource.ts';
import type { ConnectionView } from '../core/status/view.ts';
import type { Reader } from '../api/routes.ts';
import type { VolumeStub } from '../api/scheduler/wire.ts';
import { volumeVersion } from '../schema/scheduler/volume-version.ts';

export interface VolumeWatchOptions {
  readonly client: Pick<Reader, 'page' | 'disks'>;
  readonly connection: Connection;
  readonly changed: (ref: ExternalObject, index: number) => void;
  /** The first list is complete, or failed. */
  readonly complete: () => void;
  readonly trouble: (message: string) => void;
  readonly clock: Clock & WallClock;
  readonly random: () => number;
  /** Lists once, for a single pass. */
  readonly single: boolean;
  /** Whether the event stream tells of changes now, so that lists only find what it missed. */
  readonly isTold: () => boolean;
}

export const pageSize = 600;
/** Enough for two million volumes. */
const pagesMax = 4_000;
const waitSeconds = 60;
/** The least time between two queries of one index: a service that does not block, or whose index a proxy takes away, answers at once. */
const askAgainMs = 5_000;
/** The longest time between lists, unless the connection sets another: plugin health moves no index. */
const listAgeMs = 600_000;
/** The wait between lists, as a multiple of their duration. It bounds the load of a busy table. */
const spacing = 20;
/**
 * The same, on top of that, while the event stream tells of changes. It is in equal parts after the pages: a repair then waits for
 * one page at most, of the operator and of the service.
 */
const spacingIfTold = 60;
/**
 * In a single pass one volume in so many, drawn each time anew, is read although it is listed: nothing else would ever notice
 * what a list can't show.
 */
const readAnyway = 20;
/** How many times in a row a missing volume is reported, because lists may come from servers that lag behind. */
const missingMax = 3;
const reconnect = { baseMs: 500, capMs: 30_000 };

export class VolumeWatch {
  readonly #options: VolumeWatchOptions;
  readonly #abort = new AbortController();
  /** `namespace/id` → version in the last list, and the news of the disk. */
  #known = new Map<string, string>();
  /** The same of the first list, as far as it was read; `undefined` once it is complete or failed. */
  #first: Map<string, string> | undefined = new Map<string, string>();
  /** `namespace/id` → number of consecutive lists without the volume. */
  #missing = new Map<string, number>();
  /** `namespace/id` of volumes that visits saw and no list has had → whether their absence from a list was reported. */
  readonly #observed = new Map<string, boolean>();
  #running: Promise<void> = Promise.resolve();
  /** All namespaces if the token may list them; otherwise the connection's own. */
  #namespace = '*';
  /** Whether lists are asked for in pages. Over several namespaces those of some servers never end (services.md#pages). */
  #isPaged = true;
  /** Of the last list. */
  #pageCount = 1;
  #view: ConnectionView = { watch: 'reconnecting' };
  #block = new AbortController();

  constructor(options: VolumeWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#options.single ? this.#once() : this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  view(): ConnectionView {
    return this.#view;
  }

  /**
   * Records that a visit has seen a volume. If the next list lacks the volume, its absence is reported although no list
   * ever had it, since it was removed in between. This happens once only, because the token may be able to read volumes
   * that it can't list.
   */
  version({ namespace = '', id = '' }: ExternalObject): void {
    const at = `${namespace}/${id}`;
    const isListed = this.#namespace === '*' || this.#namespace === namespace;
    if (isListed && !this.#known.has(at) && !this.#observed.has(at)) this.#observed.set(at, false);
  }

  listed({ namespace = '', id = '' }: ExternalObject): Listed | undefined {
    const known = (this.#first ?? this.#known).get(`${namespace}/${id}`);
    if (known === undefined) return this.#first && 'pending';
    return {
      version: known.slice(0, known.lastIndexOf(' ')),
      index: Number(known.slice(0, known.indexOf(' '))),
    };
  }

  /** Ends the current wait and lists at once. */
  relist(): void {
    this.#block.abort();
  }

  /** A list that fails is no trouble: what it would have shown is read. */
  async #once(): Promise<void> {
    try {
      await this.#list();
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      if (this.#narrow(error)) return this.#once();
      this.#completeFirst();
    }
  }

  async #run(): Promise<void> {
    let failures = 0;
    let index: number | undefined;
    while (!this.#abort.signal.aborted) {
      try {
        index = await this.#round(index);
        failures = 0;
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        index = undefined;
        if (this.#narrow(error)) continue;
        this.#completeFirst();
        failures++;
        this.#view = { ...this.#view, watch: 'reconnecting' };
        this.#options.trouble(messageOf(error));
        await this.#sleep(backoffMs(failures, this.#options.random(), reconnect));
      }
    }
  }

  #narrow(error: unknown): boolean {
    if (!(error instanceof ApiError) || error.class !== 'refused' || this.#namespace !== '*') return false;
    this.#namespace = this.#options.connection.namespace;
    return true;
  }

  /**
   * Lists once, then blocks until something changes. After a reconnect it lists again, because changes may have been
   * missed. It blocks on an index of before the list: the service takes that of the list after it has taken the volumes, so it may
   * cover a change that the list lacks (services.md#blocking-queries).
   * @param since an index that the table had a moment ago, if that is known
   * @returns the same, for the next round
   */
  async #round(since: number | undefined): Promise<number | undefined> {
    const { clock } = this.#options;
    this.#block = new AbortController();
    const index = since ?? (await this.#indexNow());
    const tookMs = await this.#list();
    const listedMs = clock.nowMs();
    this.#view = { watch: 'live', list: { index, atMs: clock.wallMs() } };
    await this.#sleep(Math.min(tookMs * spacing, reconnect.capMs));
    await this.#pause(tookMs / this.#pageCount);
    const ageMs = this.#options.connection.defaults.drift?.intervalMs ?? listAgeMs;
    const staleMs = listedMs + jitterMs(ageMs, this.#options.random());
    while (!this.#abort.signal.aborted && clock.nowMs() < staleMs) {
      const askedMs = clock.nowMs();
      const now = await this.#moved(index);
      if (now !== index) return now; // changed, or the index fell: list again either way
      await this.#sleep(Math.max(0, askedMs + askAgainMs - clock.nowMs()), this.#unblocked);
    }
    return index;
  }

  async #indexNow(): Promise<number> {
    const params = { namespace: this.#namespace, per_page: 1 };
    const page = await this.#options.client.page('volume.list', params, this.#abort.signal);
    return page?.index ?? 1;
  }

  /** Blocks until the index moves. @returns the new index; `undefined`: list in any case */
  async #moved(index: number): Promise<number | undefined> {
    const params = { namespace: this.#namespace, per_page: 1, index, wait: waitSeconds };
    const { signal } = this.#block;
    try {
      const page = await this.#options.client.page('volume.list', params, this.#unblocked);
      return page?.index ?? 1;
    } catch (error) {
      if (!signal.aborted) throw error;
      return undefined;
    }
  }

  /** Reads all pages and reports what differs from the last list. @returns how long the pages took, in milliseconds */
  async #list(): Promise<number> {
    const { client, changed, single, random, clock } = this.#options;
    const found = this.#first ?? new Map<string, string>();
    const visited = [...this.#observed].flatMap(([at, wasTold]) => (wasTold ? [] : [at]));
    let token: string | undefined;
    let tookMs = 0;
    const tokens = new Set<string>();
    do {
      if (token !== undefined) await this.#pause(tookMs / tokens.size);
      const beganMs = clock.nowMs();
      const params = {
        namespace: this.#namespace,
        ...(this.#isPaged && { per_page: pageSize }),
        ...(token !== undefined && { next_token: token }),
      };
      const page = await client.page('volume.list', params, this.#abort.signal);
      if (!page) break;
      for (const volume of page.reply) {
        if (single && random() < 1 / readAnyway) continue;
        const at = `${volume.Namespace}/${volume.ID}`;
        const news = client.disks?.news(volume.PluginID, volume.ExternalID) ?? 0;
        const version = `${volumeVersion(volume)} ${news}`;
        found.set(at, version);
        if (this.#known.get(at) !== version)
          changed(this.#ref(volume.Namespace, volume.ID), hintIndex(this.#known.get(at), volume));
      }
      token = page.nextToken;
      if (token !== undefined && (tokens.has(token) || tokens.size === pagesMax)) {
        if (!this.#isPaged)
          throw new ApiError('unreadable', 'InvalidResponse', 'volume.list: its pages never end');
        this.#isPaged = false;
        return this.#list();
      }
      if (token !== undefined) tokens.add(token);
      tookMs += clock.nowMs() - beganMs;
    } while (token !== undefined);
    this.#pageCount = tokens.size + 1;
    this.#tellMissing(found, visited);
    this.#known = found;
    this.#completeFirst();
    for (const at of visited) this.#observed.set(at, true);
    for (const at of this.#observed.keys()) if (found.has(at)) this.#observed.delete(at);
    return tookMs;
  }

  /** After a page. The first list is read at once, because objects wait for it. */
  async #pause(pageMs: number): Promise<void> {
    if (this.#first || !this.#options.isTold()) return;
    await this.#sleep(Math.min(pageMs * spacingIfTold, reconnect.capMs / this.#pageCount), this.#unblocked);
  }

  #completeFirst(): void {
    if (!this.#first) return;
    this.#first = undefined;
    this.#options.complete();
  }

  #tellMissing(found: ReadonlyMap<string, string>, visited: readonly string[]): void {
    const missing = new Map<string, number>();
    for (const at of [...this.#known.keys(), ...this.#missing.keys(), ...visited]) {
      if (found.has(at)) continue;
      const cut = at.indexOf('/');
      this.#options.changed(this.#ref(at.slice(0, cut), at.slice(cut + 1)), Number.MAX_SAFE_INTEGER);
      const times = (this.#missing.get(at) ?? 0) + 1;
      if (times < missingMax) missing.set(at, times);
    }
    this.#missing = missing;
  }

  #ref(namespace: string, id: string): ExternalObject {
    return { type: 'scheduler/volume', backend: this.#options.connection.backend, namespace, id };
  }

  /** Aborted by `relist`, and at the end. */
  get #unblocked(): AbortSignal {
    return AbortSignal.any([this.#block.signal, this.#abort.signal]);
  }

  #sleep(ms: number, signal = this.#abort.signal): Promise<void> {
    return sleep(this.#options.clock, ms, signal);
  }
}

/**
 * The index that an observation must have to cover the change. Changes of health and of the provider's state move no
 * index, so no index covers them. The same holds if the index fell, as in a restored cluster.
 */
const hintIndex = (before: string | undefined, v: VolumeStub): number =>
  before !== undefined && Number.parseInt(before, 10) >= v.ModifyIndex
    ? Number.MAX_SAFE_INTEGER
    : v.ModifyIndex;
