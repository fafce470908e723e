// The client's side of the event stream (services.md#event-stream): yields frames in order, each once, across
// reconnects, and reports where events may be missing.
import type { EventOptions, StreamEvent, StreamNotice } from './subscription.ts';
import { backoffMs } from '../../core/time/backoff.ts';
import { sleep, type Clock } from '../../core/time/clock.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import type { Reason } from '../../core/status/reasons.ts';
import type { Json, Sealed } from '../../core/secret.ts';
import { isMap, raise } from '../dialects.ts';
import type { HttpStream } from '../http/transport.ts';
import { linesOf } from '../http/lines.ts';
import { jsonOf } from '../http/request.ts';
import { boxed } from './decode.ts';
import { jobSecrets } from './routes.ts';

/** Topics to subscribe to. */
export const topics = { volume: 'CSIVolume', plugin: 'CSIPlugin', allocation: 'Allocation' } as const;

const op = 'event.stream';
/** A frame holds the changes of one transaction. */
const frameBytesMax = 16 * 2 ** 20;
/** The first heartbeat arrives at once, but a refused stream may stay silent (services.md#event-stream). */
const firstWordMs = 10_000;
/** A service that shuts down may accept connections and close them without data, but not more often than this. */
const silentEndsMax = 3;
const reconnect = { baseMs: 1_000, capMs: 30_000 };
/** Above every index: the service sends the newest frame once more, then new frames. */
const now = Number.MAX_SAFE_INTEGER;

/**
 * Ends when the signal is aborted. Errors are retried with a growing backoff.
 * @throws ApiError if the service has no events, or the token lacks the permission: a retry would not help
 */
export async function* eventsOf({
  open,
  from,
  clock,
  random,
  signal,
}: EventOptions): AsyncGenerator<StreamNotice> {
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

/** Whether a retry would not help. Other refusals may come from a proxy, or from a service that is starting. */
const isFinal = ({ class: kind, reason, status }: ApiError): boolean =>
  kind === 'refused' && (status === undefined || status === 401 || final.has(reason));
const final: ReadonlySet<Reason> = new Set(['PermissionDenied', 'EventsDisabled']);

/**
 * The position in the stream. A reconnect resumes at the last frame, not after it: if the service still has that frame,
 * no event was missed.
 */
class Progress {
  readonly #from: number | undefined;
  #last: number | undefined;
  failures = 0;
  #receiving = false;
  #hadOpened = false;
  #isWhole = true;

  constructor(from: number | undefined) {
    this.#from = from;
  }

  get start(): number {
    return this.#last ?? (this.#hadOpened ? now : (this.#from ?? now));
  }

  /** The next frame is unreadable, and the service would send it again: start with new frames. */
  skip(): void {
    this.#last = undefined;
  }

  connect(): void {
    this.#receiving = false;
    this.#isWhole = !this.#hadOpened;
  }

  *take(frame: Frame | undefined): Generator<StreamNotice> {
    // A connection that ends after its first heartbeat, or with old frames only, made no progress.
    if (this.#receiving && frame?.index !== this.#last) this.failures = 0;
    if (!this.#receiving) yield { is: 'open' };
    // A lower index means that the service's state was replaced.
    if (frame && !this.#isWhole && frame.index < (this.#last ?? 0)) this.#last = undefined;
    if (!this.#isWhole && (frame ? frame.index !== this.#last : this.#receiving)) yield { is: 'gap' };
    this.#isWhole ||= frame !== undefined || this.#receiving;
    this.#hadOpened = true;
    this.#receiving = true;
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
 * @param isPatient whether a connection that closes without data counts as closed rather than refused
 * @throws ApiError
 */
async function* frames(
  open: (signal: AbortSignal) => Promise<HttpStream>,
  clock: Clock,
  signal: AbortSignal,
  isPatient: boolean,
): AsyncGenerator<Frame | undefined> {
  const end = new AbortController();
  const received = new AbortController();
  try {
    const { chunks } = await open(AbortSignal.any([signal, end.signal]));
    const lines = linesOf(op, chunks, frameBytesMax);
    const silence = sleep(clock, firstWordMs, AbortSignal.any([signal, received.signal]));
    const first = await Promise.race([lines.next(), silence]);
    received.abort();
    if (first?.done === true && isPatient) throw closed();
    if (first?.done !== false) {
      const why = 'it was accepted and nothing was said: the token may lack a right, or events are off';
      throw new ApiError('refused', 'StreamDenied', `${op}: ${why}`);
    }
    yield frameIn(first.value);
    for await (const line of lines) yield frameIn(line);
  } finally {
    received.abort();
    end.abort();
  }
}

/** @throws ApiError, which does not quote the line */
function frameIn(line: string): Frame | undefined {
  const value = line.trim() === '' ? {} : jsonOf(op, line);
  if (!isMap(value)) throw unreadable();
  const { Index, Events } = value;
  if (Events === undefined || Events === null) return undefined;
  if (Array.isArray(Events) && Events.length === 0 && Index === undefined) return undefined;
  if (!Array.isArray(Events) || !isIndex(Index)) throw unreadable();
  const events = distinct(Events).map((one) => eventIn(one, Index));
  return events.length === 0 ? undefined : { index: Index, events };
}

function eventIn(value: Json, frameIndex: number): StreamEvent {
  if (!isMap(value)) throw unreadable();
  const { Topic, Type, Key, Namespace, FilterKeys, Payload, Index: own } = value;
  const keys: readonly unknown[] = Array.isArray(FilterKeys) ? FilterKeys : [];
  return {
    Topic: textIn(Topic),
    Type: textIn(Type),
    Key: textIn(Key),
    Namespace: textIn(Namespace ?? ''),
    FilterKeys: keys.filter((key) => typeof key === 'string'),
    Index: isIndex(own) ? own : frameIndex,
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

/**
 * Removes repeated events: an event that matches several keys is sent several times (services.md#event-stream).
 * Different events of one object are kept.
 */
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
  new ApiError('unreadable', 'InvalidResponse', `${op}: a line is not an event frame`);

const closed = (): ApiError => new ApiError('unavailable', 'StreamClosed', `${op}: closed by the service`);
