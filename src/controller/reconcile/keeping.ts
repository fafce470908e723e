// Keeps an object from being forgotten while others need it.
import type { Policy } from '../../core/planning/policy.ts';
import type { Handle } from '../../core/source/source.ts';
import type { Status } from '../../core/status/status.ts';

/**
 * Restores a finalizer removed by hand, and holds a connection, which must outlast the objects that need it. What is only
 * observed is protected before its status says that it is there: nothing can be made with it earlier.
 */
export async function keep(
  handle: Pick<Handle, 'object' | 'hold' | 'protect'>,
  { externalRef }: Pick<Status, 'externalRef'>,
  { management }: Pick<Policy, 'management'>,
  isConnection: boolean,
): Promise<void> {
  const { held, deleting } = handle.object;
  if (held || deleting) return;
  if (isConnection || externalRef) await handle.hold();
  else if (management === 'ObserveOnly') await handle.protect();
}
