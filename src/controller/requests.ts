// What was asked of an object besides its spec, and what of it counts as heard. PURE.
import type { Policy } from '../core/policy.ts';
import type { Memory, Stored } from '../core/resource.ts';
import type { Json } from '../core/secret.ts';

/** Requests that are there when an object is seen for the first time, or after its memory was lost, count as answered. */
export function baseline({ requests }: Stored, memory: Memory<Json>): Memory<Json> {
  const { pending, conditions, handled } = memory;
  const isNew = pending === undefined && conditions.length === 0 && Object.keys(handled).length === 0;
  return isNew && Object.keys(requests).length > 0 ? { ...memory, handled: requests } : memory;
}

/** The request to look again has been heard, whatever came of it. */
export function answered({ requests }: Stored, memory: Memory<Json>): Memory<Json> {
  const { reconcile: token } = requests;
  if (token === undefined || memory.handled['reconcile'] === token) return memory;
  return { ...memory, handled: { ...memory.handled, reconcile: token } };
}

/** By the spec, or by a command laid over it. */
export const isSuspended = ({ requests }: Stored, policy: Policy): boolean =>
  policy.suspend || requests['suspend'] === 'true';
