// What is remembered before a step, so that a crash, or an answer that gets lost, leaves nothing unknown. PURE.
import { isDeepStrictEqual } from 'node:util';
import { isTrue, notReady } from '../../core/status/condition.ts';
import type { Outcome } from '../../core/errors.ts';
import type { Approval } from '../../core/planning/deletion-limits.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { WriteOptions } from '../../core/source/source.ts';
import { hasUnansweredCreate, type Status } from '../../core/status/status.ts';
import { goingID, type Destruction } from './destruction.ts';

/**
 * Whether a replacement counts against the deletion limits: not once it is approved. One that is repeated counts once, from
 * the last time that it was sent: those before may not have been carried out.
 */
export function departs(
  { object, step }: Pick<Destruction, 'object' | 'step'>,
  { pending }: Status,
  approved: Approval | undefined,
): WriteOptions['departs'] {
  if (!step.destroys || step.verb !== 'replace') return undefined;
  if (approved === goingID({ object, step })) return undefined;
  const isSame = pending?.evidence?.['removed'] === step.intent?.evidence?.['removed'];
  return pending?.op === 'replace' && isSame ? 'again' : 'first';
}

/** What has to be remembered should the answer to a step get lost. @param now for people, RFC 3339 */
export function intended(step: Step<unknown>, before: Status, now: string): Status {
  const { verb, summary, intent, applied, handledRequests, identity, noted, trial, unsure = [] } = step;
  // From here on, whatever happens, what is published may be out of date.
  const outdates = trial !== undefined && isTrue(before.conditions, 'Ready');
  const why = { reason: 'NotPublished', message: `what it makes is not published yet: ${summary}` } as const;
  const told = outdates ? { ...before, conditions: notReady(before.conditions, why, now) } : before;
  if (!intent && unsure.length === 0) return told;
  const status = {
    ...told,
    ...(identity !== undefined && { identity }),
    ...(noted !== undefined && { own: noted }),
  };
  const pending = intent && { pending: intent };
  // What a create made is as it was sent. What else was written may be as before or as sent: neither is taken for granted.
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

/** Attempts at the same create. Refusals of an earlier one say nothing about what this one may make. */
function triesOf({ attempt = '', intent }: Step<unknown>, before: Status): Status['tries'] {
  if (hasUnansweredCreate(before) && isDeepStrictEqual(before.pending?.evidence, intent?.evidence))
    return before.tries;
  const { [attempt]: _earlier, ...others } = before.tries;
  return others;
}

const refusalMax = 1_024;

/** What is remembered after a step that failed. @param before as it was before the step was noted */
export function refused(
  { verb, attempt }: Step<unknown>,
  outcome: Exclude<Outcome, { is: 'done' }>,
  noted: Status,
  before: Status,
): Status {
  // Refused: it did not happen, so what was noted because it might have happened is not kept.
  const status = outcome.is === 'rejected' ? before : noted;
  const { error } = outcome;
  // What nobody answered says nothing about what was asked for: a create is then repeated as it was. Who is told, or
  // detached, without an answer comes after the others.
  const isAnswer = error.status !== undefined && error.class !== 'throttled';
  const counted = attempt !== undefined && (isAnswer || verb !== 'create');
  const tries = counted ? { ...status.tries, [attempt]: (status.tries[attempt] ?? 0) + 1 } : status.tries;
  return { ...status, ...(isAnswer && { refusal: error.message.slice(0, refusalMax) }), tries };
}
