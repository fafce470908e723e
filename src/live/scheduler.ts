// Watches the live state of a scheduler by three means: blocking lists, the event stream, which shortens their delay, and
// lists of the disks at their providers, whose state the other two do not report.
import type { Reader } from '../api/routes.ts';
import type { ExternalObject, Listed } from '../core/resource.ts';
import type { ConnectionView } from '../core/status/view.ts';
import { EventWatch } from './events.ts';
import { ExternalLists } from './external.ts';
import { VolumeWatch, type VolumeWatchOptions } from './volumes.ts';

export interface SchedulerWatchOptions extends Omit<VolumeWatchOptions, 'isTold'> {
  readonly client: Pick<Reader, 'page' | 'events' | 'disks'>;
}

export class SchedulerWatch {
  readonly #volumes: VolumeWatch;
  readonly #events: EventWatch | undefined;
  readonly #disks: ExternalLists | undefined;

  constructor(options: SchedulerWatchOptions) {
    const { client, connection } = options;
    const relist = () => this.#volumes.relist();
    this.#volumes = new VolumeWatch({ ...options, isTold: () => this.#events?.tellsOfVolumes === true });
    if (options.single) return;
    const events: Reader['events'] = client.events?.bind(client);
    this.#events = events && new EventWatch({ ...options, events, relist });
    this.#disks =
      client.disks &&
      new ExternalLists({
        ...options,
        notes: client.disks,
        namespace: connection.namespace,
        changed: relist,
      });
  }

  start(): void {
    this.#volumes.start();
    this.#events?.start();
    this.#disks?.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#volumes.stop(), this.#events?.stop(), this.#disks?.stop()]);
  }

  /** Call it when a visit has seen the external object. */
  observed(ref: ExternalObject): void {
    if (ref.type === 'scheduler/volume') this.#volumes.version(ref);
  }

  listed(ref: ExternalObject): Listed | undefined {
    return ref.type === 'scheduler/volume' ? this.#volumes.listed(ref) : undefined;
  }

  view(): ConnectionView {
    return { ...this.#volumes.view(), ...(this.#events && { events: this.#events.state }) };
  }
}
