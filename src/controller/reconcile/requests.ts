// What was asked of an object besides its spec, and what of it counts as heard. PURE.
import type { Status } from '../../core/status/status.ts';
import { isSuspended as suspends, type Policy } from '../../core/planning/policy.ts';
import type { DeclaredObject } from '../../core/resource.ts';

/** Requests that are there when an object is seen for the first time, or after its status was lost, count as answered. */
export function baseline({ requests }: DeclaredObject, status: Status): Status {
  const { pending, conditions, handledRequests } = status;
  const isNew = pending === undefined && conditions.length === 0 && Object.keys(handledRequests).length === 0;
  return isNew && Object.keys(requests).length > 0 ? { ...status, handledRequests: requests } : status;
}

/** The request to look again has been heard, whatever came of it. */
export function answered({ requests }: DeclaredObject, status: Status): Status {
  const { reconcile: token } = requests;
  if (token === undefined || status.handledRequests['reconcile'] === token) return status;
  return { ...status, handledRequests: { ...status.handledRequests, reconcile: token } };
}

/** By the spec, or by a command laid over it. */
export const isSuspended = ({ requests }: DeclaredObject, policy: Policy): boolean =>
  suspends(requests, policy);
