// Writes Events (events.k8s.io/v1), which `kubectl describe` shows. Best effort: an event that can't be written is lost,
// and nothing waits for one. Their rate, size and number in memory are bounded.
import { randomBytes } from 'node:crypto';
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { events, microTime } from '../../api/kubernetes/resources.ts';
import { sleep, type Clock, type WallClock } from '../../core/time/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Key } from '../../core/resource.ts';

export interface Regarding {
  readonly key: Key;
  readonly uid: string;
  readonly apiVersion: string;
}

export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  /** In upper camel case; the reason of a condition where there is one. */
  readonly reason: string;
  /** What Holdfast did or tried, in upper camel case. */
  readonly action: string;
  /** For people. Holds no secrets, and nothing that differs with each occurrence, since equal notes form a series. */
  readonly note: string;
}

export interface RecorderOptions {
  readonly client: Pick<KubernetesClient, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly wallMs: WallClock['wallMs'];
  readonly instance: string;
  /** Called once when events can't be written (with the reason), and once when they can again (`undefined`). */
  readonly trouble: (message: string | undefined) => void;
}

interface Known {
  readonly regarding: Regarding;
  readonly event: ObjectEvent;
  readonly name: string;
  readonly firstWallMs: number;
  count: number;
  lastWallMs: number;
  lastMs: number;
  /** Monotonic time of the last write; `undefined`: not written yet. */
  writtenMs: number | undefined;
}

/** Equal events within this time of each other form a series: one Event with a count. */
const seriesMs = 10 * 60_000;
/** The least time between two writes of a count. */
const countMs = 60_000;
const knownMax = 4_000;
const waitingMax = 1_000;
const perSecond = 10;
const burst = 100;
const noteBytesMax = 1_024;
const instanceMax = 128;
/** Longest part of the object's name that goes into the name of the Event. */
const stemMax = 230;

export class EventRecorder {
  readonly #options: RecorderOptions;
  readonly #known = new Map<string, Known>();
  readonly #waiting = new Set<Known>();
  readonly #ending = new AbortController();
  #working: Promise<void> | undefined;
  #isTroubled = false;
  #tokens = burst;
  #tokensMs: number;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#tokensMs = options.clock.nowMs();
  }

  /** Returns at once and never throws. */
  record(regarding: Regarding, event: ObjectEvent): void {
    const nowMs = this.#options.clock.nowMs();
    const { type, reason, action } = event;
    const note = shortened(event.note);
    const id = JSON.stringify([regarding.uid, type, reason, action, note]);
    const before = this.#known.get(id);
    this.#known.delete(id); // inserted again below, so that #known is ordered by last use
    const isSeries = before !== undefined && nowMs - before.lastMs < seriesMs;
    const known = isSeries ? before : this.#new(regarding, { ...event, note });
    known.count += 1;
    known.lastMs = nowMs;
    known.lastWallMs = this.#options.wallMs();
    const isDue = known.writtenMs === undefined || nowMs - known.writtenMs >= countMs;
    if (isDue && !this.#enqueue(known)) return;
    this.#known.set(id, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Events that are still queued are lost. */
  async stop(): Promise<void> {
    this.#ending.abort(new Error('stopped'));
    await this.#working;
  }

  #new(regarding: Regarding, event: ObjectEvent): Known {
    const stem = regarding.key.name.slice(0, stemMax).replace(/[^a-z\d]+$/, '');
    const name = `${stem}.${randomBytes(8).toString('hex')}`;
    const firstWallMs = this.#options.wallMs();
    return { regarding, event, name, firstWallMs, count: 0, lastWallMs: 0, lastMs: 0, writtenMs: undefined };
  }

  #enqueue(known: Known): boolean {
    const isFull = this.#waiting.size >= waitingMax && !this.#waiting.has(known);
    if (isFull || this.#ending.signal.aborted) return false;
    this.#waiting.add(known);
    this.#working ??= this.#work();
    return true;
  }

  async #work(): Promise<void> {
    const { signal } = this.#ending;
    for (const known of this.#waiting) {
      await this.#token();
      if (signal.aborted) return this.#waiting.clear();
      this.#waiting.delete(known);
      await this.#write(known, signal).then(
        () => this.#note(undefined),
        (error: unknown) => this.#note(messageOf(error)),
      );
    }
    this.#working = undefined;
  }

  #note(trouble: string | undefined): void {
    const isNew = (trouble !== undefined) !== this.#isTroubled && !this.#ending.signal.aborted;
    this.#isTroubled = trouble !== undefined;
    if (isNew) this.#options.trouble(trouble);
  }

  async #token(): Promise<void> {
    const { clock } = this.#options;
    const nowMs = clock.nowMs();
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#tokensMs) * perSecond) / 1_000) - 1;
    this.#tokensMs = nowMs;
    if (this.#tokens < 0) await sleep(clock, (-this.#tokens * 1_000) / perSecond, this.#ending.signal);
  }

  async #write(known: Known, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const { count, lastWallMs, name } = known;
    const namespace = namespaceOf(known.regarding);
    const isNew = known.writtenMs === undefined;
    known.writtenMs = clock.nowMs();
    // A new Event may already be a series, if it occurred again while it was queued.
    const series = count > 1 ? { series: { count, lastObservedTime: microTime(lastWallMs) } } : {};
    const { is } = isNew
      ? await client.create(
          events,
          namespace,
          { ...bodyOf(known, this.#options.instance), ...series },
          { signal },
        )
      : await client.patch(events, { namespace, name }, series, { signal });
    if (is !== 'done') known.lastMs = -Infinity; // the Event has expired: the next occurrence creates a new one
  }
}

/** Events of cluster-scoped objects belong into `default`: the API server looks for them there. */
const namespaceOf = ({ key }: Regarding): string => key.namespace || 'default';

const bodyOf = ({ regarding, event, name, firstWallMs }: Known, instance: string) => {
  const { key, uid, apiVersion } = regarding;
  const { type, reason, action, note } = event;
  return {
    apiVersion: events.apiVersion,
    kind: events.kind,
    metadata: { namespace: namespaceOf(regarding), name },
    eventTime: microTime(firstWallMs),
    reportingController: 'holdfast.dev/holdfast',
    reportingInstance: instance.slice(0, instanceMax),
    type,
    reason,
    action,
    note,
    regarding: {
      apiVersion,
      kind: key.kind,
      name: key.name,
      uid,
      ...(key.namespace !== '' && { namespace: key.namespace }),
    },
  };
};

/** Cuts the note to the API server's limit, which counts bytes. A character cut in two is dropped. */
export function shortened(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= noteBytesMax) return note;
  const rest = '…';
  const room = noteBytesMax - Buffer.byteLength(rest);
  return `${bytes
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD$/u, '')}${rest}`;
}
