// Conditions as `metav1.Condition` and kstatus have them. Messages are deterministic and hold no timestamps.

import type { Condition } from './status.ts';

export type ConditionStatus = Condition['status'];

/** A condition as it is stated, before it is merged with what was there. */
export type Stated = Pick<Condition, 'type' | 'status' | 'reason' | 'message'> & {
  /** Of the generation that it speaks of, where that is not the present one. */
  readonly observedGeneration?: number;
};

const messageMax = 1024;

/**
 * Merges what is stated now into what was there. Types that are not stated are dropped, so what no longer
 * applies does not linger.
 */
export function mergeConditions(
  before: readonly Condition[],
  stated: readonly Stated[],
  generation: number,
  now: string,
): readonly Condition[] {
  return stated.map((s) => {
    const old = before.find((c) => c.type === s.type);
    return {
      ...s,
      message: s.message.slice(0, messageMax),
      observedGeneration: s.observedGeneration ?? generation,
      lastTransitionTime: old && old.status === s.status ? old.lastTransitionTime : now,
    };
  });
}

export const conditionOf = (conditions: readonly Condition[], type: string): Condition | undefined =>
  conditions.find((c) => c.type === type);

export const isTrue = (conditions: readonly Condition[], type: string): boolean =>
  conditionOf(conditions, type)?.status === 'True';

/** The same, but Ready, where it was True, is not any more. @param now RFC 3339 */
export const notReady = (
  conditions: readonly Condition[],
  why: Pick<Condition, 'reason' | 'message'>,
  now: string,
): readonly Condition[] =>
  conditions.map((c) =>
    c.type === 'Ready' && c.status === 'True'
      ? { ...c, ...why, status: 'False', lastTransitionTime: now }
      : c,
  );
