// What is told of the state's changes: one frame for each commit, the last so many of them, in memory only. A frame is
// made when somebody asks for it: a commit that nobody hears of costs next to nothing.

export interface Told {
  readonly Topic: string;
  /** What happened. It belongs to the whole transaction where the real service tells it. */
  readonly Type: string;
  readonly Key: string;
  /** Empty for what has none. */
  readonly Namespace: string;
  /** Other keys by which it is found. */
  readonly FilterKeys: readonly string[] | null;
  readonly Payload: object;
}

/** As it is sent. */
export interface Shown extends Pick<Told, 'Topic' | 'Key' | 'Namespace' | 'FilterKeys'> {
  readonly json: string;
}

/** Part of a commit, which may have something to tell. */
export interface Source {
  readonly told: (() => readonly Told[]) | undefined;
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
    const told = () => this.#sources.flatMap((source) => source.told?.() ?? []);
    this.#events ??= told().map(({ Payload, ...event }) => ({
      ...event,
      json: JSON.stringify({ ...event, Index: this.index, Payload }),
    }));
    return this.#events;
  }
}

export interface Listener {
  /** There is a new frame. */
  told(): void;
  /** Somebody's rights have changed. */
  rightsChanged(): void;
  end(reason: string): void;
}

/** Where a reader is: before the frame with this number. */
export interface Place {
  readonly next: number;
  /** It was told the one before that, and stands on it. */
  readonly hasStood: boolean;
}

const closed = 'subscription closed by server, client should resubscribe';
const dropped = 'event dropped from buffer';

export class Broker {
  readonly #size: number;
  readonly #listeners = new Set<Listener>();
  /** Each at its number, counted around. */
  readonly #frames: (Frame | undefined)[] = [];
  /** Number of the oldest frame that is kept, and of the next one. */
  #first = 0;
  #next = 0;
  #isOn = true;

  constructor(size: number) {
    this.#size = Math.max(1, size);
  }

  /** Otherwise nobody may listen. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Somebody listens. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  append(index: number, sources: readonly Source[]): void {
    if (!this.#isOn || !sources.some(tells)) return;
    this.#frames[this.#next % this.#size] = new Frame(index, sources);
    this.#next += 1;
    if (this.#next - this.#first > this.#size) this.#first += 1;
    if (this.isHeard) for (const listener of this.#listeners) listener.told();
  }

  rightsChanged(): void {
    for (const listener of this.#listeners) listener.rightsChanged();
  }

  /** Before the first frame with this index or a later one; where all are earlier, before the newest; 0: the oldest. */
  placeAt(index: number): Place {
    let next = this.#first;
    while (next < this.#next - 1 && (this.#at(next)?.index ?? 0) < index) next += 1;
    return { next, hasStood: false };
  }

  /** @returns a text: why there is none and never will be */
  frameAt({ next, hasStood }: Place): Frame | string | undefined {
    if (next >= this.#next) return undefined;
    return (hasStood ? next - 1 : next) < this.#first ? dropped : this.#at(next);
  }

  #at(number: number): Frame | undefined {
    return this.#frames[number % this.#size];
  }

  /** @returns how to leave. */
  join(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  closeAll(reason = closed): void {
    for (const listener of this.#listeners) listener.end(reason);
  }

  /** As if so much had happened at once that nobody could follow: only the newest frame is left. */
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

const tells = ({ told }: Source): boolean => told !== undefined;
