// The plan where the service can't tell what exists: only the record of what was written is known. PURE.
import { hasUnansweredCreate } from '../status/status.ts';
import { appliedBy, isRemoved, making, unsureOf } from './absent.ts';
import { diff, type FieldTable } from './diff.ts';
import type { Situation } from './situation.ts';
import type { Lifecycle } from './lifecycle.ts';
import { blocked, gone, stalled, type Plan } from './plan.ts';
import { adoption, removal } from './policy.ts';
import { immutable, remedyOf } from './remedy.ts';

const unreadable = (fields: FieldTable): FieldTable =>
  Object.fromEntries(
    Object.entries(fields).map(([path, field]) => [path, { ...field, unreadable: 'always' as const }]),
  );

const deletion = { op: 'delete', token: 'Delete' } as const;

/** Never overwrites what may be foreign, and creates nothing without a recorded intent. */
export function unknown<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Plan<E> {
  const { policy, status } = s;
  if (policy.management === 'ObserveOnly')
    return blocked('ExternalNotFound', 'the service can not tell whether it is there', { on: 'live' });
  const { externalRef, applied } = status;
  /** The create is unfinished, or the object was or may have been removed. */
  const isUnmade = hasUnansweredCreate(status) || isRemoved(kind, s);
  const isKnown = externalRef !== undefined || isUnmade;
  if (!isKnown && !adoption[policy.adoption].differs) {
    const message = `the service can not tell whether there is one that is not ours (adoptionPolicy: ${policy.adoption})`;
    return stalled('AdoptionRefused', message, { on: 'edit' });
  }
  const want = kind.want(s.spec, s.resolved, status);
  const isMade = externalRef !== undefined && !isUnmade;
  const changes = diff(unreadable(kind.fields), want, {}, isMade ? applied : {}, false);
  if (!isMade) return making(kind, s, changes);
  if (changes.length === 0)
    return { verdict: 'in-sync', drift: [], unverified: true, applied: appliedBy(kind, s) };
  const refused = changes.find((change) => remedyOf(kind.fields, policy, change) !== 'update');
  if (refused)
    return immutable(refused.path, "can't be changed where the service can't tell what is there", changes);
  const { evidence: _evidence, repeats: _repeats, ...step } = kind.create(s);
  const unsure = unsureOf(kind.fields, changes, applied);
  return {
    verdict: 'change',
    steps: [{ ...step, verb: 'update', changes, applied: appliedBy(kind, s), unsure }],
  };
}

/** Retracts what was written here. Leaves the rest alone. */
export function deletingUnknown<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Plan<E> {
  const { policy, status } = s;
  if (removal[policy.deletion].deleting === 'nothing' || policy.management === 'ObserveOnly')
    return gone('kept as it is', false);
  if (isRemoved(kind, s) && status.pending?.done)
    return gone('it was deleted, as far as the service tells', true);
  if (status.externalRef === undefined && status.pending?.op !== 'create')
    return gone('nothing of it was outside', false);
  const step = kind.retract?.(s);
  if (step) {
    // Without this intent, an object that is declared again after a lost response would count as present. An unfinished
    // create keeps its own intent.
    const intent = !hasUnansweredCreate(status) && { intent: deletion };
    return { verdict: 'change', steps: [{ ...step, verb: 'delete', changes: [], ...intent }] };
  }
  const message = 'the service has no way to delete it; deletionPolicy: Retain lets it stay';
  return stalled('DeletionBlocked', message, { on: 'edit' });
}
