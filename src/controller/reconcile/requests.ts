// The requests that annotations and commands make of an object, and which of them count as answered. PURE.
import type { Status } from '../../core/status/status.ts';
import type { Connection } from '../../core/connection.ts';
import { isSuspended as suspends, type Policy, type PolicyChoice } from '../../core/planning/policy.ts';
import type { DeclaredObject } from '../../core/resource.ts';
import {
  commonRequests,
  requestsMax,
  requestTokenMax,
  type RequestDeclaration,
} from '../../core/source/request.ts';
import type { Declarations } from '../../core/source/source.ts';
import { suspensionOf } from '../../core/suspension.ts';

/**
 * Requests present when an object is first seen, or after its status was lost, count as answered: they may be old.
 * @param own those that the kind knows besides the common ones
 */
export function baseline(
  { requests, unwritten }: DeclaredObject,
  status: Status,
  own: readonly Pick<RequestDeclaration, 'name'>[] = [],
): Status {
  const { pending, conditions, handledRequests } = status;
  const isNew = pending === undefined && conditions.length === 0 && Object.keys(handledRequests).length === 0;
  if (!(isNew || unwritten === true) || Object.keys(requests).length === 0) return status;
  // With more than the status may hold, the object is told that it is wrong, which has to be stored, too. Those that mean
  // something come first: they would look new once the others are removed.
  const known = new Set([...commonRequests, ...own].map(({ name }) => name));
  const stored = Object.entries(requests)
    .filter(([, token]) => token.length <= requestTokenMax)
    .toSorted(([a], [b]) => Number(known.has(b)) - Number(known.has(a)));
  return { ...status, handledRequests: Object.fromEntries(stored.slice(0, requestsMax)) };
}

/** Marks the `reconcile` request as answered, whatever the result of the visit. */
export function answered({ requests }: DeclaredObject, status: Status): Status {
  const { reconcile: token } = requests;
  if (token === undefined || status.handledRequests['reconcile'] === token) return status;
  return { ...status, handledRequests: { ...status.handledRequests, reconcile: token } };
}

export const isSuspended = ({ requests }: DeclaredObject, policy: Policy): boolean =>
  suspends(requests, policy);

type Reading = Pick<Declarations, 'read'>;

/** Whether a person suspended the connection. Then nothing is changed through it. @param connection its keyText */
export function isSuspendedConnection(connection: string, source: Reading): boolean {
  const entry = source.read(connection);
  return entry !== undefined && suspensionOf(entry.object) !== undefined;
}

/** The policies that a connection gives to its objects. @param key keyText of the connection */
export const policiesOf = (key: string, { defaults }: Connection, source: Reading): PolicyChoice =>
  isSuspendedConnection(key, source) ? { ...defaults, suspend: true } : defaults;
