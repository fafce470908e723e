// What a login or a renewal grants, as far as a session uses it.
import { ApiError } from '../../core/errors.ts';
import { Secret } from '../../core/secret.ts';
import { canBeSent } from '../request.ts';
import type { Grant } from './wire.ts';

export interface Lease {
  readonly token: Secret;
  /** From a login of this session. */
  readonly own: boolean;
  readonly renewable: boolean;
  /** 0: never expires, or unknown. */
  readonly seconds: number;
  /** Milliseconds since 1970; absent for 0 seconds. */
  readonly expiresAtMs?: number;
}

/** A year: longer leases are renewed nonetheless. */
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
