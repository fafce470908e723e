// Which of several processes acts: the one that holds a Lease. The API server decides by resource versions who holds it.
// That the holder stops in time is up to the holder, by its own monotonic clock (docs/decisions/0020-lease-and-fencing.md).
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { leases, microTime, type KubernetesObject, type ObjectName } from '../../api/kubernetes/resources.ts';
import { sleep, type Clock, type WallClock } from '../../core/clock.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import { canonical } from '../../core/hash.ts';
import { isRecord } from '../../core/json.ts';
import type { Json, Sealed } from '../../core/secret.ts';

interface Times {
  /** Others take the lease over when it was not renewed for this long. */
  readonly durationMs: number;
  /** The holder stops acting when it could not renew the lease for this long. */
  readonly renewMs: number;
  readonly retryMs: number;
}

export interface LeaseOptions {
  /** With a gate of its own that has no fence: who does not lead has to write the lease. */
  readonly client: Pick<KubernetesClient, 'get' | 'create' | 'replace'>;
  readonly at: ObjectName;
  /** Of this process alone, and no process before it: a pod may run twice for a moment. */
  readonly identity: string;
  readonly clock: Clock;
  /** Others read the times; nobody here decides by them. */
  readonly wallMs: WallClock['wallMs'];
  readonly random: () => number;
  readonly onChange: (leading: boolean) => void;
  /** Told once when the lease can't be read or written, and once when it can again. */
  readonly trouble: (message: string | undefined) => void;
  /** Default: as client-go. */
  readonly times?: Times;
}

/** What was sent before the holder's deadline has 5 s to take effect before another acts. */
const clientGo: Times = { durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };
const releaseTries = 3;

export class Lease {
  readonly #options: LeaseOptions;
  readonly #times: Times;
  readonly #ending = new AbortController();
  #ended: Promise<void> | undefined;
  /** Until then nobody else takes the lease over. */
  #untilMs = -Infinity;
  #told = false;
  /** As this process wrote it last, if nothing is known to have happened to it since. */
  #mine: KubernetesObject | undefined;
  /** What another holder wrote last, and until when that counts. */
  #theirs: { readonly text: string; readonly untilMs: number } | undefined;
  #trouble: string | undefined;
  #writes = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#times = options.times ?? clientGo;
  }

  start(): void {
    this.#ended ??= this.#run();
  }

  /** @param isFree nothing of this process is on its way: it is given back. Else it runs out, which gives that time to arrive */
  async stop(isFree = true): Promise<void> {
    this.#ending.abort(new Error('stopped'));
    await this.#ended;
    this.#lose();
    const { signal } = new AbortController();
    if (this.#ended && isFree)
      await this.#within(this.#requestMs(), signal, (ending) => this.#release(ending));
  }

  get leading(): boolean {
    return this.#options.clock.nowMs() < this.#untilMs;
  }

  /** Asks the clock and no timer: after a stall of the process, timers are late. @throws ApiError `NotLeading` */
  fence(): void {
    if (this.leading) return;
    const { namespace, name } = this.#options.at;
    const why = this.#trouble === undefined ? '' : `: ${this.#trouble}`;
    throw new ApiError(
      'unavailable',
      'NotLeading',
      `this process does not hold the Lease ${namespace}/${name}${why}`,
    );
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal: ending } = this.#ending;
    while (!ending.aborted) {
      await this.#within(this.#requestMs(), ending, (signal) => this.#takeOrRenew(signal));
      this.#tell();
      if (!ending.aborted) await sleep(clock, this.#pauseMs(), ending);
      this.#tell();
    }
  }

  /** Leaves time for a second attempt, and none after the deadline. */
  #requestMs(): number {
    const leftMs = this.#untilMs - this.#options.clock.nowMs();
    const requestMs = this.#times.renewMs / 2;
    return leftMs > 0 ? Math.min(leftMs, requestMs) : requestMs;
  }

  #pauseMs(): number {
    const { clock, random } = this.#options;
    const { retryMs } = this.#times;
    const nowMs = clock.nowMs();
    if (this.leading) return Math.min(retryMs, this.#untilMs - nowMs);
    const leftMs = (this.#theirs?.untilMs ?? nowMs) - nowMs;
    const pauseMs = retryMs * (1 + random()) * 0.5;
    return leftMs > 0 ? Math.min(leftMs, pauseMs) : pauseMs;
  }

  async #takeOrRenew(signal: AbortSignal): Promise<void> {
    const mine = this.#mine;
    this.#mine = undefined; // unless this write says what it is now
    if (mine && (await this.#write(mine, signal))) return;
    const { client, at } = this.#options;
    const found = await client.get(leases, at, signal);
    const isFree = this.#isFree(found);
    if (!isFree || !found) this.#lose(); // where there is no Lease, another may make one, and act
    if (isFree) await this.#write(found, signal);
  }

  /** Judges by when a change was seen here, never by the times of another machine. */
  #isFree(found: KubernetesObject | undefined): boolean {
    const { clock, identity } = this.#options;
    const spec = specOf(found);
    const holder = spec['holderIdentity'] ?? '';
    if (found && (holder === '' || holder === identity)) {
      this.#theirs = undefined;
      return true;
    }
    if (!found && !this.#theirs) return true;
    // Its holder may not know yet that the Lease was deleted.
    const text = found ? canonical(spec) : 'deleted';
    const nowMs = clock.nowMs();
    if (this.#theirs?.text !== text) this.#theirs = { text, untilMs: nowMs + this.#durationMs(spec) };
    return nowMs >= this.#theirs.untilMs;
  }

  #durationMs({ leaseDurationSeconds: seconds }: Spec): number {
    return typeof seconds === 'number' ? seconds * 1_000 : this.#times.durationMs;
  }

  /** @returns false: somebody else was first */
  async #write(found: KubernetesObject | undefined, signal: AbortSignal): Promise<boolean> {
    const { client, at, clock } = this.#options;
    const sentMs = clock.nowMs(); // others may count from any moment after this
    const body = this.#held(found);
    const written = found
      ? await client.replace(leases, at, body, { signal })
      : await client.create(leases, at.namespace, body, { signal });
    if (written.is !== 'done' || signal.aborted) return false;
    this.#mine = written.object;
    this.#theirs = undefined;
    this.#untilMs = sentMs + this.#times.renewMs;
    return true;
  }

  #held(found: KubernetesObject | undefined): Sealed {
    const { at, identity } = this.#options;
    const spec = specOf(found);
    const now = this.#now();
    const transitions = Number(spec['leaseTransitions'] ?? 0);
    const isTaken = spec['holderIdentity'] !== identity;
    return bodyOf(found, at, {
      ...spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#times.durationMs / 1_000),
      renewTime: now,
      ...(isTaken && { acquireTime: now, leaseTransitions: found ? transitions + 1 : 0 }),
    });
  }

  async #release(signal: AbortSignal): Promise<void> {
    const { client, at, identity } = this.#options;
    for (let turn = 0; turn < releaseTries; turn++) {
      const found = await client.get(leases, at, signal);
      const spec = specOf(found);
      if (!found || spec['holderIdentity'] !== identity) return;
      const now = this.#now();
      const free = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
      const body = bodyOf(found, at, { ...spec, ...free });
      if ((await client.replace(leases, at, body, { signal })).is !== 'conflict') return;
    }
  }

  #lose(): void {
    this.#untilMs = -Infinity;
    this.#tell();
  }

  #tell(): void {
    const { leading } = this;
    if (leading === this.#told) return;
    this.#told = leading;
    this.#options.onChange(leading);
  }

  /** Ends in time whatever hangs, a login included. What went wrong is told. */
  async #within(ms: number, ending: AbortSignal, act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const over = new AbortController();
    const end = () => over.abort(ending.reason);
    const late = () => over.abort(new DOMException('no answer in time', 'TimeoutError'));
    const { promise, reject } = Promise.withResolvers<never>();
    over.signal.addEventListener('abort', () => reject(over.signal.reason), { once: true });
    ending.addEventListener('abort', end, { once: true });
    const cancel = this.#options.clock.setTimer(ms, late);
    try {
      await Promise.race([act(over.signal), promise]);
      this.#note(undefined);
    } catch (error) {
      if (!ending.aborted) this.#note(messageOf(error));
    } finally {
      cancel();
      ending.removeEventListener('abort', end);
    }
  }

  #note(trouble: string | undefined): void {
    const isNew = (trouble === undefined) !== (this.#trouble === undefined);
    this.#trouble = trouble;
    if (isNew) this.#options.trouble(trouble);
  }

  /**
   * No two in a row are the same, also where the date stands still: a write that changes nothing gets no new resource
   * version, and is no renewal to others.
   */
  #now(): string {
    this.#writes = (this.#writes + 1) % 1_000;
    return microTime(this.#options.wallMs(), this.#writes);
  }
}

type Spec = Readonly<Record<string, Json>>;

const specOf = (lease: KubernetesObject | undefined): Spec => {
  const spec = lease?.['spec'];
  return isRecord(spec) ? spec : {};
};

/** Whatever else others have written there stays. */
const bodyOf = (
  found: KubernetesObject | undefined,
  { namespace, name }: ObjectName,
  spec: Spec,
): Sealed => ({
  apiVersion: leases.apiVersion,
  kind: leases.kind,
  metadata: found ? { ...found.metadata } : { namespace, name },
  spec,
});
