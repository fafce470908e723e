// Makes a plan from policy, status and observation: chooses the verb, and the kind supplies the step. It is the same for
// every managed kind, so the rules for ownership, adoption and destruction exist once. PURE.
import { hasUnansweredCreate, type FieldChange } from '../status/status.ts';
import { absent, appliedBy, deletingAbsent, disposing, unsureOf } from './absent.ts';
import { immutable, remedyOf } from './remedy.ts';
import { diff, type Applied } from './diff.ts';
import { keptOf } from './kept.ts';
import type { Situation } from './situation.ts';
import { deletingPresent, identified, isProven, replace, unlessInUse } from './removal.ts';
import type { Effectful, Impossible, Lifecycle } from './lifecycle.ts';
import { stalled, type Blocked, type Change, type Gone, type InSync, type Plan, type Step } from './plan.ts';
import { awaited } from './awaited.ts';
import { adoption, correction, removal, triesMax } from './policy.ts';
import { deletingUnknown, unknown } from './unknown.ts';

export function managed<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
): (s: Situation<Spec, Live, Own>) => Plan<E> {
  return (s) => {
    const early = elsewhere(s) ?? awaited(kind, s);
    if (early) return early;
    if (s.observed.state === 'unknown') return s.deleting ? deletingUnknown(kind, s) : unknown(kind, s);
    if (s.observed.state === 'absent') return s.deleting ? deletingAbsent(kind, s) : absent(kind, s);
    const { live } = s.observed;
    return s.deleting ? deletingPresent(kind, s, live) : present(kind, s, live);
  };
}

/**
 * Stalls if the recorded backend, mount or name differs from the declared one. A changed address must neither recreate nor
 * delete objects, and a record of another external object proves nothing.
 */
export function elsewhere(s: Situation<unknown, unknown, unknown>): Plan<never> | undefined {
  for (const [part, recorded] of Object.entries(s.status.externalRef ?? {})) {
    const now = s.located[part];
    if (recorded === now) continue;
    if (part === 'backend' || part === 'mount') {
      const message = `recorded on ${recorded}, the connection now points at ${now ?? 'nothing'}`;
      const remedy = part === 'backend' ? `; ${wayBack(recorded, s.within)}` : '';
      return stalled('BackendChanged', message + remedy, { on: 'edit' });
    }
    const message = `recorded as ${part} ${recorded}, declared as ${now ?? 'nothing'}`;
    return stalled('ExternalNameChanged', message, { on: 'edit' });
  }
  return undefined;
}

/** `backendID` is only the beginning of a backend: region and namespace follow it, each after a space. */
function wayBack(recorded: string, within?: string): string {
  const end = within === undefined ? '' : ` ${within}`;
  const id = recorded.endsWith(end) ? recorded.slice(0, recorded.length - end.length) : '';
  return id === '' || id.includes(' ')
    ? 'set backendID, region and namespace of the connection back to what they were'
    : `if it is the same service, set backendID of the connection to ${id}`;
}

function present<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
): Plan<E> {
  const proven = isProven(kind, s, live);
  const mine = proven || kind.keeps?.(s) === true;
  const { drift } = s.policy;
  const ignored = (c: FieldChange): boolean =>
    (c.cause === 'drift' || !mine) && drift.ignore.some((i) => c.path === i || c.path.startsWith(`${i}/`));
  const want = kind.want(s.spec, s.resolved, s.status);
  // Without a record, unreadable fields are trusted: a lost status must not look like an edit.
  const trusting = !mine || s.status.externalRef === undefined;
  const found = diff(kind.fields, want, kind.have(live, s.status), s.status.applied, trusting).filter(
    (c) => !ignored(c),
  );
  const alone = drift.ownInterval === true || kind.unwatched === true;
  const revisit = alone && { revisitMs: drift.intervalMs };
  if (s.policy.management === 'ObserveOnly') return { verdict: 'in-sync', drift: found, ...revisit };
  if (!mine) return foreign(kind, s, live, found);
  const known = proven && { identity: kind.identity(live) };
  if (hasUnansweredCreate(s.status)) return { verdict: 'change', steps: [{ ...noted(s), ...known }] };
  const begun = proven ? disposing(kind, s, removal[s.policy.deletion].replacing) : undefined;
  if (begun) return identified(begun, known);
  const treated = (how: 'write' | 'report') => found.filter((c) => correction[drift.mode][c.cause] === how);
  const write = treated('write');
  const rest: InSync = {
    verdict: 'in-sync',
    drift: treated('report'),
    applied: appliedBy(kind, s),
    ...keeping(kind, s),
    ...known,
    ...revisit,
  };
  const acted = kind.act?.(s, live, write, rest) ?? rest;
  if (acted.verdict === 'change')
    return identified(remembering(acted, s, { ...rest.applied, ...asSeen(found) }), known);
  if (write.length === 0) return acted.verdict === 'blocked' ? { ...acted, converged: true } : acted;
  const plan = identified(bringInLine(kind, s, live, write), known);
  return until(plan, dueIn(acted, s.nowMs));
}

/** The fields that stay as they were, for the status after a write and at rest. */
function keeping<Spec, Live, Own, F extends string>(
  kind: Pick<Lifecycle<Spec, Live, Own, F, unknown>, 'fields' | 'want' | 'answersFor'>,
  s: Situation<Spec, Live, Own>,
): Pick<InSync, 'kept'> {
  const all = keptOf(kind.fields, kind.want(s.spec, s.resolved, s.status), s.status);
  const own: readonly string[] = kind.answersFor?.(s) ?? [];
  const kept = Object.fromEntries(Object.entries(all).filter(([path]) => !own.includes(path)));
  return Object.keys(kept).length > 0 ? { kept } : {};
}

/** A create without a response made what it sent. A declaration that differs from that is an edit. */
const noted = (s: Situation<unknown, unknown, unknown>): Step<never> => ({
  verb: 'adopt',
  summary: 'take note of what a create made whose answer was lost',
  changes: [],
  applied: s.status.applied,
});

/** An edit that can't be made, or is refused, must not delay other work. */
function until<E>(plan: Plan<E>, dueMs: number): Plan<E> {
  if (dueMs === Infinity) return plan;
  if (plan.verdict === 'blocked') return { ...plan, dueMs };
  if (plan.verdict !== 'change') return plan;
  const [first, ...later] = plan.steps;
  return { ...plan, steps: [{ ...first, retryMs: dueMs }, ...later] };
}

/** Milliseconds until other work is due, or is looked for. */
function dueIn(plan: InSync | Blocked | Gone, nowMs: number): number {
  if (plan.verdict === 'gone') return Infinity;
  const askedMs = plan.verdict === 'in-sync' ? plan.revisitMs : wakingMs(plan, nowMs);
  return Math.min(plan.dueMs ?? Infinity, askedMs ?? Infinity);
}

const wakingMs = ({ wake }: Blocked, nowMs: number): number | undefined =>
  wake.on === 'time' ? wake.atMs - nowMs : undefined;

/** Without a record, the observed values are recorded as applied. Otherwise, unreadable fields would be written again. */
function remembering<E>(plan: Change<E>, s: Situation<unknown, unknown, unknown>, applied: Applied): Plan<E> {
  const [first, ...later] = plan.steps;
  return s.status.externalRef ? plan : { ...plan, steps: [{ applied, ...first }, ...later] };
}

/** Records differing fields as observed. Writing them is then an edit, which no drift mode holds back. */
const asSeen = (found: readonly FieldChange[]): Applied =>
  Object.fromEntries(found.map((c) => [c.path, c.live ?? null]));

function foreign<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
  found: readonly FieldChange[],
): Plan<E> {
  const displaced = kind.displaced?.(s, live);
  if (displaced !== undefined) return stalled('AdoptionRefused', displaced, { on: 'live' }, found);
  const policy = s.policy.adoption;
  const stuck = found.find((c) => remedyOf(kind.fields, s.policy, c) === 'refuse');
  if (stuck || !adoption[policy][found.length === 0 ? 'same' : 'differs']) {
    const paths = found.map((c) => c.path).join(', ');
    const differs = found.length === 0 ? 'it agrees with the spec' : `${paths} differ`;
    const why = stuck ? `${stuck.path} can't be changed` : `adoptionPolicy: ${policy}`;
    const { identity: recorded } = s.status;
    const forgets =
      recorded === undefined
        ? ''
        : `, but in the place of ${recorded.trim()}, which an adoption would forget`;
    const message = `it exists and is not ours${forgets}; ${differs} (${why})`;
    return stalled('AdoptionRefused', message, { on: 'live' }, found);
  }
  // Unreadable fields are recorded as declared, so that they are not sent.
  const applied = { ...appliedBy(kind, s), ...asSeen(found) };
  const identity = kind.identity(live);
  const data = kind.data?.(live);
  const taken = { applied, identity, ...(data !== undefined && { data }) };
  const adopt = { verb: 'adopt' as const, summary: 'take over what is there', changes: [], ...taken };
  if (found.length === 0) return { verdict: 'change', steps: [adopt] };
  const replaced = found.some((c) => remedyOf(kind.fields, s.policy, c) === 'replace');
  const verb = replaced ? 'replace' : 'update';
  const summary = replaced ? 'replace it by a new one' : 'bring it in line';
  return { verdict: 'change', steps: [adopt, { verb, summary, changes: found }] };
}

function bringInLine<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
  write: readonly FieldChange[],
): Plan<E> {
  const how = (c: FieldChange) => remedyOf(kind.fields, s.policy, c);
  // Only an edit replaces: a field that never reads back as written would be replaced again and again.
  const refused = write.find((c) => how(c) === 'refuse' || (how(c) === 'replace' && c.cause === 'drift'));
  if (refused)
    return immutable(refused.path, `can't be changed in place (replacePolicy: ${s.policy.replace})`, write);
  const replacing = write.find((c) => how(c) === 'replace');
  if (replacing) return replace(kind, s, live, replacing, write);
  const drifted = write.every((c) => c.cause === 'drift');
  const spent = drifted && write.find((c) => (s.status.tries[c.path] ?? 0) >= triesMax);
  if (spent) {
    const message = `${spent.path}: written ${triesMax} times and still different`;
    return stalled('NonConverging', message, { on: 'edit' }, write);
  }
  const step = kind.update(s, live, write);
  if ('why' in step) return immutable(step.path, step.why, write);
  const plan = updating(kind, s, write, step);
  if (step.disruptive !== true) return plan;
  const waits = unlessInUse(kind, s, live, 'UpdateBlocked', write, plan);
  return waits.verdict === 'blocked' ? (meanwhile(kind, s, live, write, waits) ?? waits) : waits;
}

/** @param others differing fields that it does not write: they stay recorded as they were */
function updating<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  write: readonly FieldChange[],
  step: Effectful<E>,
  others: readonly FieldChange[] = [],
): Change<E> {
  const left = new Set(others.map(({ path }) => path));
  const all = Object.entries(appliedBy(kind, s)).filter(([path]) => !left.has(path));
  const former = Object.entries(s.status.applied).filter(([path]) => left.has(path));
  return {
    verdict: 'change',
    steps: [
      {
        ...step,
        verb: 'update',
        changes: write,
        applied: Object.fromEntries([...all, ...former]),
        ...keeping(kind, s),
        unsure: unsureOf(kind.fields, write, s.status.applied),
        // The update removes the object for a moment. With this intent, the next visit registers it again.
        ...(step.halfway === true && { intent: { op: 'update', token: write.map((c) => c.path).join() } }),
      },
    ],
  };
}

/**
 * Writes the fields that can be written while it is in use. The others wait, for as long as a job runs: nobody should wait with
 * them who only wants it larger. `undefined`: there are none.
 */
function meanwhile<Spec, Live, Own, F extends string, E>(
  kind: Lifecycle<Spec, Live, Own, F, E>,
  s: Situation<Spec, Live, Own>,
  live: Live,
  write: readonly FieldChange[],
  { message }: Blocked,
): Change<E> | undefined {
  const isSpent = ({ path, cause }: FieldChange) =>
    cause === 'drift' && (s.status.tries[path] ?? 0) >= triesMax;
  const calm = write.filter((c) => !isSpent(c) && isCalm(kind.update(s, live, [c])));
  if (calm.length === 0) return undefined;
  const step = kind.update(s, live, calm);
  if (!isCalm(step)) return undefined;
  const others = write.filter((c) => !calm.includes(c));
  const { steps } = updating(kind, s, calm, step, others);
  const later = {
    verb: 'update',
    summary: `update the rest, which waits: ${message}`,
    changes: others,
  } as const;
  return { verdict: 'change', steps: [...steps, later] };
}

const isCalm = <E>(step: Effectful<E> | Impossible): step is Effectful<E> =>
  !('why' in step) && step.disruptive !== true;
