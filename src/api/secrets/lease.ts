// What a session uses of the answer to a login, a lookup or a renewal.
import { ApiError } from '../../core/errors.ts';
import { Secret } from '../../core/secret.ts';
import { canBeSent } from '../http/request.ts';
import type { Grant } from './wire.ts';

export interface Lease {
  readonly token: Secret;
  /** Whether a login of this session granted the token. */
  readonly own: boolean;
  readonly renewable: boolean;
  /** 0: never expires, or unknown. */
  readonly seconds: number;
  /** By the monotonic clock (Clock.nowMs); absent for 0 seconds. */
  readonly expiresAtMs?: number;
}

/** A year: longer leases are renewed as if they lasted a year. */
const secondsMax = 31_536_000;

export function leaseOf(
  {
    token,
    own,
    seconds,
    renewable,
  }: Pick<Lease, 'token' | 'own'> & {
    readonly seconds: unknown;
    readonly renewable: unknown;
  },
  nowMs: number,
): Lease {
  const bounded = typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, secondsMax) : 0;
  return {
    token,
    own,
    renewable: renewable === true,
    seconds: bounded,
    ...(bounded > 0 && { expiresAtMs: nowMs + bounded * 1000 }),
  };
}

/** @throws ApiError if no token was granted */
export function granted(grant: Partial<Grant>, op: string) {
  const { client_token: token, lease_duration: seconds, renewable } = grant;
  if (token instanceof Secret && canBeSent(token) && typeof seconds === 'number')
    return { token, seconds, renewable };
  throw new ApiError('unreadable', 'InvalidResponse', `${op}: the answer grants no token`);
}
