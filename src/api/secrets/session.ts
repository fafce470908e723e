// The session of one client with the secrets service: one login for all calls. It renews its token while it can, logs
// in again when the token is lost, and revokes the token at the end (services.md#tokens-and-leases).
import type { Clock } from '../../core/time/clock.ts';
import type { Auth, RequestToken } from '../../core/connection.ts';
import { ApiError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import type { HttpReply } from '../http/answer.ts';
import type { Call, Calls } from './calls.ts';
import { decode } from './decode.ts';
import { granted, leaseOf, type Lease } from './lease.ts';
import { failedLogin, loginCall, type LoginAuth } from './login.ts';
import { isDenial } from './refusals.ts';

export interface SessionOptions {
  /** Absent: calls are sent without a token. */
  readonly auth: Auth | undefined;
  /** Absent: the connection is not declared in a cluster. */
  readonly requestToken: RequestToken | undefined;
  readonly calls: Calls;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

const deadlineMs = 30_000;
const revokeDeadlineMs = 2_000;
/** For this long after a failed login, all callers get its error: an outage must not cause a storm of logins. */
const holdOffMs = 1_000;
/**
 * Vault and OpenBao lock an AppRole for all who use it after five rejected logins, each within 15 minutes of the one before. So
 * one that was rejected twice in a row is left alone for longer than that.
 */
const rejected = { times: 2, holdOffMs: 16 * 60_000 };
/**
 * If a fresh token may not look itself up, a lookup can't tell a lost token from a missing permission. A denial then
 * causes a login only if the last login is older than this, and each of these waits twice as long: the token of before lives on.
 */
const blindMs = { least: 60_000, most: 480_000 };
const retryMinMs = 1_000;
const timerMaxMs = 2 ** 31 - 1;

export class Session {
  readonly #options: SessionOptions;
  readonly #ended = new AbortController();
  #lease: Lease | undefined;
  /** The `lease_duration` that this login granted, in seconds. */
  #firstSeconds = 0;
  #loginAtMs = -Infinity;
  #beginning: Promise<Lease> | undefined;
  #judging: Promise<Secret | undefined> | undefined;
  #failed: { readonly error: ApiError; readonly untilMs: number } | undefined;
  /** Logins that were rejected in a row. */
  #rejections = 0;
  /** 0: its token may look itself up. */
  #blindMs = 0;
  #cancel: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /**
   * The current token, after a login if there is none; concurrent callers share one login.
   * @param signal ends the wait, not the login
   * @throws ApiError, never with an effect: the caller's call was not sent
   */
  async token(signal: AbortSignal): Promise<Secret | undefined> {
    if (this.#options.auth === undefined) return undefined;
    const lease = this.#lease;
    if (lease && !this.#isOver(lease)) return lease.token;
    return (await shared(this.#begin(), signal)).token;
  }

  /**
   * After a denial with this token: the token to repeat the call with; `undefined` if the token lacks the permission.
   * @throws ApiError if the token is lost and a login fails or is not possible
   */
  async afterDenial(token: Secret, signal: AbortSignal): Promise<Secret | undefined> {
    this.#judging ??= this.#judge(token).finally(() => {
      this.#judging = undefined;
    });
    return shared(this.#judging, signal);
  }

  /** Revokes the token if this session logged in, without waiting long for the service. */
  async close(): Promise<void> {
    this.#ended.abort();
    this.#cancel();
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease?.own !== true) return;
    const { signal } = new AbortController();
    const call = { op: 'token.revoke', params: {}, signal, deadlineMs: revokeDeadlineMs } as const;
    try {
      await this.#options.calls.send(call, lease.token);
    } catch {
      // The token expires by itself.
    }
  }

  #isOver({ own, expiresAtMs }: Lease): boolean {
    return own && expiresAtMs !== undefined && expiresAtMs <= this.#options.clock.nowMs();
  }

  #begin(): Promise<Lease> {
    this.#beginning ??= this.#establish().finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  async #establish(): Promise<Lease> {
    const { auth, clock } = this.#options;
    if (auth === undefined || this.#ended.signal.aborted) throw closed();
    if (this.#failed && clock.nowMs() < this.#failed.untilMs) throw this.#failed.error;
    try {
      const lease = auth.is === 'token' ? await this.#looked(auth.token) : await this.#login(auth);
      this.#failed = undefined;
      this.#rejections = 0;
      this.#loginAtMs = clock.nowMs();
      this.#firstSeconds = lease.seconds;
      this.#keep(lease);
      return lease;
    } catch (error) {
      const without = this.#nothingSent(error);
      const isRejected = auth.is === 'appRole' && without.reason === 'LoginFailed';
      if (isRejected) this.#rejections += 1;
      const isLockedNext = isRejected && this.#rejections >= rejected.times;
      const forMs = isLockedNext ? rejected.holdOffMs : holdOffMs;
      this.#failed = { error: without, untilMs: clock.nowMs() + forMs };
      throw without;
    }
  }

  /** Somebody asks for a login though the last one was rejected. */
  retry(): void {
    this.#failed = undefined;
  }

  /** The lease of a configured token. Its lifetime stays unknown if the token may, or can, not look itself up. */
  async #looked(token: Secret): Promise<Lease> {
    const call = this.#call('token.lookup');
    const reply = await this.#options.calls.ask(call, token);
    if (isDenied(reply) || this.#options.calls.lacks(call, reply))
      return { token, own: false, renewable: false, seconds: 0 };
    if (reply.status !== 200) throw this.#options.calls.refusal(call, reply, token);
    const { ttl, renewable } = decode('token.lookup', 'auth/token', reply.text);
    return leaseOf({ token, own: false, seconds: ttl, renewable }, this.#options.clock.nowMs());
  }

  async #login(auth: LoginAuth): Promise<Lease> {
    const { calls, clock, requestToken } = this.#options;
    const { signal } = this.#ended;
    const call = { ...(await loginCall(auth, requestToken, signal)), signal, deadlineMs };
    const reply = await calls.ask(call, undefined);
    if (reply.status !== 200) throw failedLogin(calls.refusal(call, reply, undefined));
    const grant = granted(decode(call.op, `auth/${auth.mount}/login`, reply.text), call.op);
    return leaseOf({ ...grant, own: true }, clock.nowMs());
  }

  #keep(lease: Lease): void {
    this.#lease = lease;
    this.#cancel();
    if (lease.expiresAtMs === undefined || (!lease.own && !lease.renewable)) return;
    const share = (2 / 3) * (0.9 + 0.1 * this.#options.random());
    this.#wakeIn(Math.max(lease.seconds * 1000 * share, lease.own ? 0 : retryMinMs));
  }

  #wakeIn(ms: number): void {
    this.#cancel();
    if (this.#ended.signal.aborted) return;
    this.#cancel = this.#options.clock.setTimer(Math.min(ms, timerMaxMs), () => void this.#refresh());
  }

  /** Renews the token or logs in again; retries for as long as the lease lasts. Never throws. */
  async #refresh(): Promise<void> {
    const lease = this.#lease;
    if (!lease) return;
    try {
      const isRenewed = lease.renewable && (await this.#renew(lease));
      if (!isRenewed && this.#lease === lease) await this.#begin();
    } catch {
      if (this.#lease !== lease) return;
      const leftMs = (lease.expiresAtMs ?? 0) - this.#options.clock.nowMs();
      if (leftMs > 0) this.#wakeIn(Math.max(leftMs / 3, retryMinMs));
    }
  }

  /**
   * @returns whether the lease continues. A renewal for less than half the first duration means that the lease is about
   * to end (services.md#tokens-and-leases)
   * @throws ApiError for a configured token: no login can replace it
   */
  async #renew(lease: Lease): Promise<boolean> {
    const { calls, clock } = this.#options;
    const call = this.#call('token.renew');
    try {
      const reply = await calls.ask(call, lease.token);
      if (reply.status !== 200) throw calls.refusal(call, reply, lease.token);
      const grant = granted(decode('token.renew', 'auth/token', reply.text), call.op);
      if (this.#lease !== lease) return true; // another login came first
      if (lease.own && grant.seconds < this.#firstSeconds / 2) return false;
      if (grant.seconds <= 0) return true; // the token can't be renewed any more
      this.#keep(leaseOf({ ...grant, token: lease.token, own: lease.own }, clock.nowMs()));
      return true;
    } catch (error) {
      if (lease.own && error instanceof ApiError) return false;
      throw error;
    }
  }

  async #judge(token: Secret): Promise<Secret | undefined> {
    const { auth, clock } = this.#options;
    const isRefused = await this.#isRefused(token);
    if (isRefused === false || (isRefused === 'unknown' && auth?.is === 'token')) return undefined;
    if (auth?.is === 'token') throw this.#lost(token);
    if (this.#lease && this.#lease.token !== token) return this.#lease.token; // another login came first
    if (clock.nowMs() < this.#loginAtMs + this.#blindMs) return undefined;
    const fresh = (await this.#begin()).token;
    const nextMs = Math.min(Math.max(2 * this.#blindMs, blindMs.least), blindMs.most);
    this.#blindMs = (await this.#isRefused(fresh)) === false ? 0 : nextMs;
    return fresh;
  }

  /** Whether the service denies this token its own lookup, which tokens may normally do. Some services have no lookup. */
  async #isRefused(token: Secret): Promise<boolean | 'unknown'> {
    const { calls } = this.#options;
    const call = this.#call('token.lookup');
    try {
      const reply = await calls.ask(call, token);
      if (isDenied(reply)) return true;
      if (reply.status === 200) return false;
      if (calls.lacks(call, reply)) return 'unknown';
      throw calls.refusal(call, reply, token);
    } catch (error) {
      throw this.#nothingSent(error);
    }
  }

  #lost(token: Secret): ApiError {
    const { expiresAtMs } = this.#lease ?? {};
    const isOver = expiresAtMs !== undefined && expiresAtMs <= this.#options.clock.nowMs();
    return isOver
      ? new ApiError('refused', 'TokenExpired', `${token.source}: the token has expired`)
      : new ApiError(
          'refused',
          'InvalidToken',
          `${token.source}: the service does not know this token (any more), or it may not look itself up, which the policy default allows`,
        );
  }

  /** The error as one without an effect: if the session fails, the caller's call is not sent. @throws non-ApiErrors */
  #nothingSent(error: unknown): ApiError {
    if (this.#ended.signal.aborted) return closed();
    if (!(error instanceof ApiError)) throw error;
    const { class: kind, reason, message, status, retryAfterMs, cause } = error;
    return new ApiError(kind, reason, message, {
      ...(status !== undefined && { status }),
      retryAfterMs,
      cause,
    });
  }

  #call(op: 'token.lookup' | 'token.renew'): Call {
    return { op, params: {}, signal: this.#ended.signal, deadlineMs };
  }
}

const isDenied = (reply: HttpReply): boolean => isDenial(reply.status, reply.text);

const closed = () => new ApiError('unavailable', 'Unavailable', 'the session is closed');

function shared<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new ApiError('unavailable', 'Unavailable', 'the caller has gone'));
    const stay = () => signal.removeEventListener('abort', leave);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(stay);
    if (signal.aborted) leave();
  });
}
