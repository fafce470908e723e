// Approves deletions by their digest. It reads what waits from the statuses, so it works for a running operator, for a
// state file and for a cluster.
import { oneLine } from '../../api/http/request.ts';
import { UsageError } from '../../core/errors.ts';
import { isExpiry } from '../../core/planning/deletion-limits.ts';
import type { Entry } from '../../core/source/source.ts';
import { counted } from '../../core/text/count.ts';

/** An object whose deletion or replacement is approved, or, if it `expires`, what it lets expire. */
export interface Approved {
  readonly key: string;
  readonly expires: boolean;
}

/** @throws UsageError if nothing waits under it */
export async function approveIn(
  state: { readonly rows: ReadonlyMap<string, Pick<Entry, 'status'>> },
  digest: string,
  approve: (digest: string) => Promise<readonly string[]>,
): Promise<readonly Approved[]> {
  const expiring = new Set<string>();
  for (const [key, { status }] of state.rows)
    if (status.awaits?.digest === digest && isExpiry(status.awaits.id)) expiring.add(key);
  const keys = await approve(digest);
  if (keys.length > 0) return keys.map((key) => ({ key, expires: expiring.has(key) }));
  const waiting = new Map<string, number>();
  for (const { status } of state.rows.values()) {
    if (status.awaits) waiting.set(status.awaits.digest, (waiting.get(status.awaits.digest) ?? 0) + 1);
  }
  const others = [...waiting]
    .map(([other, count]) => `${oneLine(other)} (${counted(count, 'object')})`)
    .join(', ');
  if (others === '') throw new UsageError(`${digest}: nothing waits for approval`);
  throw new UsageError(`${digest}: nothing waits for approval under this digest; waiting: ${others}`);
}
