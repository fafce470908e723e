// Approves deletions by their digest. It reads what waits from the statuses, so it works for a running operator, for a
// state file and for a cluster.
import { oneLine } from '../../api/http/request.ts';
import { UsageError } from '../../core/errors.ts';
import type { Entry } from '../../core/source/source.ts';
import { counted } from '../../core/text/count.ts';

/**
 * @returns keys of the objects concerned
 * @throws UsageError if nothing waits under it
 */
export async function approveIn(
  state: { readonly rows: ReadonlyMap<string, Pick<Entry, 'status'>> },
  digest: string,
  approve: (digest: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const keys = await approve(digest);
  if (keys.length > 0) return keys;
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
