// Lists the disks of each provider whose volumes are observed, at long intervals, and notes abnormal ones. If a provider
// can't be listed, its earlier notes stay.
import { oneLine } from '../api/http/request.ts';
import type { Reader } from '../api/routes.ts';
import type { DiskNotes } from '../api/scheduler/disks.ts';
import type { ExternalVolume } from '../api/scheduler/wire.ts';
import { jitterMs } from '../core/time/backoff.ts';
import type { Clock } from '../core/time/clock.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import { begunAgain, pagesOf } from '../core/pages.ts';

export interface ExternalListsOptions {
  readonly client: Pick<Reader, 'page'>;
  readonly notes: DiskNotes;
  /** Called if the notes have changed. */
  readonly changed: () => void;
  /** Called with each unexpected problem. */
  readonly trouble: (message: string) => void;
  /** A namespace in which the token may list. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: () => number;
}

/** How often to check for newly observed plugins, which costs no request. */
const tickMs = 15_000;
/** The least interval between a plugin's lists. It grows with their pages, to stay below one request a minute. */
const listMs = 600_000;
const pageMs = 60_000;
/** The interval for a plugin that can't be listed, or that the token may not list. */
const refusedMs = 3_600_000;
/** 0: the provider chooses. Some providers cut the list to the requested size and report no next page. */
const pageSize = 0;
const wrongMax = 10_000;

export class ExternalLists {
  readonly #options: ExternalListsOptions;
  readonly #abort = new AbortController();
  /** Plugin → time of the next list; monotonic. */
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

  async #list(plugin: string): Promise<number> {
    try {
      const { pages, wrong } = await begunAgain(() => this.#walk(plugin));
      this.#note(plugin, wrong);
      return Math.max(listMs, pages * pageMs);
    } catch (error) {
      if (!(error instanceof ApiError)) this.#options.trouble(messageOf(error));
      if (!(error instanceof ApiError) || error.class !== 'refused') return listMs;
      if (error.reason === 'PluginIncapable') this.#note(plugin, new Map()); // no later list would correct old notes
      return refusedMs;
    }
  }

  #note(plugin: string, wrong: ReadonlyMap<string, string>): void {
    if (this.#options.notes.note(plugin, wrong)) this.#options.changed();
  }

  /** Reads all pages, since disks on a missing page would seem healthy. @throws ApiError */
  async #walk(plugin: string): Promise<{ readonly pages: number; readonly wrong: Map<string, string> }> {
    const { client, namespace } = this.#options;
    const wrong = new Map<string, string>();
    const params = { namespace, plugin_id: plugin, per_page: pageSize };
    const ask = (at: object) => client.page('volume.external', { ...params, ...at }, this.#abort.signal);
    let pages = 0;
    for await (const reply of pagesOf('volume.external', ask)) {
      pages += 1;
      for (const disk of disksIn(reply))
        if (disk.IsAbnormal === true && wrong.size < wrongMax) wrong.set(disk.ExternalID, saidOf(disk));
    }
    return { pages, wrong };
  }
}

const disksIn = (reply: { readonly Volumes?: unknown } | undefined): readonly ExternalVolume[] =>
  Array.isArray(reply?.Volumes) ? reply.Volumes.filter(isDisk) : [];

const isDisk = (disk: unknown): disk is ExternalVolume =>
  disk !== null && typeof disk === 'object' && 'ExternalID' in disk && typeof disk.ExternalID === 'string';

const saidOf = ({ Status }: { readonly Status?: unknown }): string =>
  (typeof Status === 'string' && oneLine(Status)) || 'the provider does not say what is wrong';
