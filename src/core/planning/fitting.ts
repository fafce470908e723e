// Identities of external objects, as long as they may be recorded. PURE.
import { shortHash } from '../hash.ts';

/** Characters that the evidence of an intent holds (core/status/status.ts). */
const identityMax = 1_024;

/** What does not fit is told by a hash of the whole. */
export function fitting(identity: string): string {
  if (identity.length <= identityMax) return identity;
  const hash = shortHash(identity);
  return `${identity.slice(0, identityMax - hash.length - 1).toWellFormed()} ${hash}`;
}
