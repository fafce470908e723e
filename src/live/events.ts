// Listens to a scheduler's event stream and tells what changed, at once. It narrows the latency of the lists, and is not
// relied on: what it misses, they find.
import type { Reader } from '../api/routes.ts';
import type { StreamEvent, Told } from '../api/scheduler/events.ts';
import { sleep, type Clock } from '../core/clock.ts';
import type { Connection } from '../core/connection.ts';
import { ApiError } from '../core/errors.ts';
import type { ExternalRef } from '../core/resource.ts';
import type { ConnectionView } from '../core/view.ts';

export interface EventWatchOptions {
  readonly events: NonNullable<Reader['events']>;
  readonly connection: Connection;
  readonly changed: (ref: ExternalRef, index: number) => void;
  /** Something may have changed that no event names: list again. */
  readonly relist: () => void;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Volumes and their plugins have topics of their own on newer servers only; elsewhere a token that may not have all is refused. */
const volumes = ['CSIVolume', 'CSIPlugin'];
const claimants = ['Allocation'];
/** A token may be given more rights. */
const askAgainMs = 600_000;

export class EventWatch {
  readonly #options: EventWatchOptions;
  readonly #abort = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #state: NonNullable<ConnectionView['events']> = 'reconnecting';

  constructor(options: EventWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  get state(): NonNullable<ConnectionView['events']> {
    return this.#state;
  }

  /** All that is wanted at first, then what the token may have. */
  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { clock, connection } = this.#options;
    while (!signal.aborted) {
      for (const topics of [[...volumes, ...claimants], claimants]) {
        for (const namespace of new Set(['*', connection.namespace])) await this.#listen(topics, namespace);
      }
      this.#state = 'denied';
      await sleep(clock, askAgainMs, signal);
    }
  }

  /** Ends when it is refused. */
  async #listen(topics: readonly string[], namespace: string): Promise<void> {
    const { events, clock, random } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return;
    try {
      for await (const told of events({ topics, namespace }, { clock, random, signal })) this.#take(told);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #take(told: Told): void {
    if (told.is === 'open') this.#state = 'live';
    else if (told.is === 'lost') this.#state = 'reconnecting';
    else if (told.is === 'gap') this.#options.relist();
    else for (const event of told.events) this.#tell(event);
  }

  #tell({ Topic, Key, Namespace, Index }: StreamEvent): void {
    const { changed, relist, connection } = this.#options;
    const { backend } = connection;
    if (Topic === 'CSIVolume') changed({ backend, namespace: Namespace, id: Key }, Index);
    else if (Topic === 'Allocation') changed({ backend, allocation: Key }, Index);
    else if (Topic === 'CSIPlugin') relist(); // the health of its volumes, which moves no index of theirs
  }
}
