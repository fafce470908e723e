// The plan for an absent object: create it, bring it back, or finish what an earlier step began. PURE. Data that was lost
// is never created anew: an empty disk must not take the place of a lost one without a person's decision.
import { hasUnansweredCreate, type FieldChange, type Status } from '../status/status.ts';
import { diff, publicFields, type Applied, type Field, type FieldTable, type Want } from './diff.ts';
import { canonical } from '../hash.ts';
import type { Situation } from './situation.ts';
import type { Effectful, Lifecycle, Removal } from './lifecycle.ts';
import { blocked, gone, stalled, type Plan, type Step } from './plan.ts';
import { absence, removal } from './policy.ts';

export const appliedBy = <Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
) => publicFields(kind.want(s.spec, s.resolved, s.status));

export const changeOf = (fields: FieldTable, path: string): Field['change'] =>
  fields[path]?.change ?? 'identity';

/**
 * Fields whose value would be unknown after a lost response: unreadable fields, and fields not managed before, which would
 * not be reset later if no value were recorded for them.
 */
export const unsureOf = (
  fields: FieldTable,
  changes: readonly FieldChange[],
  before: Applied,
): readonly string[] =>
  changes.flatMap(({ path, desired, ...seen }) => {
    if (changeOf(fields, path) !== 'in-place') return [];
    if (before[path] === undefined) return [path];
    return 'live' in seen || canonical(desired) === canonical(before[path]) ? [] : [path];
  });

export function absent<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Plan<E> {
  if (s.policy.management === 'ObserveOnly') {
    return blocked('ExternalNotFound', 'nothing is there to observe', { on: 'live' });
  }
  const removed = isRemoved(kind, s) || hasUnansweredCreate(s.status);
  const restored = removed ? kind.restore?.(s) : undefined;
  if (restored) return { verdict: 'change', steps: [{ ...restored, verb: 'revive', changes: [] }] };
  // A revive without a response may still take effect: it is repeated, because another intent would replace its intent.
  const isOurs = s.status.externalRef !== undefined || s.status.pending?.op === 'revive';
  const remembered = removed ? 'removed' : isOurs ? 'ours' : 'foreign';
  const want = kind.want(s.spec, s.resolved, s.status);
  const changes = diff(kind.fields, want, {}, {}, false);
  if (absence[remembered] === 'create') return making(kind, s, changes);
  const step = kind.revive(s) ?? 'it was here and is gone; it held data, so it is not made anew';
  if (typeof step === 'string') return stalled('ExternalObjectLost', step, { on: 'live' });
  const { unwritten, ...rest } = step;
  const applied = { ...asItWas(kind.fields, want, s.status.applied, unwritten), ...step.applied };
  const unsure = unsureOf(kind.fields, changes, s.status.applied);
  return { verdict: 'change', steps: [{ ...rest, verb: 'revive', changes, applied, unsure }] };
}

const removals: ReadonlySet<string> = new Set(['replace', 'delete', 'destroy']);

/** Whether the object was removed on purpose, or its removal was begun. */
export const isRemoved = <Spec, Live, Own, F extends string, E>(
  { removals: own = [] }: Lifecycle<Spec, Live, Own, F, E>,
  { status: { pending } }: Situation<Spec, Live, Own>,
): boolean => pending !== undefined && (removals.has(pending.op) || own.includes(pending.op));

/**
 * Creates the object after the kind's preparations. A create that was begun is repeated first, because another intent would
 * replace its intent.
 */
export function making<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  changes: readonly FieldChange[],
): Plan<E> {
  const first = s.status.pending?.op === 'create' ? kind.unrepeatable?.(s) : kind.prepare?.(s);
  return first ?? { verdict: 'change', steps: [creating(kind, s, changes)] };
}

/**
 * Records what is sent before it is sent. After a lost response, a later edit is then still seen as an edit, and the same
 * create can be repeated.
 */
function creating<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  changes: readonly FieldChange[],
): Step<E> {
  const { evidence, repeats, ...step } = kind.create(s);
  const { pending, applied } = s.status;
  const removed = pending?.evidence?.['removed'];
  if (repeats === true && pending) return { ...step, verb: 'create', changes, applied, intent: pending };
  return {
    ...step,
    verb: 'create',
    changes,
    applied: { ...appliedBy(kind, s), ...step.applied },
    intent: {
      op: 'create',
      token: step.summary,
      evidence: { ...(removed !== undefined && { removed }), ...evidence },
    },
  };
}

/**
 * A revived object has its old values. Fields that need a replacement, or that are not written, stay recorded as they were, so that
 * the edit is still made.
 */
function asItWas<F extends string>(
  fields: FieldTable<F>,
  want: Want<F>,
  before: Applied,
  unwritten: readonly string[] = [],
): Applied {
  const written = Object.entries(publicFields(want)).filter(([path]) => !unwritten.includes(path));
  const kept = Object.entries(before).filter(
    ([path]) => changeOf(fields, path) === 'replace' || unwritten.includes(path),
  );
  return Object.fromEntries([...written, ...kept]);
}

/**
 * Plans the deletion of an absent object. A create without a response may have made something: it is retracted, or repeated
 * to find what it made. An update that deregistered the object is undone first, so that the object can be deleted.
 */
export function deletingAbsent<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Plan<E> {
  const how = removal[s.policy.deletion].deleting;
  if (s.policy.management === 'ObserveOnly') return gone('nothing is there', false);
  if (how === 'nothing') {
    // What comes first, and why: as below. The policy may have been edited after the removal had begun. Where nothing can come back,
    // nothing is made only to be kept.
    const found = kind.restore && repeated(kind, s, 'to find what it made');
    if (found) return { verdict: 'change', steps: [found] };
    const restored = kind.restore?.(s) ?? halfUpdated(kind, s);
    return restored
      ? { verdict: 'change', steps: [{ ...restored, verb: 'revive', changes: [] }] }
      : gone(nothingThere(s), false);
  }
  const begun = how === 'Delete' ? unfinished(kind, s) : undefined;
  // An unfinished create comes first: the intent of the disposal would replace its intent.
  if (begun && begun.verb !== 'revive') return { verdict: 'change', steps: [begun] };
  const disposed = disposing(kind, s, how);
  if (disposed) return disposed;
  if (begun) return { verdict: 'change', steps: [begun] };
  return gone(nothingThere(s), true);
}

const nothingThere = ({ status }: Situation<unknown, unknown, unknown>): string =>
  leftBehind(status) ?? 'nothing is there';

/** What may stay of a create whose answer was lost, and that nobody knows of any more. */
export function leftBehind(status: Pick<Status, 'pending'>): string | undefined {
  const name = hasUnansweredCreate(status) ? status.pending?.evidence?.['name'] : undefined;
  return name === undefined ? undefined : `if the create without a response made ${name}, that stays`;
}

/** Destroys what a removal let go of. `undefined`: nothing is left to destroy. */
export function disposing<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  how: Removal,
): Plan<E> | undefined {
  const step = kind.dispose?.(s, how);
  if (step === undefined) return undefined;
  if (typeof step === 'string')
    return blocked(s.deleting ? 'DeletionBlocked' : 'ReplacementBlocked', step, { on: 'live' });
  return { verdict: 'change', steps: [{ ...step, verb: 'destroy', changes: [] }] };
}

/** Brings back what an update removed for a moment. */
function halfUpdated<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Effectful<E> | undefined {
  const { pending } = s.status;
  const step = pending?.op === 'update' || pending?.op === 'revive' ? kind.revive(s) : undefined;
  if (step === undefined || typeof step === 'string') return undefined;
  const { unwritten, ...rest } = step;
  const want = kind.want(s.spec, s.resolved, s.status);
  return { ...rest, applied: asItWas(kind.fields, want, s.status.applied, unwritten) };
}

function unfinished<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Step<E> | undefined {
  const { op } = s.status.pending ?? {};
  if (op === 'update' || op === 'revive') {
    const step = halfUpdated(kind, s);
    return step && { ...step, verb: 'revive', changes: [], summary: `${step.summary}, to delete it` };
  }
  const again = repeated(kind, s, 'to delete what it made');
  const retraction = again && kind.retract?.(s);
  if (retraction) {
    const summary = `${retraction.summary}, should the create whose answer was lost have made it`;
    // No intent: the object would count as removed after a crash, and what the create made would be left behind.
    return { ...retraction, verb: 'delete', summary, changes: [] };
  }
  return again;
}

/** Repeats a create without a response. `undefined`: there is none, or it was repeated in vain. */
function repeated<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  why: string,
): Step<E> | undefined {
  if (!hasUnansweredCreate(s.status) || kind.hasGivenUp?.(s)) return undefined;
  return { ...creating(kind, s, []), summary: `repeat the create whose answer was lost, ${why}` };
}
