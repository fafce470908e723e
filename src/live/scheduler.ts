// A scheduler's live state: lists that block until something moves, and the event stream before them.
import type { Reader } from '../api/routes.ts';
import type { ConnectionView } from '../core/view.ts';
import { EventWatch } from './events.ts';
import { VolumeWatch, type VolumeWatchOptions } from './volumes.ts';

export interface SchedulerWatchOptions extends VolumeWatchOptions {
  readonly client: Pick<Reader, 'page' | 'events'>;
}

export class SchedulerWatch {
  readonly #volumes: VolumeWatch;
  readonly #events: EventWatch | undefined;

  constructor(options: SchedulerWatchOptions) {
    const { client } = options;
    this.#volumes = new VolumeWatch(options);
    const relist = () => this.#volumes.relist();
    const events: Reader['events'] = client.events?.bind(client);
    this.#events = events && new EventWatch({ ...options, events, relist });
  }

  start(): void {
    this.#volumes.start();
    this.#events?.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#volumes.stop(), this.#events?.stop()]);
  }

  view(): ConnectionView {
    return { ...this.#volumes.view(), ...(this.#events && { events: this.#events.state }) };
  }
}
