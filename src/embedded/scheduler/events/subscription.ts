// A subscription to the event stream: which events it gets, and when it ends (services.md#event-stream).
import type { Clock } from '../../clock.ts';
import type { Outlet } from '../../http/stream.ts';
import type { Broker, Frame, Listener, Place, Shown } from './broker.ts';

/** Topic → keys; `*`: any. */
export type Topics = ReadonlyMap<string, readonly string[]>;

export interface Wanted {
  readonly topics: Topics;
  /** As of the start of the subscription. Events without a namespace always match. */
  readonly namespaces: readonly string[];
  readonly index: number;
  /** See `Behaviour`. */
  readonly keysAddUp: boolean;
  readonly replaysNewest: boolean;
  readonly isAllowed: () => boolean;
  readonly isKnown: () => boolean;
}

const heartbeatMs = 30_000;

export class Subscription implements Listener {
  readonly #broker: Broker;
  readonly #clock: Clock;
  readonly #wanted: Wanted;
  readonly #out: Outlet;
  /** Whether the reason for the end is sent after the last frame. */
  readonly #saysWhy: boolean;
  #place: Place;
  #isReady: boolean;
  #leave: () => void = () => {};
  #stopBeating: () => void = () => {};

  constructor(broker: Broker, clock: Clock, wanted: Wanted, out: Outlet, saysWhy: boolean) {
    this.#broker = broker;
    this.#clock = clock;
    this.#wanted = wanted;
    this.#out = out;
    this.#saysWhy = saysWhy;
    this.#place = broker.placeAt(wanted.index, wanted.replaysNewest);
    this.#isReady = out.send('{}\n');
  }

  /** Sends the buffered frames first, then new ones. */
  start(): void {
    this.#leave = this.#broker.join(this);
    this.#beatLater();
    this.#out.onReady(() => {
      this.#isReady = true;
      this.appended();
    });
    this.#out.onGone(() => this.#stop());
    this.appended();
  }

  appended(): void {
    while (this.#isReady) {
      const frame = this.#broker.frameAt(this.#place);
      if (frame === undefined) return;
      if (typeof frame === 'string') return this.end(frame);
      this.#place = { next: this.#place.next + 1, hasStood: true };
      const events = matching(this.#wanted, frame);
      if (events.length === 0) continue;
      if (!this.#wanted.isKnown()) return this.end('ACL token expired');
      const texts = events.map(({ json }) => json).join(',');
      this.#isReady = this.#out.send(`{"Index":${frame.index},"Events":[${texts}]}\n`);
    }
  }

  rightsChanged(): void {
    if (!this.#wanted.isAllowed()) this.end('subscription closed by server, client should resubscribe');
  }

  end(reason: string): void {
    this.#stop();
    this.#out.end(this.#saysWhy ? reason : '');
  }

  #stop(): void {
    this.#isReady = false;
    this.#leave();
    this.#stopBeating();
  }

  /** Sends heartbeats at a fixed interval, also between events. */
  #beatLater(): void {
    this.#stopBeating = this.#clock.after(heartbeatMs, () => {
      if (this.#isReady) this.#isReady = this.#out.send('{}\n');
      this.#beatLater();
    });
  }
}

/**
 * Without `keysAddUp`, an event that matches two keys of its topic is sent twice, and `*` matches any key only if it is
 * the only one.
 */
function matching({ topics, namespaces, keysAddUp }: Wanted, { events }: Frame): readonly Shown[] {
  const ofAll = topics.get('*') ?? [];
  return events.flatMap((event) => {
    if (event.Namespace !== '' && !namespaces.includes(event.Namespace)) return [];
    const keys = [...ofAll, ...(topics.get(event.Topic) ?? [])];
    if (keysAddUp ? keys.includes('*') : isAny(ofAll) || isAny(keys)) return [event];
    const matches = keys.filter((key) => key === event.Key || event.FilterKeys?.includes(key));
    return (keysAddUp ? matches.slice(0, 1) : matches).map(() => event);
  });
}

const isAny = (keys: readonly string[]): boolean => keys.length === 1 && keys[0] === '*';
