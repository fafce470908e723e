// The status that is written before a step and after a failed one, so that neither a crash nor a lost response leaves an
// effect unknown. PURE.
import { isDeepStrictEqual } from 'node:util';
import { isTrue, notReady } from '../../core/status/condition.ts';
import type { Outcome } from '../../core/errors.ts';
import type { Approval } from '../../core/planning/deletion-limits.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { WriteOptions } from '../../core/source/source.ts';
import { hasUnansweredCreate, type Intent, type Status } from '../../core/status/status.ts';
import { goingID, type Destruction } from './destruction.ts';

/**
 * Whether a replacement is recorded as a recent deletion, which counts towards the deletion limits. An approved one is not. A
 * repeated one counts once, from its last attempt, because earlier attempts may have had no effect.
 */
export function recordsDeletion(
  { object, step }: Pick<Destruction, 'object' | 'step'>,
  { pending }: Status,
  approved: Approval | undefined,
): WriteOptions['recordDeletion'] {
  if (!step.destroys || step.verb !== 'replace') return undefined;
  if (approved === goingID({ object, step })) return undefined;
  const isSame = pending?.evidence?.['removed'] === step.intent?.evidence?.['removed'];
  return pending?.op === 'replace' && isSame ? 'again' : 'first';
}

/** The status to write before a step, in case its response is lost. @param now RFC 3339, for people */
export function intended(step: Step<unknown>, before: Status, now: string): Status {
  const { verb, summary, intent, applied, handledRequests, identity, noted, trial, unsure = [] } = step;
  // From now on the published output may be outdated, whatever the outcome of the step.
  const outdates = trial !== undefined && isTrue(before.conditions, 'Ready');
  const why = { reason: 'NotPublished', message: `what it makes is not published yet: ${summary}` } as const;
  const recorded = outdates ? { ...before, conditions: notReady(before.conditions, why, now) } : before;
  if (!intent && unsure.length === 0) return recorded;
  const status = {
    ...recorded,
    ...(identity !== undefined && { identity }),
    ...(noted !== undefined && { own: noted }),
  };
  const pending = intent && { pending: intent };
  // A create makes exactly what it sends. Any other write may or may not take effect, so its unsure fields become unknown
  // (`null`).
  if (verb === 'create')
    return {
      ...status,
      ...pending,
      applied: applied ?? {},
      tries: triesOf(step, before),
      handledRequests: { ...status.handledRequests, ...handledRequests },
    };
  const unknown = Object.fromEntries(unsure.map((path) => [path, null]));
  return { ...status, ...pending, applied: { ...status.applied, ...unknown } };
}

/** Keeps the attempts counted for the same create. A different create may succeed where an earlier one was refused. */
function triesOf({ attempt = '', intent }: Step<unknown>, before: Status): Status['tries'] {
  if (hasUnansweredCreate(before) && isDeepStrictEqual(before.pending?.evidence, intent?.evidence))
    return before.tries;
  const { [attempt]: _earlier, ...others } = before.tries;
  return others;
}

const refusalMax = 1_024;

export type Failed = Exclude<Outcome, { is: 'done' }>;

/** The intent that the failure of a step proves to be done. */
export const proven = ({ rejection }: Step<unknown>, { is, error }: Failed): Intent | undefined =>
  is === 'rejected' && rejection?.reason === error.reason ? { ...rejection.proves, done: true } : undefined;

/** The status after a failed step. @param before the status before the intent was added */
export function refused(step: Step<unknown>, outcome: Failed, noted: Status, before: Status): Status {
  const pending = proven(step, outcome);
  // The identity that was recorded with the intent stays: the intent before, which this one replaces, may have been the proof.
  if (pending) return { ...noted, pending };
  const { verb, attempt } = step;
  // A rejected step had no effect, so the intent is dropped.
  const status = outcome.is === 'rejected' ? before : noted;
  const { error } = outcome;
  // Without an answer, nothing is known against the create, so it is repeated unchanged; nor if it has acted, and waits for something
  // else. Other attempts count even then, so that a notification or detach without an answer comes after the others.
  const isAnswer = error.status !== undefined && error.class !== 'throttled';
  const isFailed = isAnswer && !(error.class === 'waiting' && error.mayHaveHadEffect);
  const counted = attempt !== undefined && (isFailed || verb !== 'create');
  const tries = counted ? { ...status.tries, [attempt]: (status.tries[attempt] ?? 0) + 1 } : status.tries;
  return { ...status, ...(isAnswer && { refusal: error.message.slice(0, refusalMax) }), tries };
}
