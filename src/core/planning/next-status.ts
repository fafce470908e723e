// The status after a step, and at rest. PURE. The intent of a finished step stays recorded until an observation confirms
// it, so a crash or a delayed read can't be mistaken for a loss.
import type { Intent, Status } from '../status/status.ts';
import type { InSync, Step } from './plan.ts';
import type { ExternalRef } from '../resource.ts';

/** The status of an object that is ours and as declared. It also records the result of steps whose response was lost. */
export function afterRest(
  status: Status,
  { applied = {}, kept, identity }: Pick<InSync, 'applied' | 'kept' | 'identity'>,
  externalRef: ExternalRef,
): Omit<Status, 'own'> {
  const { pending: _pending, own: _own, kept: _kept, ...rest } = status;
  const known = identity !== undefined && { identity };
  return { ...rest, externalRef, applied, ...(kept && { kept }), tries: {}, ...known };
}

/**
 * The status after the object was removed on purpose. The intent stays: if the object is then absent, a replacement is half
 * done, or the deletion is done.
 */
export function afterRemoval(status: Status, step: Step<unknown>): Status {
  const {
    externalRef,
    pending: _pending,
    own: _own,
    identity: _identity,
    applied,
    kept: _kept,
    refusal: _,
    ...rest
  } = status;
  const after = { ...rest, tries: {}, pending: ended(step) };
  if (step.own === undefined) return { ...after, applied: {} };
  // The kind can bring the object back from this, and then needs the old values.
  return { ...after, applied, own: step.own, ...(externalRef && { externalRef }) };
}

/** The status after an earlier external object was destroyed. The current one does not change. */
export function afterDestroying(status: Status, step: Step<unknown>): Status {
  const { pending: _pending, own: _own, ...rest } = status;
  const { own, identity } = step;
  const kept = { ...(own !== undefined && { own }), ...(identity !== undefined && { identity }) };
  return { ...rest, ...kept, pending: ended(step) };
}

const ended = ({ intent, verb, summary }: Step<unknown>): Intent => ({
  ...(intent ?? { op: verb, token: summary }),
  done: true,
});

export function afterChange(
  status: Status,
  step: Step<unknown>,
  externalRef: ExternalRef | undefined,
): Omit<Status, 'own'> {
  const { pending, own: _own, identity: before, refusal: _, kept: stays, ...rest } = status;
  const identity = step.identity ?? before;
  const applied = step.applied ?? status.applied;
  const tries = countTries(status.tries, step);
  // The intent of a finished step stays: its result may not be visible yet, or its second half is still to be done.
  const handledRequests = { ...status.handledRequests, ...step.handledRequests };
  // A new external object, or a new registration, has an identity that was not read yet.
  const isNew = step.verb === 'create' || step.verb === 'revive';
  const isKept = isNew || step.verb === 'update';
  const left = step.intent && isKept ? { ...step.intent, ...(isNew && { done: true as const }) } : undefined;
  const open = step.closes ? pending : left; // closing does not end the intent of another step
  const known = !isNew && identity !== undefined && { identity };
  const kept = step.applied && step.verb !== 'revive' ? step.kept : stays;
  return {
    ...rest,
    ...(externalRef && { externalRef }),
    applied,
    ...(kept && { kept }),
    tries,
    handledRequests,
    ...(open && { pending: open }),
    ...known,
  };
}

/** Counts writes whose result was not observed yet. Creates are not counted: observing tells whether they succeeded. */
function countTries(
  before: Readonly<Record<string, number>>,
  step: Step<unknown>,
): Readonly<Record<string, number>> {
  const counted: [string, number][] = [];
  if (step.verb === 'update') {
    // An edit writes another value, so counting starts over.
    for (const { path, cause } of step.changes)
      counted.push([path, cause === 'edit' ? 1 : (before[path] ?? 0) + 1]);
  }
  if (step.attempt !== undefined) counted.push([step.attempt, (before[step.attempt] ?? 0) + 1]);
  return { ...before, ...Object.fromEntries(counted) };
}

/** The attempts that stay counted once every field was found as declared. */
export const withoutFields = (tries: Status['tries']): Status['tries'] =>
  Object.fromEntries(Object.entries(tries).filter(([name]) => !name.startsWith('/')));
