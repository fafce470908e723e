// Watches a scheduler's volumes with blocking queries and reports which ones changed. Only hints: the reconciler
// observes again.
import { backoffMs, jitterMs } from '../core/backoff.ts';
import { sleep, type Clock, type WallClock } from '../core/clock.ts';
import type { Connection } from '../core/connection.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import type { ExternalObject } from '../core/resource.ts';
import type { ConnectionView } from '../core/status/view.ts';
import type { Reader } from '../api/routes.ts';
import type { VolumeStub } from '../api/scheduler/wire.ts';

export interface VolumeWatchOptions {
  readonly client: Pick<Reader, 'page' | 'disks'>;
  readonly connection: Connection;
  readonly changed: (ref: ExternalObject, index: number) => void;
  readonly trouble: (message: string) => void;
  readonly clock: Clock & WallClock;
  readonly random: () => number;
}

const pageSize = 500;
/** Two million volumes. */
const pagesMax = 4_000;
const waitSeconds = 60;
/** The longest time between lists, unless the connection sets another: plugin health moves no index. */
const listAgeMs = 600_000;
/** Wait between lists, as a multiple of their duration: bounds the load of a busy table. */
const spacing = 20;
/** A missing volume is reported this often: lists may come from servers that lag behind. */
const missingMax = 3;
const reconnect = { baseMs: 500, capMs: 30_000 };

export class VolumeWatch {
  readonly #options: VolumeWatchOptions;
  readonly #abort = new AbortController();
  /** `namespace/id` → state index and health in the last list. */
  #known = new Map<string, string>();
  /** `namespace/id` → in how many consecutive lists it was missing. */
  #missing = new Map<string, number>();
  /** `namespace/id` of what visits saw and no list had yet → a list that lacked it was told of. */
  readonly #seen = new Map<string, boolean>();
  #running: Promise<void> = Promise.resolve();
  /** All namespaces if the token may list them; otherwise the connection's own. */
  #namespace = '*';
  #view: ConnectionView = { watch: 'reconnecting' };
  #block = new AbortController();

  constructor(options: VolumeWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  view(): ConnectionView {
    return this.#view;
  }

  /**
   * A visit has seen it. A list that lacks it then tells of it, though no list ever had it: it went in between. That is told
   * once only, as the token may be allowed to read more than it may list.
   */
  seen({ namespace = '', id = '' }: ExternalObject): void {
    const at = `${namespace}/${id}`;
    const isListed = this.#namespace === '*' || this.#namespace === namespace;
    if (isListed && !this.#known.has(at) && !this.#seen.has(at)) this.#seen.set(at, false);
  }

  /** Lists now instead of waiting for a change. */
  relist(): void {
    this.#block.abort();
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#abort.signal.aborted) {
      try {
        await this.#round();
        failures = 0;
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        if (this.#narrow(error)) continue;
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
   * Lists once, then blocks until something changes. After a reconnect it lists again: changes may have been missed.
   */
  async #round(): Promise<void> {
    const { clock } = this.#options;
    const startedMs = clock.nowMs();
    this.#block = new AbortController();
    let index = await this.#list();
    const listedMs = clock.nowMs();
    this.#view = { watch: 'live', list: { index, atMs: clock.wallMs() } };
    await this.#sleep(Math.min((listedMs - startedMs) * spacing, reconnect.capMs));
    const ageMs = this.#options.connection.defaults.drift?.intervalMs ?? listAgeMs;
    const staleMs = listedMs + jitterMs(ageMs, this.#options.random());
    while (!this.#abort.signal.aborted && clock.nowMs() < staleMs) {
      const now = await this.#moved(index);
      if (now !== index) return; // changed, or the index fell: list again either way
      index = now;
    }
  }

  /** Blocks. @returns the new index; `undefined` to list in any case */
  async #moved(index: number): Promise<number | undefined> {
    const params = { namespace: this.#namespace, per_page: 1, index, wait: waitSeconds };
    const { signal } = this.#block;
    try {
      const ended = AbortSignal.any([signal, this.#abort.signal]);
      const page = await this.#options.client.page('volume.list', params, ended);
      return page?.index ?? 1;
    } catch (error) {
      if (!signal.aborted) throw error;
      return undefined;
    }
  }

  /** Reads all pages and reports what differs from the last list. @returns the index to block on */
  async #list(): Promise<number> {
    const { client, changed } = this.#options;
    const found = new Map<string, string>();
    const visited = [...this.#seen].flatMap(([at, wasTold]) => (wasTold ? [] : [at]));
    let first: number | undefined;
    let token: string | undefined;
    const tokens = new Set<string>();
    do {
      const params = {
        namespace: this.#namespace,
        per_page: pageSize,
        ...(token !== undefined && { next_token: token }),
      };
      const page = await client.page('volume.list', params, this.#abort.signal);
      if (!page) break;
      first ??= page.index; // a change while later pages are read wakes the next query
      for (const volume of page.reply) {
        const at = `${volume.Namespace}/${volume.ID}`;
        const news = client.disks?.news(volume.PluginID, volume.ExternalID) ?? 0;
        const seen = `${fingerprint(volume)} ${news}`;
        found.set(at, seen);
        if (this.#known.get(at) !== seen)
          changed(this.#ref(volume.Namespace, volume.ID), hintIndex(this.#known.get(at), volume));
      }
      token = page.nextToken;
      if (token !== undefined && (tokens.has(token) || tokens.size === pagesMax))
        throw new ApiError('unreadable', 'InvalidResponse', 'volume.list: its pages never end');
      if (token !== undefined) tokens.add(token);
    } while (token !== undefined);
    this.#tellMissing(found, visited);
    this.#known = found;
    for (const at of visited) this.#seen.set(at, true);
    for (const at of this.#seen.keys()) if (found.has(at)) this.#seen.delete(at);
    return first ?? 1;
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

  #sleep(ms: number): Promise<void> {
    return sleep(this.#options.clock, ms, this.#abort.signal);
  }
}

const health = (v: VolumeStub): string =>
  `${v.Schedulable ?? ''} ${v.ControllersHealthy ?? ''}/${v.ControllersExpected ?? ''} ${v.NodesHealthy ?? ''}/${v.NodesExpected ?? ''}`;
const fingerprint = (v: VolumeStub): string => `${v.ModifyIndex} ${health(v)}`;

/**
 * Health and the provider's state move no index, so an observation at the same index does not cover their change. Nor
 * does any if the index fell, as in a restored cluster.
 */
const hintIndex = (before: string | undefined, v: VolumeStub): number =>
  before !== undefined && Number.parseInt(before, 10) >= v.ModifyIndex
    ? Number.MAX_SAFE_INTEGER
    : v.ModifyIndex;
