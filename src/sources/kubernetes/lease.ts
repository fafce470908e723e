// Elects the one process that may act, by a Lease. The API server decides by resource versions which process holds it.
// The holder itself stops in time, by its own monotonic clock (docs/decisions/0020-lease-and-fencing.md).
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { leases, microTime, type KubernetesObject, type ObjectName } from '../../api/kubernetes/resources.ts';
import { sleep, type Clock, type WallClock } from '../../core/time/clock.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import { canonical } from '../../core/hash.ts';
import { isRecord } from '../../core/json.ts';
import type { Json, Sealed } from '../../core/secret.ts';
import { isNewer } from './wire.ts';

interface Times {
  /** Other processes take over a lease that was not renewed for this long. */
  readonly durationMs: number;
  /** The holder stops acting when it could not renew the lease for this long. */
  readonly renewMs: number;
  readonly retryMs: number;
}

export interface LeaseOptions {
  /** Passes a gate of its own without the fence: a process that does not lead must be able to write the lease. */
  readonly client: Pick<KubernetesClient, 'get' | 'create' | 'replace'>;
  readonly at: ObjectName;
  /** Unique to this process, even among earlier processes of the pod: a pod may run twice for a moment. */
  readonly identity: string;
  readonly clock: Clock;
  /** For the times in the Lease, which are for readers. This process makes no decision by them. */
  readonly wallMs: WallClock['wallMs'];
  readonly random: () => number;
  readonly onChange: (leading: boolean) => void;
  /** Called once when the lease can't be read or written (with the reason), and once when it can again (`undefined`). */
  readonly trouble: (message: string | undefined) => void;
  /** Called when the Lease is older than it was: etcd was put back to an earlier state, and all that is known is of a later one. */
  readonly onRestored?: (message: string) => void;
  /** Default: the values of client-go. */
  readonly times?: Times;
}

/** A request that the holder sent before its deadline has 5 s to take effect before another process acts. */
const clientGo: Times = { durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };
const releaseTries = 3;

export class Lease {
  readonly #options: LeaseOptions;
  readonly #times: Times;
  readonly #ending = new AbortController();
  #ended: Promise<void> | undefined;
  /** This process may act until this monotonic time. No other process takes the lease over before. */
  #untilMs = -Infinity;
  #term = 0;
  #announced = false;
  /** The Lease as this process wrote it last; `undefined` once another writer may have changed it. */
  #mine: KubernetesObject | undefined;
  /** The Lease as another holder wrote it last, and the monotonic time until which that is valid. */
  #theirs: { readonly text: string; readonly untilMs: number } | undefined;
  #trouble: string | undefined;
  /** The newest version of the Lease that was seen. */
  #newest = '0';
  #writes = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#times = options.times ?? clientGo;
  }

  start(): void {
    this.#ended ??= this.#run();
  }

  /**
   * @param isFree no request of this process is in flight, so the lease is released. Otherwise the lease expires, which
   * gives those requests time to arrive
   */
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

  /**
   * Reads the clock instead of relying on a timer: timers are late after the process stalled.
   * @returns the term: it is another once another process may have acted
   * @throws ApiError `NotLeading`
   */
  fence(): number {
    if (this.leading) return this.#term;
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

  /** Milliseconds for one request: leaves time for a second attempt, and none after the deadline. */
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
    this.#mine = undefined; // set again by a successful write
    if (mine && (await this.#write(mine, signal))) return;
    const { client, at, identity } = this.#options;
    const found = await client.get(leases, at, signal);
    if (found) this.#saw(found);
    const isFree = this.#isFree(found);
    // Another process may have acted meanwhile, also if it has given the Lease back, or if there is none.
    if (specOf(found)['holderIdentity'] !== identity) this.#lose();
    if (isFree) await this.#write(found, signal);
  }

  /** Measures from the moment this process saw a change. The times of other machines are never trusted. */
  #isFree(found: KubernetesObject | undefined): boolean {
    const { clock, identity } = this.#options;
    const spec = specOf(found);
    const holder = spec['holderIdentity'] ?? '';
    if (found && (holder === '' || holder === identity)) {
      this.#theirs = undefined;
      return true;
    }
    if (!found && !this.#theirs) return true;
    // A deleted Lease stays taken for its duration: its holder may not know yet.
    const text = found ? canonical(spec) : 'deleted';
    const nowMs = clock.nowMs();
    if (this.#theirs?.text !== text) this.#theirs = { text, untilMs: nowMs + this.#durationMs(spec) };
    return nowMs >= this.#theirs.untilMs;
  }

  #durationMs({ leaseDurationSeconds: seconds }: Spec): number {
    return typeof seconds === 'number' ? seconds * 1_000 : this.#times.durationMs;
  }

  /** @returns false: another process wrote first */
  async #write(found: KubernetesObject | undefined, signal: AbortSignal): Promise<boolean> {
    const { client, at, clock } = this.#options;
    const sentMs = clock.nowMs(); // other processes may count from any moment after this
    const body = this.#held(found);
    const written = found
      ? await client.replace(leases, at, body, { signal })
      : await client.create(leases, at.namespace, body, { signal });
    if (written.is !== 'done' || signal.aborted) return false;
    this.#saw(written.object);
    this.#mine = written.object;
    this.#theirs = undefined;
    this.#untilMs = sentMs + this.#times.renewMs;
    return true;
  }

  /** @throws ApiError when it is older than it was */
  #saw({ metadata: { resourceVersion } }: KubernetesObject): void {
    const before = this.#newest;
    this.#newest = resourceVersion;
    if (!isNewer(before, resourceVersion)) return;
    this.#lose();
    const message = `the Lease is at version ${resourceVersion}, and was at ${before}: etcd was put back to an earlier state`;
    this.#options.onRestored?.(message);
    throw new ApiError('unavailable', 'ClusterUnavailable', message);
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
    this.#term += 1;
    this.#untilMs = -Infinity;
    this.#tell();
  }

  #tell(): void {
    const { leading } = this;
    if (leading === this.#announced) return;
    this.#announced = leading;
    this.#options.onChange(leading);
  }

  /** Bounds `act` in time, a login that hangs included. Errors are reported, not thrown. */
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
   * Never returns the same time twice in a row, even if the wall clock stands still: a write that changes nothing gets no
   * new resourceVersion, and other processes would not see it as a renewal.
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

/** Keeps everything that other writers have added to the Lease. */
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
