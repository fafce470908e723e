// From policy to plan: which of a kind's verbs is used when. The same for every managed kind.
import { diff, publicFields, type Applied, type Field, type FieldTable, type Want } from './diff.ts';
import type { Situation } from './kind.ts';
import {
  blocked,
  type Change,
  type FieldChange,
  type Gone,
  type InSync,
  type Plan,
  type Step,
} from './plan.ts';
import { absence, adoption, correction, releases, remedy, removal, triesMax, type Policy } from './policy.ts';
import type { Lifecycle } from './lifecycle.ts';

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
) => publicFields(kind.want(s.spec, s.resolved, s.memory));

/** A changed address must neither recreate nor "delete" everything. */
function backendChanged(s: Situation<unknown, unknown, unknown>): Plan<never> | undefined {
  for (const part of ['backend', 'mount']) {
    const recorded = s.memory.externalRef?.[part];
    const now = s.located[part];
    if (recorded === undefined || recorded === now) continue;
    const message = `recorded on ${recorded}, the connection now points at ${now ?? 'nothing'}`;
    return blocked('BackendChanged', message, { on: 'edit' });
  }
  return undefined;
}

function absent<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Plan<E> {
  if (s.policy.management === 'ObserveOnly') {
    return blocked('ExternalNotFound', 'nothing is there to observe', { on: 'live' });
  }
  const removed = s.memory.pending?.op === 'replace' || s.memory.pending?.op === 'delete';
  const remembered = removed ? 'removed' : s.memory.externalRef ? 'ours' : 'foreign';
  const verb = absence[remembered];
  const step = verb === 'create' ? kind.create(s) : kind.revive(s);
  if (!step) {
    const message = 'it was here and is gone; it held data, so it is not made anew';
    return blocked('ExternalObjectLost', message, { on: 'live' });
  }
  const want = kind.want(s.spec, s.resolved, s.memory);
  const changes = diff(kind.fields, want, {}, {}, false);
  const applied = verb === 'revive' ? asItWas(kind.fields, want, s.memory.applied) : publicFields(want);
  return { verdict: 'change', steps: [{ ...step, verb, changes, applied: { ...applied, ...step.applied } }] };
}

/** What is brought back is what was there: an edit of a field that needs a replacement is still to be made. */
function asItWas<F extends string>(fields: FieldTable<F>, want: Want<F>, before: Applied): Applied {
  const kept = Object.entries(before).filter(([path]) => changeOf(fields, path) === 'replace');
  return { ...publicFields(want), ...Object.fromEntries(kept) };
}

const changeOf = (fields: FieldTable, path: string): Field['change'] => fields[path]?.change ?? 'identity';

/**
 * Nothing there, and deletion meant to delete: what was begun and may have left something behind is ended first. Held
 * and never recorded means that a create was sent and its answer never seen: it is taken back, or, where that would miss
 * what it made, brought back by the same create.
 * Half way through an update by registering anew, the disk is known.
 */
function deletingAbsent<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Plan<E> {
  if (releases(s.policy)) return gone('nothing is there', false);
  const begun = removal[s.policy.deletion].deleting === 'Delete' ? unfinished(kind, s) : undefined;
  return begun ? { verdict: 'change', steps: [begun] } : gone('nothing is there', true);
}

function unfinished<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
): Step<E> | undefined {
  const { pending, externalRef } = s.memory;
  const made = { changes: [], applied: appliedBy(kind, s) };
  if (pending?.op === 'update') {
    const step = kind.revive(s);
    return step && { ...step, ...made, verb: 'revive', summary: `${step.summary}, to delete it` };
  }
  if (!s.held || externalRef !== undefined || pending?.op === 'delete') return undefined;
  const retraction = kind.retract?.(s);
  if (retraction) {
    const summary = `${retraction.summary}, should the create whose answer was lost have made it`;
    // No intent: noted beforehand, it would read as done after a crash, and what was made would stay.
    return { ...retraction, verb: 'delete', summary, changes: [] };
  }
  const summary = 'repeat the create whose answer was lost, to delete what it made';
  return { ...kind.create(s), ...made, verb: 'create', summary };
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
    // Without the intent, a manifest that comes back right after a crash would look like the owner of a lost disk.
    steps: [{ ...step, verb: 'delete', changes: [], intent: { op: 'delete', token: how } }],
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
  const want = kind.want(s.spec, s.resolved, s.memory);
  // What can't be read is trusted where nothing is remembered: a lost memory must not look like an edit.
  const trusting = !mine || s.memory.externalRef === undefined;
  const found = diff(kind.fields, want, kind.have(live), s.memory.applied, trusting).filter(
    (c) => !ignored(c),
  );
  // Nothing is taken by observing, so nothing is refused.
  const alone = drift.ownInterval === true || kind.unwatched === true;
  const revisit = alone && { revisitMs: drift.intervalMs };
  if (s.policy.management === 'ObserveOnly') return { verdict: 'in-sync', drift: found, ...revisit };
  if (!mine) return foreign(kind, s, found);
  const treated = (how: 'write' | 'report') => found.filter((c) => correction[drift.mode][c.cause] === how);
  const write = treated('write');
  const rest: InSync = {
    verdict: 'in-sync',
    drift: treated('report'),
    applied: appliedBy(kind, s),
    ...revisit,
  };
  const acted = kind.act?.(s, live, write, rest) ?? rest;
  if (acted.verdict === 'change') return remembering(acted, s, { ...rest.applied, ...asSeen(found) });
  if (write.length === 0) return acted;
  const plan = bringInLine(kind, s, live, write);
  const dueMs = dueIn(acted, s.nowMs);
  return plan.verdict === 'blocked' && dueMs !== undefined ? { ...plan, dueMs } : plan;
}

/** What is refused waits for an edit; what else the object does goes on. */
function dueIn(plan: Plan<unknown>, nowMs: number): number | undefined {
  if (plan.verdict === 'in-sync') return plan.dueMs ?? plan.revisitMs;
  return plan.verdict === 'blocked' && plan.wake.on === 'time' ? plan.wake.atMs - nowMs : undefined;
}

/** With nothing remembered, what is there counts as written by us, else what can't be read would be written again. */
function remembering<E>(plan: Change<E>, s: Situation<unknown, unknown, unknown>, applied: Applied): Plan<E> {
  const [first, ...later] = plan.steps;
  return s.memory.externalRef ? plan : { ...plan, steps: [{ applied, ...first }, ...later] };
}

/** What differs is remembered as it is: bringing it in line is then an edit, which no drift mode holds back. */
const asSeen = (found: readonly FieldChange[]): Applied =>
  Object.fromEntries(found.map((c) => [c.path, c.live ?? null]));

function foreign<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  found: readonly FieldChange[],
): Plan<E> {
  const policy = s.policy.adoption;
  const edits = found.map((c): FieldChange => ({ ...c, cause: 'edit' }));
  const stuck = edits.find((c) => remedyOf(kind.fields, s.policy, c) === 'refuse');
  if (stuck || !adoption[policy][found.length === 0 ? 'same' : 'differs']) {
    const paths = found.map((c) => c.path).join(', ');
    const differs = found.length === 0 ? 'it agrees with the spec' : `${paths} differ`;
    const why = stuck ? `${stuck.path} can't be changed` : `adoptionPolicy: ${policy}`;
    const message = `it exists and is not ours; ${differs} (${why})`;
    return blocked('AdoptionRefused', message, { on: 'live' }, found);
  }
  // What can't be read is remembered as declared, so that nothing is sent for it.
  const applied = { ...appliedBy(kind, s), ...asSeen(found) };
  const adopt = { verb: 'adopt' as const, summary: 'take over what is there', changes: [], applied };
  if (found.length === 0) return { verdict: 'change', steps: [adopt] };
  const replaced = edits.some((c) => remedyOf(kind.fields, s.policy, c) === 'replace');
  const verb = replaced ? 'replace' : 'update';
  const summary = replaced ? 'replace it by a new one' : 'bring it in line';
  return { verdict: 'change', steps: [adopt, { verb, summary, changes: found }] };
}

/**
 * How a difference can be brought in line. Only an edit replaces: what reads back otherwise than it was written would
 * be replaced for ever.
 */
function remedyOf(
  fields: FieldTable,
  policy: Policy,
  { path, cause }: FieldChange,
): 'update' | 'replace' | 'refuse' {
  const how = remedy[changeOf(fields, path)][policy.replace];
  return how === 'replace' && cause === 'drift' ? 'refuse' : how;
}

function bringInLine<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
  write: readonly FieldChange[],
): Plan<E> {
  const how = (c: FieldChange) => remedyOf(kind.fields, s.policy, c);
  const refused = write.find((c) => how(c) === 'refuse');
  if (refused)
    return immutable(refused.path, `can't be changed in place (replacePolicy: ${s.policy.replace})`, write);
  const replacing = write.find((c) => how(c) === 'replace');
  if (replacing) return replace(kind, s, live, replacing, write);
  const drifted = write.every((c) => c.cause === 'drift');
  const spent = drifted && write.find((c) => (s.memory.tries[c.path] ?? 0) >= triesMax);
  if (spent) {
    const message = `${spent.path}: written ${triesMax} times and still different`;
    return blocked('NonConverging', message, { on: 'edit' }, write);
  }
  const step = kind.update(s, live, write);
  if ('why' in step) return immutable(step.path, step.why, write);
  const plan: Plan<E> = {
    verdict: 'change',
    steps: [
      {
        ...step,
        verb: 'update',
        changes: write,
        applied: appliedBy(kind, s),
        // The other half is registering it again, which absence asks for.
        ...(step.halfway === true && { intent: { op: 'update', token: write.map((c) => c.path).join() } }),
      },
    ],
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
