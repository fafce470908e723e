// Listens to a scheduler's event stream and reports changes at once. It only shortens the delay: the lists find whatever
// the stream misses.
import type { StreamEvent, Subscription, StreamNotice } from '../api/scheduler/subscription.ts';
import type { Reader } from '../api/routes.ts';
import { topics as topicNames } from '../api/scheduler/events.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Connection } from '../core/connection.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import { isRecord } from '../core/json.ts';
import type { ExternalObject } from '../core/resource.ts';
import type { ConnectionView } from '../core/status/view.ts';

export interface EventWatchOptions {
  readonly events: NonNullable<Reader['events']>;
  readonly connection: Connection;
  readonly changed: (ref: ExternalObject, index: number) => void;
  /** Called when something may have changed without an event, so that the volumes must be listed again. */
  readonly relist: () => void;
  /** Called with each unexpected problem. */
  readonly trouble: (message: string) => void;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Only newer servers have these topics. Older ones refuse unknown topics to tokens without management rights. */
const volumes = [topicNames.volume, topicNames.plugin];
const claimants = [topicNames.allocation];
/** How often to ask again for all topics, because the token may have been given more rights. */
const askAgainMs = 300_000;

export class EventWatch {
  readonly #options: EventWatchOptions;
  readonly #abort = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #state: NonNullable<ConnectionView['events']> = 'reconnecting';
  #hadOpened = false;
  #topics: readonly string[] = [];

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

  /** Whether changes of volumes are told of, and not only those of allocations. */
  get tellsOfVolumes(): boolean {
    return this.#state === 'live' && this.#topics.includes(topicNames.volume);
  }

  /**
   * Subscribes to all topics, or to those that the token may have. It never gives up: rights change, and a server that
   * shuts down refuses everything.
   */
  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { clock, connection } = this.#options;
    const wishes = [[...volumes, ...claimants], claimants].flatMap((topics) =>
      [...new Set(['*', connection.namespace])].map((namespace) => ({ topics, namespace })),
    );
    const [all, ...less] = wishes.map((wish, i) => ({ ...wish, hasFallback: i < wishes.length - 1 }));
    while (!signal.aborted) {
      if (all) await this.#listen(all, signal);
      const turn = new AbortController();
      const cancel = clock.setTimer(askAgainMs, () => turn.abort());
      const ending = AbortSignal.any([signal, turn.signal]);
      for (const wish of less) await this.#listen(wish, ending);
      if (!ending.aborted) this.#state = 'denied';
      await aborted(ending);
      cancel();
    }
  }

  /**
   * Returns when the subscription is refused. If an earlier subscription was open, it asks for a new list, because events
   * may be missing.
   */
  async #listen(wish: Subscription, signal: AbortSignal): Promise<void> {
    const { events, clock, random, relist, trouble } = this.#options;
    if (signal.aborted) return;
    let isNew = this.#hadOpened;
    try {
      for await (const told of events(wish, { clock, random, signal })) {
        if (told.is === 'open' && isNew) relist();
        isNew &&= told.is !== 'open';
        this.#topics = wish.topics;
        this.#take(told);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) trouble(messageOf(error));
    }
  }

  #take(told: StreamNotice): void {
    if (told.is === 'open') {
      this.#state = 'live';
      this.#hadOpened = true;
    } else if (told.is === 'lost') this.#state = 'reconnecting';
    else if (told.is === 'gap') this.#options.relist();
    else for (const event of told.events) this.#tell(event);
  }

  #tell({ Topic, Key, Namespace, Index, Payload }: StreamEvent): void {
    const { changed, relist, connection } = this.#options;
    const { backend } = connection;
    if (Topic === topicNames.volume)
      changed({ type: 'scheduler/volume', backend, namespace: Namespace, id: Key }, Index);
    else if (Topic === topicNames.allocation)
      changed({ type: 'scheduler/allocation', backend, allocation: Key }, Index);
    else if (Topic === topicNames.plugin) {
      relist(); // the health of its volumes changed, which moves no index of theirs
      if (hasController(Payload)) changed({ type: 'scheduler/plugin', backend, id: Key }, Index);
    }
  }
}

/** Each node that comes or goes is an event of the plugin. Without a controller, what waits for it would be refused again. */
function hasController({ Plugin: plugin }: StreamEvent['Payload']): boolean {
  return isRecord(plugin) && Number(plugin['ControllersHealthy']) > 0;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
