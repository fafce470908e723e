// The plan where nothing is there: make it, bring it back, or end what was begun.
import type { FieldChange } from '../status.ts';
import { diff, publicFields, type Applied, type Field, type FieldTable, type Want } from './diff.ts';
import { canonical } from '../hash.ts';
import type { Situation } from '../kind.ts';
import type { Lifecycle, Removal } from './lifecycle.ts';
import { blocked, gone, type Plan, type Step } from './plan.ts';
import { absence, removal } from './policy.ts';

export const appliedBy = <Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
) => publicFields(kind.want(s.spec, s.resolved, s.memory));

export const changeOf = (fields: FieldTable, path: string): Field['change'] =>
  fields[path]?.change ?? 'identity';

/**
 * Fields of these of which a lost answer would leave nothing known: those that can't be seen, and those that were not
 * managed before, which nobody would reset if they are let go meanwhile.
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
  const { pending } = s.memory;
  const removed =
    (pending !== undefined && removals.has(pending.op)) || (pending?.op === 'create' && !pending.done);
  const restored = removed ? kind.restore?.(s) : undefined;
  if (restored) return { verdict: 'change', steps: [{ ...restored, verb: 'revive', changes: [] }] };
  const remembered = removed ? 'removed' : s.memory.externalRef ? 'ours' : 'foreign';
  const want = kind.want(s.spec, s.resolved, s.memory);
  const changes = diff(kind.fields, want, {}, {}, false);
  if (absence[remembered] === 'create') return { verdict: 'change', steps: [creating(kind, s, changes)] };
  const step = kind.revive(s);
  if (!step) {
    const message = 'it was here and is gone; it held data, so it is not made anew';
    return blocked('ExternalObjectLost', message, { on: 'live' });
  }
  const applied = { ...asItWas(kind.fields, want, s.memory.applied), ...step.applied };
  const unsure = unsureOf(kind.fields, changes, s.memory.applied);
  return { verdict: 'change', steps: [{ ...step, verb: 'revive', changes, applied, unsure }] };
}

/** What is absent after one of these was removed on purpose. */
const removals: ReadonlySet<string> = new Set(['replace', 'delete', 'retire', 'destroy']);

/**
 * What is sent is recorded before it: should the answer get lost, an edit made meanwhile is known for one, and the same
 * create can be sent again.
 */
function creating<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  changes: readonly FieldChange[],
): Step<E> {
  const { evidence, repeats, ...step } = kind.create(s);
  const { pending, applied } = s.memory;
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

/** What is brought back is what was there: an edit of a field that needs a replacement is still to be made. */
function asItWas<F extends string>(fields: FieldTable<F>, want: Want<F>, before: Applied): Applied {
  const kept = Object.entries(before).filter(([path]) => changeOf(fields, path) === 'replace');
  return { ...publicFields(want), ...Object.fromEntries(kept) };
}

/**
 * Nothing there, and deletion meant to delete: what was begun and may have left something behind is ended first. A create
 * whose answer was never seen is taken back, or, where that would miss what it made, brought back by the same create.
 * Half way through an update by registering anew, the disk is known.
 */
export function deletingAbsent<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Plan<E> {
  const how = removal[s.policy.deletion].deleting;
  if (how === 'nothing' || s.policy.management === 'ObserveOnly') return gone('nothing is there', false);
  const begun = how === 'Delete' ? unfinished(kind, s) : undefined;
  // A create that may have made something comes first: the intent to destroy another would take the place of its own.
  if (begun && begun.verb !== 'revive') return { verdict: 'change', steps: [begun] };
  const disposed = disposing(kind, s, how);
  if (disposed) return disposed;
  return begun ? { verdict: 'change', steps: [begun] } : gone('nothing is there', true);
}

/** What a removal let go of is destroyed once nothing can claim it any more. `undefined`: nothing is left to do. */
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

function unfinished<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Step<E> | undefined {
  const { pending } = s.memory;
  if (pending?.op === 'update' || pending?.op === 'revive') {
    const step = kind.revive(s);
    const made = { changes: [], applied: appliedBy(kind, s) };
    return step && { ...step, ...made, verb: 'revive', summary: `${step.summary}, to delete it` };
  }
  if (pending?.op !== 'create' || pending.done) return undefined;
  const retraction = kind.retract?.(s);
  if (retraction) {
    const summary = `${retraction.summary}, should the create whose answer was lost have made it`;
    // No intent: noted beforehand, it would read as done after a crash, and what was made would stay.
    return { ...retraction, verb: 'delete', summary, changes: [] };
  }
  const summary = 'repeat the create whose answer was lost, to delete what it made';
  return { ...creating(kind, s, []), summary };
}
