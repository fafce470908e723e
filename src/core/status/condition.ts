// Conditions as in `metav1.Condition` and kstatus. Messages are deterministic and hold no timestamps, so an unchanged state
// causes no write.

import type { ConditionType, Reason } from './reasons.ts';
import type { Condition } from './status.ts';

export type ConditionStatus = Condition['status'];

export interface Stated {
  readonly type: ConditionType;
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
}

/** A new condition, or a stored one that still holds. Another version may have written the stored one. */
export type Holding = Stated | Condition;

const messageMax = 1024;

/**
 * Merges new conditions into the stored ones: keeps the transition time of those whose status is unchanged, and drops types
 * that are not stated.
 * @param now RFC 3339
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

export const isBecause = (condition: Pick<Condition, 'reason'> | undefined, reason: Reason): boolean =>
  condition?.reason === reason;

export const isTrue = (conditions: readonly Condition[], type: ConditionType): boolean =>
  conditionOf(conditions, type)?.status === 'True';

/** The conditions with Ready changed from True to False. @param now RFC 3339 */
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

const common: ReadonlySet<string> = new Set<ConditionType>(['Ready', 'Synced', 'Reconciling', 'Stalled']);

/** The kind's own conditions, kept while nothing can be observed. */
export const ownConditions = (before: readonly Condition[]): readonly Condition[] =>
  before.filter((c) => !common.has(c.type));
