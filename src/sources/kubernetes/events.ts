// Events (events.k8s.io/v1), for people who ask `kubectl describe`. They are a courtesy: what can't be written is lost, and
// nothing waits for them. How many there are is bounded in every direction.
import { randomBytes } from 'node:crypto';
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { events, microTime } from '../../api/kubernetes/resources.ts';
import { sleep, type Clock, type WallClock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Key } from '../../core/resource.ts';

export interface Regarding {
  readonly key: Key;
  readonly uid: string;
  readonly apiVersion: string;
}

export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  /** Of a condition, or in its manner: upper camel case. */
  readonly reason: string;
  /** What Holdfast did, or tried: upper camel case. */
  readonly action: string;
  /** For people. Without secrets, and without what differs each time. */
  readonly note: string;
}

export interface RecorderOptions {
  readonly client: Pick<KubernetesClient, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly wallMs: WallClock['wallMs'];
  /** Which replica says it. */
  readonly instance: string;
  /** Told once when events can't be written, and once when they can again. */
  readonly trouble: (message: string | undefined) => void;
}

/** An event that was recorded, or will be. */
interface Known {
  readonly regarding: Regarding;
  readonly event: ObjectEvent;
  readonly name: string;
  readonly firstWallMs: number;
  count: number;
  lastWallMs: number;
  lastMs: number;
  /** When it was written last; `undefined`: never. */
  writtenMs: number | undefined;
}

/** The same within this time is one event, with a count. */
const seriesMs = 10 * 60_000;
/** A count is written no more often. */
const countMs = 60_000;
const knownMax = 4_000;
const waitingMax = 1_000;
const perSecond = 10;
const burst = 100;
const noteBytesMax = 1_024;
const instanceMax = 128;
/** Of the name of the object, in that of the event. */
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

  /** Returns at once, and never throws. */
  record(regarding: Regarding, event: ObjectEvent): void {
    const nowMs = this.#options.clock.nowMs();
    const { type, reason, action } = event;
    const note = shortened(event.note);
    const id = JSON.stringify([regarding.uid, type, reason, action, note]);
    const before = this.#known.get(id);
    this.#known.delete(id); // the one that was used last is the last
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

  /** What is not written by then is lost. */
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
    // The series is part of a new event, too: it may have happened again while it waited.
    const series = count > 1 ? { series: { count, lastObservedTime: microTime(lastWallMs) } } : {};
    const { is } = isNew
      ? await client.create(
          events,
          namespace,
          { ...bodyOf(known, this.#options.instance), ...series },
          { signal },
        )
      : await client.patch(events, { namespace, name }, series, { signal });
    if (is !== 'done') known.lastMs = -Infinity; // it has expired: the next is a new one
  }
}

/** Those of a cluster-scoped object are where the API server looks for them. */
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

/** The API server counts bytes. A character that was cut in two is left away. */
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
