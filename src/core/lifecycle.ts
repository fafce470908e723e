// From policy to plan: which of a kind's verbs is used when. The same for every managed kind.
import { diff, publicFields, type FieldTable, type Have, type Want } from './diff.ts';
import type { Situation } from './kind.ts';
import { blocked, type FieldChange, type Gone, type Plan, type Step, type Wake } from './plan.ts';
import { absence, adoption, correction, remedy, removal, triesMax } from './policy.ts';
import type { Resolved } from './resource.ts';

export interface Effectful<E> {
  readonly summary: string;
  readonly effect: E;
  /** Can't be done while somebody uses it. */
  readonly disruptive?: boolean;
  /** Counted under this name in `tries`, where doing it again and again would be no better. */
  readonly attempt?: string;
}

/** This service can't do it. */
export interface Impossible {
  readonly path: string;
  readonly why: string;
}

/** Who uses an object: stops deletion and replacement, and says when to look again. */
export interface InUse<E> {
  readonly what: string;
  readonly wake: Wake;
  /** What clears the way, when it may be done. */
  readonly clear?: Effectful<E>;
}

/** What a managed kind knows: its verbs. When they are used is decided here. All pure. */
export interface Lifecycle<Spec, Live, Own, F extends string, E> {
  readonly fields: FieldTable<F>;
  want(spec: Spec, resolved: Resolved): Want<F>;
  have(live: Live): Have<F>;
  /** Proof that what is there is this object: something recorded, or a name that only we give. */
  isOurs(s: Situation<Spec, Live, Own>, live: Live): boolean;
  inUse(s: Situation<Spec, Live, Own>, live: Live): InUse<E> | undefined;
  create(s: Situation<Spec, Live, Own>): Effectful<E>;
  /** It was ours and is gone. `undefined`: nobody can bring it back; stall. */
  revive(s: Situation<Spec, Live, Own>): Effectful<E> | undefined;
  update(
    s: Situation<Spec, Live, Own>,
    live: Live,
    changes: readonly FieldChange[],
  ): Effectful<E> | Impossible;
  /** A string says why it must not be removed. */
  remove(s: Situation<Spec, Live, Own>, live: Live, how: 'Delete' | 'Deregister'): Effectful<E> | string;
}

const gone = (because: string, removed: boolean): Gone => ({ verdict: 'gone', because, removed });

/** Turns a kind's lifecycle into its plan. */
export function managed<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
): (s: Situation<Spec, Live, Own>) => Plan<E> {
  return (s) => {
    const moved = backendChanged(s);
    if (moved) return moved;
    if (s.observed.state === 'absent') return s.deleting ? deletingAbsent(kind, s) : absent(kind, s);
    const { live } = s.observed;
    return s.deleting ? deletingPresent(kind, s, live) : present(kind, s, live);
  };
}

const appliedBy = <Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
) => publicFields(kind.want(s.spec, s.resolved));

/** A changed address must neither recreate nor "delete" everything. */
function backendChanged(s: Situation<unknown, unknown, unknown>): Plan<never> | undefined {
  const recorded = s.memory.externalRef?.['backend'];
  const now = s.located['backend'];
  if (recorded === undefined || recorded === now) return undefined;
  const message = `recorded on ${recorded}, the connection now points at ${now ?? 'nothing'}`;
  return blocked('BackendChanged', message, { on: 'edit' });
}

function absent<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Plan<E> {
  if (s.policy.management === 'ObserveOnly') {
    return blocked('ExternalNotFound', 'nothing is there to observe', { on: 'live' });
  }
  const remembered =
    s.memory.pending?.op === 'replace' ? 'replacing' : s.memory.externalRef ? 'ours' : 'foreign';
  const verb = absence[remembered];
  const step = verb === 'create' ? kind.create(s) : kind.revive(s);
  if (!step) {
    const message = 'it was here and is gone; it held data, so it is not made anew';
    return blocked('ExternalObjectLost', message, { on: 'live' });
  }
  const want = kind.want(s.spec, s.resolved);
  const changes = diff(kind.fields, want, {}, {}, false);
  return { verdict: 'change', steps: [{ ...step, verb, changes, applied: publicFields(want) }] };
}

/**
 * Held, never recorded, and nothing there: a create was sent and its answer never seen. The provider may have
 * made the disk all the same, so the same create is repeated to find it; then it can be deleted.
 */
function deletingAbsent<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Plan<E> {
  const unanswered = s.held && s.memory.externalRef === undefined && s.memory.pending === undefined;
  if (!unanswered || removal[s.policy.deletion].deleting !== 'Delete') {
    return gone('nothing is there', removal[s.policy.deletion].deleting !== 'nothing');
  }
  const step = {
    ...kind.create(s),
    summary: 'repeat the create whose answer was lost, to delete what it made',
  };
  return {
    verdict: 'change',
    steps: [{ ...step, verb: 'create', changes: [], applied: appliedBy(kind, s) }],
  };
}

function deletingPresent<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
): Plan<E> {
  const how = removal[s.policy.deletion].deleting;
  if (how === 'nothing' || s.policy.management === 'ObserveOnly') return gone('kept as it is', false);
  if (!kind.isOurs(s, live)) return gone('what is there is not ours', false);
  const step = kind.remove(s, live, how);
  if (typeof step === 'string') return blocked('DeletionBlocked', step, { on: 'live' });
  return unlessInUse(kind, s, live, 'DeletionBlocked', [], {
    verdict: 'change',
    steps: [{ ...step, verb: 'delete', changes: [] }],
  });
}

function unlessInUse<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
  reason: string,
  changes: readonly FieldChange[],
  plan: Plan<E>,
): Plan<E> {
  const user = kind.inUse(s, live);
  if (!user) return plan;
  if (!user.clear) return blocked(reason, user.what, user.wake, changes);
  const clear: Step<E> = { ...user.clear, verb: 'detach', changes: [] };
  return { verdict: 'change', steps: plan.verdict === 'change' ? [clear, ...plan.steps] : [clear] };
}

function present<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
): Plan<E> {
  const mine = kind.isOurs(s, live);
  const { drift } = s.policy;
  const ignored = (c: FieldChange): boolean =>
    (c.cause === 'drift' || !mine) && drift.ignore.some((i) => c.path === i || c.path.startsWith(`${i}/`));
  const want = kind.want(s.spec, s.resolved);
  const found = diff(kind.fields, want, kind.have(live), s.memory.applied, !mine).filter((c) => !ignored(c));
  // Nothing is taken by observing, so nothing is refused.
  if (s.policy.management === 'ObserveOnly') return { verdict: 'in-sync', drift: found };
  if (!mine) return foreign(kind, s, found);
  const treated = (how: 'write' | 'report') => found.filter((c) => correction[drift.mode][c.cause] === how);
  const write = treated('write');
  if (write.length > 0) return bringInLine(kind, s, live, write);
  return {
    verdict: 'in-sync',
    drift: treated('report'),
    applied: appliedBy(kind, s),
    ...(drift.ownInterval === true && { revisitMs: drift.intervalMs }),
  };
}

function foreign<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  found: readonly FieldChange[],
): Plan<E> {
  const policy = s.policy.adoption;
  if (!adoption[policy][found.length === 0 ? 'same' : 'differs']) {
    const differs =
      found.length === 0 ? 'it agrees with the spec' : `${found.map((c) => c.path).join(', ')} differ`;
    const message = `it exists and is not ours; ${differs} (adoptionPolicy: ${policy})`;
    return blocked('AdoptionRefused', message, { on: 'live' }, found);
  }
  // What can't be read is remembered as declared, so that nothing is sent for it. What differs is remembered as
  // it is: bringing it in line is then an edit, which no drift mode holds back.
  const seen = Object.fromEntries(found.map((c) => [c.path, c.live ?? null]));
  const applied = { ...appliedBy(kind, s), ...seen };
  const adopt = { verb: 'adopt' as const, summary: 'take over what is there', changes: [], applied };
  if (found.length === 0) return { verdict: 'change', steps: [adopt] };
  return {
    verdict: 'change',
    steps: [adopt, { verb: 'update', summary: 'bring it in line', changes: found }],
  };
}

function bringInLine<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
  write: readonly FieldChange[],
): Plan<E> {
  // oxlint-disable-next-line no-unsafe-type-assertion -- the differ walked this very table
  const how = (c: FieldChange) => remedy[kind.fields[c.path as F].change][s.policy.replace];
  const refused = write.find((c) => how(c) === 'refuse');
  if (refused)
    return immutable(refused.path, `can't be changed in place (replacePolicy: ${s.policy.replace})`, write);
  const replacing = write.find((c) => how(c) === 'replace');
  if (replacing) return replace(kind, s, live, replacing, write);
  const spent = write.find((c) => (s.memory.tries[c.path] ?? 0) >= triesMax);
  if (spent) {
    const message = `${spent.path}: written ${triesMax} times and still different`;
    return blocked('NonConverging', message, { on: 'edit' }, write);
  }
  const step = kind.update(s, live, write);
  if ('why' in step) return immutable(step.path, step.why, write);
  const plan: Plan<E> = {
    verdict: 'change',
    steps: [{ ...step, verb: 'update', changes: write, applied: appliedBy(kind, s) }],
  };
  return step.disruptive === true ? unlessInUse(kind, s, live, 'UpdateBlocked', write, plan) : plan;
}

const immutable = (path: string, why: string, changes: readonly FieldChange[]): Plan<never> =>
  blocked('ImmutableFieldChanged', `${path}: ${why}`, { on: 'edit' }, changes);

function replace<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
  cause: FieldChange,
  changes: readonly FieldChange[],
): Plan<E> {
  const step = kind.remove(s, live, removal[s.policy.deletion].replacing);
  if (typeof step === 'string') return blocked('ReplacementBlocked', step, { on: 'live' }, changes);
  return unlessInUse(kind, s, live, 'ReplacementBlocked', changes, {
    verdict: 'change',
    steps: [
      { ...step, verb: 'replace', changes, intent: { op: 'replace', token: cause.path } },
      { verb: 'create', summary: 'create it anew', changes: [] },
    ],
  });
}
