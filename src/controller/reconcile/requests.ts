// The requests that annotations and commands make of an object, and which of them count as answered. PURE.
import type { Status } from '../../core/status/status.ts';
import { isSuspended as suspends, type Policy } from '../../core/planning/policy.ts';
import type { DeclaredObject } from '../../core/resource.ts';

/** Requests present when an object is first seen, or after its status was lost, count as answered: they may be old. */
export function baseline({ requests }: DeclaredObject, status: Status): Status {
  const { pending, conditions, handledRequests } = status;
  const isNew = pending === undefined && conditions.length === 0 && Object.keys(handledRequests).length === 0;
  return isNew && Object.keys(requests).length > 0 ? { ...status, handledRequests: requests } : status;
}

/** Marks the `reconcile` request as answered, whatever the result of the visit. */
export function answered({ requests }: DeclaredObject, status: Status): Status {
  const { reconcile: token } = requests;
  if (token === undefined || status.handledRequests['reconcile'] === token) return status;
  return { ...status, handledRequests: { ...status.handledRequests, reconcile: token } };
}

export const isSuspended = ({ requests }: DeclaredObject, policy: Policy): boolean =>
  suspends(requests, policy);
