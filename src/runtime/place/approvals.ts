// Approves deletions by their digest. It reads what waits from the statuses, so it works for a running operator, for a
// state file and for a cluster.
import { oneLine } from '../../api/http/request.ts';
import { UsageError } from '../../core/errors.ts';
import type { Entry } from '../../core/source/source.ts';

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
    .map(([other, count]) => `${oneLine(other)} (${count === 1 ? '1 object' : `${count} objects`})`)
    .join(', ');
  const instead = others === '' ? 'nothing waits for approval' : `waiting: ${others}`;
  throw new UsageError(`nothing waits under ${digest}; ${instead}`);
}
