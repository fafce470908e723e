// The plan that removes a present object, for a deletion or a replacement. PURE. Nothing is removed without proof of
// ownership, and nothing that is in use.
import type { Intent, FieldChange } from '../status/status.ts';
import { disposing, leftBehind } from './absent.ts';
import { fitting } from './fitting.ts';
import type { Situation } from './situation.ts';
import type { Effectful, Lifecycle } from './lifecycle.ts';
import { blocked, gone, type Change, type Plan, type Step } from './plan.ts';
import { removal } from './policy.ts';
import type { Reason } from '../status/reasons.ts';

export function deletingPresent<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
): Plan<E> {
  const how = removal[s.policy.deletion].deleting;
  if (s.policy.management === 'ObserveOnly') return gone('kept as it is', false);
  const isMade = making.has(s.status.pending?.op ?? '') && kind.isOurs(s, live);
  const proven = isProven(kind, s, live);
  const isForeign = !proven && kind.keeps?.(s) !== true;
  const displaced = isForeign && how !== 'Deregister' ? kind.displaced?.(s, live) : undefined;
  const stays = displaced === undefined ? undefined : blocked('DeletionBlocked', displaced, { on: 'live' });
  if (how === 'nothing' && isMade) return noting(kind, s, live);
  if (how === 'nothing')
    return stays ?? { ...gone('kept as it is', false), ...(isForeign && { foreign: kind.identity(live) }) };
  // Data that an earlier removal let go of is still ours, even if a foreign external object has taken its place.
  const left = isForeign ? (disposing(kind, s, how) ?? stays) : undefined;
  if (left) return left;
  if (isForeign) {
    const ofCreate = leftBehind(s.status);
    return gone(`what is there is not ours${ofCreate === undefined ? '' : `; ${ofCreate}`}`, false);
  }
  if (!proven) {
    const recorded = s.status.identity ?? 'nothing';
    const message = `what is there is not what was recorded: ${kind.identity(live)} in the place of ${recorded}`;
    return blocked('DeletionBlocked', message, { on: 'live' });
  }
  const begun = disposing(kind, s, how);
  // This step replaces the pending intent, which may be the only proof of ownership: record the identity with it.
  if (begun) return identified(begun, { identity: kind.identity(live) });
  const { evidence = {}, ...step } = wanted(kind.remove(s, live, how, 'delete'));
  if ('why' in step) return blocked('DeletionBlocked', step.why, { on: 'live' });
  const intent = removing(kind, live, 'delete', how, evidence);
  return unlessInUse(kind, s, live, 'DeletionBlocked', [], {
    verdict: 'change',
    // Without the intent, a manifest that comes back after a crash would find its external object lost instead of removed.
    steps: [{ ...step, verb: 'delete', changes: [], intent, identity: kind.identity(live) }],
  });
}

/** Operations after which it is there, and the record does not say so. */
const making: ReadonlySet<string> = new Set(['create', 'update', 'revive']);

/** Others can be made from it once it is recorded, and wait for that. */
const noting = <Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
): Change<E> => {
  const summary = 'take note of what is there: an answer was lost';
  const known = { applied: s.status.applied, identity: kind.identity(live) };
  return { verdict: 'change', steps: [{ verb: 'adopt', summary, changes: [], ...known }] };
};

const removing = <Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  live: Live,
  op: 'delete' | 'replace',
  token: string,
  evidence: Readonly<Record<string, string>>,
): Intent => ({ op, token, evidence: { removed: fitting(kind.identity(live)), ...evidence } });

/** Ownership is proven by the recorded identity, or by what the kind knows of a step in progress. */
export const isProven = <Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
): boolean => s.status.identity === kind.identity(live) || kind.isOurs(s, live);

export function unlessInUse<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
  reason: Reason,
  changes: readonly FieldChange[],
  plan: Change<E>,
): Plan<E> {
  const user = kind.inUse(s, live);
  if (!user) return plan;
  if (!user.clear) return blocked(reason, user.what, user.wake, changes);
  const clear: Step<E> = { ...user.clear, verb: 'detach', changes: [] };
  return { verdict: 'change', steps: [clear, ...plan.steps] };
}

export function replace<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
  cause: FieldChange,
  changes: readonly FieldChange[],
): Plan<E> {
  const not = kind.irreplaceable?.(s, live);
  if (not) return { ...not, changes };
  const how = removal[s.policy.deletion].replacing;
  const { evidence = {}, ...step } = wanted(kind.remove(s, live, how, 'replace'));
  if ('why' in step) return blocked('ReplacementBlocked', step.why, { on: 'live' }, changes);
  const intent = removing(kind, live, 'replace', cause.path, evidence);
  const after = { verb: 'destroy', summary: 'destroy the old one', changes: [], destroys: 'data' } as const;
  return unlessInUse(kind, s, live, 'ReplacementBlocked', changes, {
    verdict: 'change',
    steps: [
      { ...step, verb: 'replace', changes, intent },
      { verb: 'create', summary: 'create it anew', changes: [] },
      ...(step.destroys === 'data' ? [after] : []),
    ],
  });
}

const wanted = <E>(
  step: Effectful<E> | string,
): Effectful<E> | { readonly why: string; readonly evidence?: never } =>
  typeof step === 'string' ? { why: step } : step;

export function identified<E>(plan: Plan<E>, known: false | { readonly identity: string }): Plan<E> {
  if (plan.verdict !== 'change') return plan;
  const [first, ...later] = plan.steps;
  return { ...plan, steps: [{ ...first, ...known }, ...later] };
}
