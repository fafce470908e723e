// The event stream as a client sees it (scheduler-api.md, "Event stream"; wire.md 2.4): frames in order, each once, over
// as many connections as it takes. Where something may have been missed in between, it says so.
import { backoffMs } from '../../core/backoff.ts';
import { sleep, type Clock } from '../../core/clock.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import type { Reason } from '../../core/reasons.ts';
import type { Json, Sealed } from '../../core/secret.ts';
import { isMap, raise } from '../dialects.ts';
import type { HttpStream } from '../http.ts';
import { linesOf } from '../lines.ts';
import { jsonOf } from '../request.ts';
import { boxed } from './decode.ts';
import { jobSecrets } from './routes.ts';

export interface StreamEvent {
  /** E.g. `Allocation`, `Node`, `CSIVolume`. */
  readonly Topic: string;
  /** What happened, e.g. `AllocationUpdated`: of the whole transaction, whatever its topics are. */
  readonly Type: string;
  /** ID of the object, or its name. */
  readonly Key: string;
  /** Empty for what has none. */
  readonly Namespace: string;
  readonly FilterKeys: readonly string[];
  /** State index of the change; that of its frame. */
  readonly Index: number;
  /** By the name of what it holds, e.g. `Node`; in the documents' shape, with what jobs hold of secrets in boxes. */
  readonly Payload: Readonly<Record<string, Sealed>>;
}

/** What is wanted of the stream. */
export interface Subscription {
  /** `Topic`, or `Topic:key` for one object or those that belong to it; keys are matched exactly. */
  readonly topics: readonly string[];
  /** `*`: all that there are now. */
  readonly namespace: string;
  /** Frames from this state index on, as far as the service still has them; 0: all of those. Absent: what comes. */
  readonly index?: number;
  /** Refused, another one is asked for: only the last refusal means that nothing may be heard. */
  readonly hasFallback?: boolean;
}

export type Told =
  /** The service accepted the subscription: what happens from now on is told. */
  | { readonly is: 'open' }
  | { readonly is: 'frame'; readonly index: number; readonly events: readonly StreamEvent[] }
  /** Something may have been missed: list again. */
  | { readonly is: 'gap' }
  /** Not connected; it is tried again. */
  | { readonly is: 'lost'; readonly message: string };

export interface EventOptions {
  /** Opens one connection that starts at that index. @throws ApiError */
  readonly open: (index: number, signal: AbortSignal) => Promise<HttpStream>;
  readonly from: number | undefined;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const op = 'event.stream';
/** One frame holds what one transaction changed. */
const frameBytesMax = 16 * 2 ** 20;
/** The first heartbeat comes at once. A stream that is denied may be one that says nothing (wire.md 2.4). */
const firstWordMs = 10_000;
/** A service that is about to end takes connections, too, and says nothing; but not so often. */
const silentEndsMax = 3;
const reconnect = { baseMs: 1_000, capMs: 30_000 };
/** Later than everything: the newest frame is told once more, and then what comes. */
const now = Number.MAX_SAFE_INTEGER;

/**
 * Ends with its signal. Whatever goes wrong is tried again, the more seldom the longer it lasts.
 * @throws ApiError where the service has no events or this token may not have them: asking again would not help
 */
export async function* eventsOf({ open, from, clock, random, signal }: EventOptions): AsyncGenerator<Told> {
  const progress = new Progress(from);
  while (!signal.aborted) {
    try {
      progress.connect();
      const isPatient = progress.failures < silentEndsMax;
      const connected = frames((ending) => open(progress.start, ending), clock, signal, isPatient);
      for await (const frame of connected) yield* progress.take(frame);
      throw closed();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError) || isFinal(error)) throw error;
      progress.failures += 1;
      if (error.class === 'unreadable') progress.skip();
      yield { is: 'lost', message: messageOf(error) };
      await sleep(clock, error.retryAfterMs ?? backoffMs(progress.failures, random(), reconnect), signal);
    }
  }
}

/** A status that is not about events or rights may be the word of a hop in between, or of a service that comes up. */
const isFinal = ({ class: kind, reason, status }: ApiError): boolean =>
  kind === 'refused' && (status === undefined || status === 401 || final.has(reason));
const final: ReadonlySet<Reason> = new Set(['PermissionDenied', 'EventsDisabled']);

/** How far the stream has come. It goes on from the last frame, not after it: that it is still there proves no gap. */
class Progress {
  readonly #from: number | undefined;
  /** Index of the last frame. */
  #last: number | undefined;
  /** Connections in a row that came to nothing. */
  failures = 0;
  /** This connection has said something. */
  #heard = false;
  #hadOpened = false;
  #isWhole = true;

  constructor(from: number | undefined) {
    this.#from = from;
  }

  /** Index to connect at. */
  get start(): number {
    return this.#last ?? (this.#hadOpened ? now : (this.#from ?? now));
  }

  /** What comes next can't be read, and would come again. */
  skip(): void {
    this.#last = undefined;
  }

  connect(): void {
    this.#heard = false;
    this.#isWhole = !this.#hadOpened;
  }

  *take(frame: Frame | undefined): Generator<Told> {
    // One that ends after its first word, or after what was known, is no good.
    if (this.#heard && frame?.index !== this.#last) this.failures = 0;
    if (!this.#heard) yield { is: 'open' };
    if (frame && !this.#isWhole && frame.index < (this.#last ?? 0)) this.#last = undefined; // another history
    if (!this.#isWhole && (frame ? frame.index !== this.#last : this.#heard)) yield { is: 'gap' };
    this.#isWhole ||= frame !== undefined || this.#heard;
    this.#hadOpened = true;
    this.#heard = true;
    if (!frame || frame.index <= (this.#last ?? -1)) return;
    this.#last = frame.index;
    yield { is: 'frame', ...frame };
  }
}

interface Frame {
  readonly index: number;
  readonly events: readonly StreamEvent[];
}

/**
 * Frames of one connection; `undefined`: a heartbeat.
 * @param isPatient an end without a word is one like any other, not a refusal
 * @throws ApiError
 */
async function* frames(
  open: (signal: AbortSignal) => Promise<HttpStream>,
  clock: Clock,
  signal: AbortSignal,
  isPatient: boolean,
): AsyncGenerator<Frame | undefined> {
  const end = new AbortController();
  const heard = new AbortController();
  try {
    const { chunks } = await open(AbortSignal.any([signal, end.signal]));
    const lines = linesOf(op, chunks, frameBytesMax);
    const silence = sleep(clock, firstWordMs, AbortSignal.any([signal, heard.signal]));
    const first = await Promise.race([lines.next(), silence]);
    heard.abort();
    if (first?.done === true && isPatient) throw closed();
    if (first?.done !== false) {
      const why = 'it was accepted and nothing was said: the token may lack a right, or events are off';
      throw new ApiError('refused', 'StreamDenied', `${op}: ${why}`);
    }
    yield frameIn(first.value);
    for await (const line of lines) yield frameIn(line);
  } finally {
    heard.abort();
    end.abort();
  }
}

/** @throws ApiError, which does not quote it */
function frameIn(line: string): Frame | undefined {
  const value = line.trim() === '' ? {} : jsonOf(op, line);
  if (!isMap(value)) throw unreadable();
  const { Index, Events } = value;
  if (Events === undefined || Events === null) return undefined;
  if (!Array.isArray(Events) || !isIndex(Index)) throw unreadable();
  const events = distinct(Events).map((one) => eventIn(one, Index));
  return events.length === 0 ? undefined : { index: Index, events };
}

function eventIn(value: Json, Index: number): StreamEvent {
  if (!isMap(value)) throw unreadable();
  const { Topic, Type, Key, Namespace, FilterKeys, Payload } = value;
  const keys: readonly unknown[] = Array.isArray(FilterKeys) ? FilterKeys : [];
  return {
    Topic: textIn(Topic),
    Type: textIn(Type),
    Key: textIn(Key),
    Namespace: textIn(Namespace ?? ''),
    FilterKeys: keys.filter((key) => typeof key === 'string'),
    Index,
    Payload: payloadIn(Payload, `${op} ${textIn(Key)}`),
  };
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  throw unreadable();
}

function payloadIn(value: Json | undefined, where: string): StreamEvent['Payload'] {
  const raised = shapely(value ?? {}, where);
  if (!isMap(raised)) throw unreadable();
  const held = Object.entries(raised).filter((entry): entry is [string, Sealed] => entry[1] !== undefined);
  return Object.fromEntries(held);
}

function shapely(value: Json, where: string): Sealed {
  try {
    return boxed(raise(value), jobSecrets, where);
  } catch {
    throw unreadable(); // nested too deeply
  }
}

/** An event that several keys of a subscription match is sent as often (wire.md 2.4). One object may have several events. */
function distinct(events: readonly Json[]): readonly Json[] {
  if (events.length < 2) return events;
  try {
    return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()];
  } catch {
    throw unreadable(); // nested too deeply
  }
}

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const unreadable = (): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: a line is no frame of events`);

const closed = (): ApiError => new ApiError('unavailable', 'StreamClosed', `${op}: closed by the service`);
