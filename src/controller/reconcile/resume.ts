// After a restart, an object that was recorded in sync is in sync if a list still shows the recorded version: it need not be
// read. It is read after its drift interval, so a list that misleads costs latency only; and nothing is destroyed without
// a read of its own (destruction.ts).
import { isTrue } from '../../core/status/condition.ts';
import type { Policy } from '../../core/planning/policy.ts';
import { refText, type DeclaredObject, type Listed } from '../../core/resource.ts';
import type { Opened } from '../../core/kind/opened.ts';
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

/** An object that a list shows as it was recorded. */
type AsRecorded = Exclude<Listed, 'pending'>;

/**
 * Looks an object that was recorded at rest up in the list. It comes before the preconditions, which cost more than all else
 * of such a visit: an object that can only wait, for its connection or for its page, needs none.
 * @returns how the visit ends, or what the list shows; `undefined`: the object has to be read
 */
export function lookUp<E, Reader>(
  { key, object, status }: Subject,
  { status: stored }: Entry,
  { kinds, listed, graph, connections }: Pick<Ports<E, Reader>, 'kinds' | 'listed' | 'graph' | 'connections'>,
): Ending | AsRecorded | undefined {
  const { externalRef, observedVersion } = status;
  if (!listed || status !== stored || observedVersion === undefined || externalRef === undefined)
    return undefined;
  if (object.problem || !isTrusted(object) || !isAtRest(object, status)) return undefined;
  const kind = kinds.get(object.key.kind);
  const connection = graph.get(key)?.connection;
  if (!kind || connection === undefined) return undefined;
  const used = connections.get(connection);
  if ('early' in used) return used.early ? { is: 'parked', message: used.message, early: true } : undefined;
  const found = listed(key, connection, kind.external(externalRef));
  if (found !== 'pending') return found?.version === observedVersion ? found : undefined;
  const opened = kind.open(object, used.connection.defaults);
  if (!isAlone(opened, kind.connectionField) || isSuspended(object, opened.policy)) return undefined;
  return { is: 'parked', message: 'not listed yet', early: true, listing: true };
}

/** @returns how the visit ends; `undefined`: the object has to be read */
export function resume<E, Reader>(
  { object, status: { externalRef } }: Subject,
  found: AsRecorded,
  { opened, used, resolved, inherits }: Preconditions<E, Reader>,
  { kinds, onObserved, random }: Pick<Ports<E, Reader>, 'kinds' | 'onObserved' | 'random'>,
): Ending | undefined {
  if (inherits || externalRef === undefined || isSuspended(object, opened.policy)) return undefined;
  if (!isAlone(opened, kinds.get(object.key.kind)?.connectionField)) return undefined;
  // Recorded at another backend or in another namespace, it is for the plan to say so.
  if (refText(opened.locate(used.connection, resolved)) !== refText(externalRef)) return undefined;
  onObserved?.(opened.external(externalRef), found.index);
  return { is: 'rest', plan: { verdict: 'in-sync', drift: [] }, rereadMs: rereadMs(opened.policy, random()) };
}
