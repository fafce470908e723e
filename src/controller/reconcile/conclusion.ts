// What a visit that ends now comes to, and what is said of an object that is released.
import { blocked } from '../../core/planning/plan.ts';
import type { DeclaredObject } from '../../core/resource.ts';
import { conclude, stanceOf } from '../../core/status/outcome.ts';
import type { Conclusion, Ending, ReconcileOutcome } from '../../core/status/outcome.ts';
import type { Status } from '../../core/status/status.ts';
import type { Ports } from './ports.ts';
import { answered } from './requests.ts';

export const conclusionOf = (
  object: DeclaredObject,
  visit: Pick<ReconcileOutcome, 'ending' | 'status' | 'done' | 'report' | 'absent' | 'failures'>,
  ports: Pick<Ports<never, never>, 'nowMs' | 'wallMs' | 'random'> & {
    readonly kinds: Parameters<typeof stanceOf>[1];
  },
): Conclusion =>
  conclude({
    ...visit,
    status: answered(object, visit.status),
    ...stanceOf(object, ports.kinds),
    nowMs: ports.nowMs(),
    wallMs: ports.wallMs(),
    random: ports.random(),
  });

/** Of an object that is released. Else its last condition would say for ever that it waits for something of ours. */
export const keptBy = (finalizers: readonly string[]): Ending => ({
  is: 'blocked',
  plan: blocked(
    'DeletionBlocked',
    `all is done here; kept by the finalizer of another controller: ${finalizers.join(', ')}`,
    { on: 'object' },
  ),
});

export function withoutPending(status: Status): Status {
  const { pending: _, ...rest } = status;
  return rest;
}
