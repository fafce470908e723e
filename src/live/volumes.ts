// Watches a scheduler's volumes by blocking queries and tells which changed. Only hints: whoever is told looks again.
import { backoffMs, jitterMs } from '../core/backoff.ts';
import { sleep, type Clock, type WallClock } from '../core/clock.ts';
import type { Connection } from '../core/connection.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import type { ExternalRef } from '../core/resource.ts';
import type { ConnectionView } from '../core/view.ts';
import type { Reader } from '../api/routes.ts';
import type { VolumeStub } from '../api/scheduler/wire.ts';

export interface VolumeWatchOptions {
  readonly client: Pick<Reader, 'page' | 'disks'>;
  readonly connection: Connection;
  readonly changed: (ref: ExternalRef, index: number) => void;
  readonly trouble: (message: string) => void;
  readonly clock: Clock & WallClock;
  /** In [0, 1). */
  readonly random: () => number;
}

const pageSize = 500;
/** Two million volumes. */
const pagesMax = 4_000;
const waitSeconds = 60;
/** A list this old is taken again, unless the connection says otherwise: plugin health moves no index. */
const listAgeMs = 600_000;
/** Lists are spaced by this multiple of their own duration, so that a busy table costs a bounded share. */
const spacing = 20;
/** One list may lag behind another. What is missing is told of again, so that a loss in between is not overlooked. */
const missingMax = 3;
const reconnect = { baseMs: 500, capMs: 30_000 };

export class VolumeWatch {
  readonly #options: VolumeWatchOptions;
  readonly #abort = new AbortController();
  /** `namespace/id` → state index and health when it was last listed. */
  #known = new Map<string, string>();
  /** `namespace/id` → how many lists in a row lacked it. */
  #missing = new Map<string, number>();
  #running: Promise<void> = Promise.resolve();
  /** Every namespace while the token may list them; else the connection's own. */
  #namespace = '*';
  #view: ConnectionView = { watch: 'reconnecting' };
  /** Ends the query that blocks. */
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

  /** Lists again now, not when something moves. */
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

  /** One list, then blocking until something moves. Connecting again lists again: events may have been missed. */
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
      if (now !== index) return; // moved, or started over: list again either way
      index = now;
    }
  }

  /** Blocks. @returns the index then; `undefined` when it is to list whatever it is. */
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

  /** Reads the whole table by pages and tells what differs from the last time. @returns the index to block on. */
  async #list(): Promise<number> {
    const { client, changed } = this.#options;
    const found = new Map<string, string>();
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
      first ??= page.index; // what changes while the later pages are read wakes the query that follows
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
    this.#tellMissing(found);
    this.#known = found;
    return first ?? 1;
  }

  #tellMissing(found: ReadonlyMap<string, string>): void {
    const missing = new Map<string, number>();
    for (const at of [...this.#known.keys(), ...this.#missing.keys()]) {
      if (found.has(at)) continue;
      const cut = at.indexOf('/');
      this.#options.changed(this.#ref(at.slice(0, cut), at.slice(cut + 1)), Number.MAX_SAFE_INTEGER);
      const times = (this.#missing.get(at) ?? 0) + 1;
      if (times < missingMax) missing.set(at, times);
    }
    this.#missing = missing;
  }

  #ref(namespace: string, id: string): ExternalRef {
    return { backend: this.#options.connection.backend, namespace, id };
  }

  #sleep(ms: number): Promise<void> {
    return sleep(this.#options.clock, ms, this.#abort.signal);
  }
}

const health = (v: VolumeStub): string =>
  `${v.Schedulable ?? ''} ${v.ControllersHealthy ?? ''}/${v.ControllersExpected ?? ''} ${v.NodesHealthy ?? ''}/${v.NodesExpected ?? ''}`;
const fingerprint = (v: VolumeStub): string => `${v.ModifyIndex} ${health(v)}`;

/**
 * A change of health, or of what the provider says, moves no index, so a look at the same index does not cover it; nor does
 * any look where the index has fallen, as in a cluster that was restored.
 */
const hintIndex = (before: string | undefined, v: VolumeStub): number =>
  before !== undefined && Number.parseInt(before, 10) >= v.ModifyIndex
    ? Number.MAX_SAFE_INTEGER
    : v.ModifyIndex;
