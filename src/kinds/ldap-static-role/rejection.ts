// LDAPStaticRole: when a bind is tried again after the directory rejected a password. A directory locks an account after some
// binds with a wrong password, whichever process sends them, so what it rejected is recorded. PURE.
import { triesMax } from '../../core/planning/policy.ts';
import type { Own, Rejected } from './own.ts';

/**
 * The waits after the first rejection, the second and each later one. A directory that replicates has the new password after
 * some seconds. It locks an account after five rejections or more within some minutes, as most are set up.
 */
const waitsMs = [5_000, 30_000, 300_000];

const counted = (before = 0): number => Math.min(before + 1, triesMax);

/** How often the directory rejected the password of this rotation, as far as that matters. */
export const rejections = ({ rejected }: Own, instant: string): number =>
  rejected?.instant === instant ? rejected.times : 0;

export const afterRejection = (own: Own, instant: string, wallMs: number): Rejected => ({
  instant,
  times: counted(rejections(own, instant)),
  inRow: counted(own.rejected?.inRow),
  wallMs,
});

/**
 * Milliseconds until the next bind. A rejection in the future shows that the machine's date was set back: then it is due.
 * @param isBefore of an earlier rotation than the published one: it is tried a few times in all, and a directory that is restored
 * as well takes minutes, so each wait is the longest
 */
export function untilBindMs({ rejected }: Own, wallMs: number, isBefore: boolean): number {
  if (!rejected || rejected.wallMs > wallMs) return 0;
  const waitMs = waitsMs[isBefore ? waitsMs.length - 1 : rejected.inRow - 1] ?? 0;
  return Math.max(0, rejected.wallMs + waitMs - wallMs);
}
