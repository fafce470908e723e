// After a restart, an object that was recorded in sync is in sync if a list still shows the recorded version: it need not be
// read. It is read after its drift interval, so a list that misleads costs latency only; and nothing is destroyed without
// a read of its own (destruction.ts).
import { isTrue } from '../../core/status/condition.ts';
import type { Policy } from '../../core/planning/policy.ts';
import { refText, type DeclaredObject } from '../../core/resource.ts';
import type { Opened } from '../../core/kind/sealed-kind.ts';
import type { Entry } from '../../core/source/source.ts';
import type { Ending } from '../../core/status/outcome.ts';
import type { Status } from '../../core/status/status.ts';
import type { Subject } from './decision.ts';
import type { Ports } from './ports.ts';
import type { Preconditions } from './preconditions.ts';
import { isSuspended } from './requests.ts';

/** Whether the status says that nothing was left to do, and nothing was requested since. */
function isAtRest({ generation, requests }: DeclaredObject, status: Status): boolean {
  const { conditions, observedGeneration, handledRequests, tries, drift, pending, awaits, refusal } = status;
  return (
    observedGeneration === generation &&
    [drift, pending, awaits, refusal].every((one) => one === undefined) &&
    Object.keys(tries).length === 0 &&
    isTrue(conditions, 'Ready') &&
    isTrue(conditions, 'Synced') &&
    !isTrue(conditions, 'Reconciling') &&
    !isTrue(conditions, 'Stalled') &&
    Object.entries(requests).every(([name, token]) => handledRequests[name] === token)
  );
}

const isTrusted = ({ deleting, held, doubt, heldBack }: DeclaredObject): boolean =>
  held && !deleting && doubt === undefined && heldBack === undefined;

/** Whether the plan depends on nothing but the declaration and the external object: no Secret, no other object, no output. */
const isAlone = <E, Reader>(
  { references, output }: Opened<E, Reader>,
  connectionField: string | undefined,
): boolean => output === undefined && references.every(({ field }) => field === connectionField);

/** Spread over the second half of the interval, so that a restart does not read everything at once. */
const rereadMs = ({ drift }: Policy, random: number): number =>
  Math.round(drift.intervalMs * (0.5 + 0.5 * random));

/** @returns how the visit ends; `undefined`: the object has to be read */
export function resume<E, Reader>(
  subject: Subject,
  { status: stored }: Entry,
  { opened, used, resolved, connection, inherits }: Preconditions<E, Reader>,
  { kinds, listed, onObserved, random }: Pick<Ports<E, Reader>, 'kinds' | 'listed' | 'onObserved' | 'random'>,
): Ending | undefined {
  const { key, object, status } = subject;
  const { externalRef, observedVersion } = status;
  if (!listed || inherits || status !== stored) return undefined;
  if (observedVersion === undefined || externalRef === undefined) return undefined;
  if (!isTrusted(object) || !isAtRest(object, status) || isSuspended(object, opened.policy)) return undefined;
  if (!isAlone(opened, kinds.get(object.key.kind)?.connectionField)) return undefined;
  // Recorded at another backend or in another namespace, it is for the plan to say so.
  if (refText(opened.locate(used.connection, resolved)) !== refText(externalRef)) return undefined;
  const external = opened.external(externalRef);
  const found = listed(key, connection, external);
  if (found === 'pending') return { is: 'parked', message: 'not listed yet', early: true, listing: true };
  if (found?.version !== observedVersion) return undefined;
  onObserved?.(external, found.index);
  return { is: 'rest', plan: { verdict: 'in-sync', drift: [] }, rereadMs: rereadMs(opened.policy, random()) };
}
