// Lists the disks of those providers whose volumes are observed, now and then, and notes which of them are not well. Where
// a provider can't be listed, what was noted stands.
import { oneLine } from '../api/request.ts';
import type { Reader } from '../api/routes.ts';
import type { DiskNotes } from '../api/scheduler/disks.ts';
import type { ExternalVolume } from '../api/scheduler/wire.ts';
import { jitterMs } from '../core/backoff.ts';
import type { Clock } from '../core/clock.ts';
import { ApiError, messageOf } from '../core/errors.ts';

export interface ExternalListsOptions {
  readonly client: Pick<Reader, 'page'>;
  readonly notes: DiskNotes;
  /** Told when something differs from what was noted. */
  readonly changed: () => void;
  /** Told of what should not happen. */
  readonly trouble: (message: string) => void;
  /** That the token may list in. */
  readonly namespace: string;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Whether somebody asked for another plugin is looked at that often, which costs no request. */
const tickMs = 15_000;
/** A plugin is listed that often at most, and the more seldom the more pages it takes: its requests stay below one a minute. */
const listMs = 600_000;
const pageMs = 60_000;
/** It can't be listed, or may not. */
const refusedMs = 3_600_000;
/** As many as the provider likes: some cut their list to what is asked for, and tell of no next page. */
const pageSize = 0;
const pagesMax = 1_000;
const wrongMax = 10_000;

export class ExternalLists {
  readonly #options: ExternalListsOptions;
  readonly #abort = new AbortController();
  /** Plugin → when it is to be listed next; monotonic. */
  readonly #dueMs = new Map<string, number>();
  #running: Promise<void> = Promise.resolve();
  #cancel: () => void = () => {};

  constructor(options: ExternalListsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.setTimer(tickMs, () => {
      this.#running = this.#tick();
    });
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#cancel();
    await this.#running;
  }

  async #tick(): Promise<void> {
    const { notes, clock, random } = this.#options;
    for (const plugin of notes.plugins) {
      if (this.#abort.signal.aborted) return;
      if ((this.#dueMs.get(plugin) ?? 0) > clock.nowMs()) continue;
      const inMs = await this.#list(plugin);
      this.#dueMs.set(plugin, clock.nowMs() + jitterMs(inMs, random()));
    }
    if (!this.#abort.signal.aborted) this.start();
  }

  /** @returns after how long it may be listed again */
  async #list(plugin: string): Promise<number> {
    try {
      const { pages, wrong } = await this.#walk(plugin);
      this.#note(plugin, wrong);
      return Math.max(listMs, pages * pageMs);
    } catch (error) {
      if (!(error instanceof ApiError)) this.#options.trouble(messageOf(error));
      if (!(error instanceof ApiError) || error.class !== 'refused') return listMs;
      if (error.reason === 'PluginIncapable') this.#note(plugin, new Map()); // it takes nothing back itself
      return refusedMs;
    }
  }

  #note(plugin: string, wrong: ReadonlyMap<string, string>): void {
    if (this.#options.notes.note(plugin, wrong)) this.#options.changed();
  }

  /** Reads all pages, for a part would make the rest look well. @throws ApiError */
  async #walk(plugin: string): Promise<{ readonly pages: number; readonly wrong: Map<string, string> }> {
    const { client, namespace } = this.#options;
    const wrong = new Map<string, string>();
    const tokens = new Set<string>();
    const params = { namespace, plugin_id: plugin, per_page: pageSize };
    for (let next_token = ''; ;) {
      const more = next_token === '' ? {} : { next_token };
      const page = await client.page('volume.external', { ...params, ...more }, this.#abort.signal);
      for (const disk of disksIn(page?.reply)) {
        if (disk.IsAbnormal === true && wrong.size < wrongMax) wrong.set(disk.ExternalID, saidOf(disk));
      }
      const pages = tokens.size + 1;
      const { nextToken } = page ?? {};
      if (nextToken === undefined) return { pages, wrong };
      if (tokens.has(nextToken) || pages === pagesMax) {
        throw new ApiError('unreadable', 'InvalidResponse', 'volume.external: its pages never end');
      }
      tokens.add(nextToken);
      next_token = nextToken;
    }
  }
}

const disksIn = (reply: { readonly Volumes?: unknown } | undefined): readonly ExternalVolume[] =>
  Array.isArray(reply?.Volumes) ? reply.Volumes.filter(isDisk) : [];

const isDisk = (disk: unknown): disk is ExternalVolume =>
  disk !== null && typeof disk === 'object' && 'ExternalID' in disk && typeof disk.ExternalID === 'string';

const saidOf = ({ Status }: { readonly Status?: unknown }): string =>
  (typeof Status === 'string' && oneLine(Status)) || 'the provider does not say what is wrong';
