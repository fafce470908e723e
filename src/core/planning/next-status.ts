// The status after a step, and at rest. PURE.
import type { Intent, Status } from '../status/status.ts';
import type { InSync, Step } from './plan.ts';
import type { ExternalRef } from '../resource.ts';

/** The object is ours and as declared. Steps that were done and never recorded are recorded here. */
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
 * The object was removed on purpose. The intent stays: absent now means that a replacement is half done, or that the
 * deletion is done.
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
  // The kind can bring it back from this, and then has to know how it was.
  return { ...after, applied, own: step.own, ...(externalRef && { externalRef }) };
}

/** The object itself does not change: an earlier one is destroyed. */
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
  // The intent of a finished step stays: what it made may not be visible yet, or the other half is still to do.
  const handledRequests = { ...status.handledRequests, ...step.handledRequests };
  // A new object, or a new registration, has an identity that was not read yet.
  const isNew = step.verb === 'create' || step.verb === 'revive';
  const isKept = isNew || step.verb === 'update';
  const left = step.intent && isKept ? { ...step.intent, ...(isNew && { done: true as const }) } : undefined;
  const open = step.closes ? pending : left; // closing ends nothing else that was begun
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

/** Counts writes that were not yet read back. Creates are not counted: reading tells whether they succeeded. */
function countTries(
  before: Readonly<Record<string, number>>,
  step: Step<unknown>,
): Readonly<Record<string, number>> {
  const counted: [string, number][] = [];
  if (step.verb === 'update') {
    // An edit starts over: another value is written.
    for (const { path, cause } of step.changes)
      counted.push([path, cause === 'edit' ? 1 : (before[path] ?? 0) + 1]);
  }
  if (step.attempt !== undefined) counted.push([step.attempt, (before[step.attempt] ?? 0) + 1]);
  return { ...before, ...Object.fromEntries(counted) };
}
