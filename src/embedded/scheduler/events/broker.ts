// The event buffer in memory: one frame per commit, up to a limit. A frame is rendered when a subscription reads it, so
// a commit without subscriptions costs little.

export interface EventRecord {
  readonly Topic: string;
  /** As in Nomad, events of one commit may share a type. */
  readonly Type: string;
  readonly Key: string;
  /** Empty for an object without a namespace. */
  readonly Namespace: string;
  /** Further keys by which a subscription can select the event. */
  readonly FilterKeys: readonly string[] | null;
  readonly Payload: object;
}

export interface Shown extends Pick<EventRecord, 'Topic' | 'Key' | 'Namespace' | 'FilterKeys'> {
  readonly json: string;
}

/** A part of a commit that may have events. */
export interface Source {
  readonly events: (() => readonly EventRecord[]) | undefined;
}

export class Frame {
  readonly index: number;
  readonly #sources: readonly Source[];
  #events: readonly Shown[] | undefined;

  constructor(index: number, sources: readonly Source[]) {
    this.index = index;
    this.#sources = sources;
  }

  get events(): readonly Shown[] {
    const events = () => this.#sources.flatMap((source) => source.events?.() ?? []);
    this.#events ??= events().map(({ Payload, ...event }) => ({
      ...event,
      json: JSON.stringify({ ...event, Index: this.index, Payload }),
    }));
    return this.#events;
  }
}

export interface Listener {
  appended(): void;
  /** A token or a policy has changed. */
  rightsChanged(): void;
  end(reason: string): void;
}

export interface Place {
  readonly next: number;
  /** Whether the reader has read the previous frame. */
  readonly hasStood: boolean;
}

const closed = 'subscription closed by server, client should resubscribe';
const dropped = 'event dropped from buffer';

export class Broker {
  readonly #size: number;
  readonly #listeners = new Set<Listener>();
  readonly #frames: (Frame | undefined)[] = [];
  #first = 0;
  #next = 0;
  #isOn = true;

  constructor(size: number) {
    this.#size = Math.max(1, size);
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  append(index: number, sources: readonly Source[]): void {
    if (!this.#isOn || !sources.some(hasEvents)) return;
    this.#frames[this.#next % this.#size] = new Frame(index, sources);
    this.#next += 1;
    if (this.#next - this.#first > this.#size) this.#first += 1;
    if (this.hasListeners) for (const listener of this.#listeners) listener.appended();
  }

  rightsChanged(): void {
    for (const listener of this.#listeners) listener.rightsChanged();
  }

  /**
   * The place of the first frame with at least this index; for 0 that is the oldest frame. If all frames are older: the
   * place of the next frame or, with `replaysNewest`, of the newest one.
   */
  placeAt(index: number, replaysNewest: boolean): Place {
    const end = replaysNewest ? this.#next - 1 : this.#next;
    let next = this.#first;
    while (next < end && (this.#at(next)?.index ?? 0) < index) next += 1;
    return { next, hasStood: false };
  }

  /** @returns `undefined` if the frame does not exist yet; a text, the reason to end, if it was dropped */
  frameAt({ next, hasStood }: Place): Frame | string | undefined {
    if (next >= this.#next) return undefined;
    return (hasStood ? next - 1 : next) < this.#first ? dropped : this.#at(next);
  }

  #at(number: number): Frame | undefined {
    return this.#frames[number % this.#size];
  }

  join(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  closeAll(reason = closed): void {
    for (const listener of this.#listeners) listener.end(reason);
  }

  /** Drops all frames but the newest, as if readers had been too slow. */
  overflow(): void {
    this.#first = Math.max(this.#first, this.#next - 1);
    this.closeAll(dropped);
  }

  turn(isOn: boolean): void {
    this.#isOn = isOn;
    if (isOn) return;
    this.#first = this.#next;
    this.closeAll();
  }
}

const hasEvents = ({ events }: Source): boolean => events !== undefined;
