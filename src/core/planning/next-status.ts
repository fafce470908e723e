// What is remembered of an object after a step, and at rest. PURE.
import type { Intent, Status } from '../status.ts';
import type { Step } from './plan.ts';
import type { ExternalRef } from '../resource.ts';
import type { Json } from '../secret.ts';

/** What is there is ours and right: steps that were done but never recorded are made good here. */
export function afterRest(
  memory: Status,
  applied: Readonly<Record<string, Json>>,
  identity: string | undefined,
  externalRef: ExternalRef,
): Omit<Status, 'own'> {
  const { pending: _pending, own: _own, ...rest } = memory;
  return { ...rest, externalRef, applied, tries: {}, ...(identity !== undefined && { identity }) };
}

/**
 * The external object is gone on purpose, and what was meant stays noted: absent now means half way through a
 * replacement, or that deletion is done.
 */
export function afterRemoval(memory: Status, step: Step<unknown>): Status {
  const {
    externalRef,
    pending: _pending,
    own: _own,
    identity: _identity,
    applied,
    refusal: _,
    ...rest
  } = memory;
  const after = { ...rest, tries: {}, pending: ended(step) };
  if (step.own === undefined) return { ...after, applied: {} };
  // What the kind keeps of it brings it back; then it has to be known how it was.
  return { ...after, applied, own: step.own, ...(externalRef && { externalRef }) };
}

/** Of the object itself nothing changes: what goes is what it let go of earlier. */
export function afterDestroying(memory: Status, step: Step<unknown>): Status {
  const { pending: _pending, own: _own, ...rest } = memory;
  const { own, identity } = step;
  const kept = { ...(own !== undefined && { own }), ...(identity !== undefined && { identity }) };
  return { ...rest, ...kept, pending: ended(step) };
}

const ended = ({ intent, verb, summary }: Step<unknown>): Intent => ({
  ...(intent ?? { op: verb, token: summary }),
  done: true,
});

export function afterChange(
  memory: Status,
  step: Step<unknown>,
  externalRef: ExternalRef,
): Omit<Status, 'own'> {
  const { pending: _pending, own: _own, identity: before, refusal: _, ...rest } = memory;
  const identity = step.identity ?? before;
  const applied = step.applied ?? memory.applied;
  const tries = countTries(memory.tries, step);
  // An intent that a finished step had stays: what was made may not show yet, or the other half is still to come.
  const handledRequests = { ...memory.handledRequests, ...step.handledRequests };
  // What was made, or registered again, has an identity that nobody has seen yet.
  const isNew = step.verb === 'create' || step.verb === 'revive';
  const isKept = isNew || step.verb === 'update';
  const kept =
    step.intent && isKept ? { pending: { ...step.intent, ...(isNew && { done: true as const }) } } : {};
  const known = !isNew && identity !== undefined && { identity };
  return { ...rest, externalRef, applied, tries, handledRequests, ...kept, ...known };
}

/** What was written and is not yet seen as written. Creating is not counted: looking tells whether it took. */
function countTries(
  before: Readonly<Record<string, number>>,
  step: Step<unknown>,
): Readonly<Record<string, number>> {
  const counted: [string, number][] = [];
  if (step.verb === 'update') {
    // An edit starts over: it is another value that is written now.
    for (const { path, cause } of step.changes)
      counted.push([path, cause === 'edit' ? 1 : (before[path] ?? 0) + 1]);
  }
  if (step.attempt !== undefined) counted.push([step.attempt, (before[step.attempt] ?? 0) + 1]);
  return { ...before, ...Object.fromEntries(counted) };
}
