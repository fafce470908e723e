// Conditions as `metav1.Condition` and kstatus have them. Messages are deterministic and hold no timestamps.

import type { ConditionType, Reason } from './reasons.ts';
import type { Condition } from './status.ts';

export type ConditionStatus = Condition['status'];

/** A condition as it is stated, before it is merged with what was there. */
export interface Stated {
  readonly type: ConditionType;
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
}

/** What is stated now, or was stored and still holds: another version may have written that. */
export type Holding = Stated | Condition;

const messageMax = 1024;

/**
 * Merges what is stated now into what was there. Types that are not stated are dropped, so what no longer
 * applies does not linger.
 */
export function mergeConditions(
  before: readonly Condition[],
  stated: readonly Holding[],
  generation: number,
  now: string,
): readonly Condition[] {
  return stated.map((s) => {
    const old = before.find((c) => c.type === s.type);
    return {
      ...s,
      message: s.message.slice(0, messageMax),
      observedGeneration: 'observedGeneration' in s ? s.observedGeneration : generation,
      lastTransitionTime: old && old.status === s.status ? old.lastTransitionTime : now,
    };
  });
}

export const conditionOf = (conditions: readonly Condition[], type: ConditionType): Condition | undefined =>
  conditions.find((c) => c.type === type);

/** Whether a stored condition has this reason. */
export const isBecause = (condition: Pick<Condition, 'reason'> | undefined, reason: Reason): boolean =>
  condition?.reason === reason;

export const isTrue = (conditions: readonly Condition[], type: ConditionType): boolean =>
  conditionOf(conditions, type)?.status === 'True';

/** The same, but Ready, where it was True, is not any more. @param now RFC 3339 */
export const notReady = (
  conditions: readonly Condition[],
  why: Pick<Stated, 'reason' | 'message'>,
  now: string,
): readonly Condition[] =>
  conditions.map((c) =>
    c.type === 'Ready' && c.status === 'True'
      ? { ...c, ...why, status: 'False', lastTransitionTime: now }
      : c,
  );
