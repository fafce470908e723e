// The dry run behind `holdfast plan`: forecasts the plan of every object. It shares the decision code with the reconciler,
// so it shows the step that a reconcile would make first. It writes nothing, neither to a service nor to the source.
import { ApiError, messageOf } from '../core/errors.ts';
import type { Holding } from '../core/status/condition.ts';
import type { ConditionType } from '../core/status/reasons.ts';
import type { Ending } from '../core/status/outcome.ts';
import type { FieldChange } from '../core/status/status.ts';
import { blocked, type Blocked, type Change, type Plan, type Step } from '../core/planning/plan.ts';
import type { Resolved } from '../core/resource.ts';
import {
  objectionTo,
  decide,
  prepare,
  subjectOf,
  type DecisionPorts,
  type Subject,
} from './reconcile/decision.ts';
import { takingOver as adopting, type Inheritance } from './reconcile/moves.ts';
import type { Preconditions } from './reconcile/preconditions.ts';
import { approvalOf } from './reconcile/destruction.ts';
import { deletionID } from '../core/planning/deletion-limits.ts';
import { isConnection } from './index/connection-path.ts';
import { indexObject } from './index/indexing.ts';
import { Prerequisites } from './prerequisites.ts';
import { wavesOf } from './waves.ts';

/**
 * The forecast for one object. `error`: it can't be planned. `held`: why its first step would not be made now. `after`:
 * keys of objects that become ready, or leave, only once their own plans are carried out; this object waits for them.
 */
export type Forecast =
  | {
      readonly key: string;
      readonly plan: Plan<unknown>;
      readonly held?: Blocked;
      readonly after?: readonly string[];
      /** ID of the deletion or replacement that it would make (deletion-limits.ts). Absent: none, or it is held back. */
      readonly going?: string;
      readonly movesFrom?: string;
      /** Of a connection: what its token lacks for what is declared. */
      readonly lacks?: string;
      /** References to Secrets whose values the plan goes on without, each with why: a reconcile waits for these. */
      readonly unchecked?: readonly string[];
    }
  | { readonly key: string; readonly error: string };

export interface DryRunOptions<E, Reader> {
  readonly ports: DecisionPorts<E, Reader>;
  readonly concurrency: number;
}

/** Plans in waves (waves.ts): the plan of an object may depend on what the plans of others will have done. */
export async function dryRun<E, Reader>(
  { ports, concurrency }: DryRunOptions<E, Reader>,
  signal: AbortSignal,
): Promise<readonly Forecast[]> {
  const keys = [...ports.source.keys()].toSorted();
  for (const key of keys) indexObject(key, ports);
  const all = new Map<string, Planned<E, Reader>>();
  const expected: Expected = { written: new Map(), changing: new Set(), leaving: new Set() };
  const prerequisites = new Prerequisites<E, Reader>();
  for (const wave of wavesOf(keys, ports)) {
    const planned: Planned<E, Reader>[] = [];
    const left = [...wave];
    const worker = async () => {
      for (let key = left.shift(); key !== undefined; key = left.shift())
        planned.push(await checked(await planOne(key, expected, ports, signal), prerequisites, signal));
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    for (const one of planned) {
      const { key } = one.shown;
      all.set(key, one);
      if (willBeReady(one, ports)) expected.written.set(key, writtenBy(one));
      if (willChange(one)) expected.changing.add(key);
      if (willBeGone(one, ports)) expected.leaving.add(key);
    }
  }
  // Replacements are planned by now, so that they count towards the deletion limits like deletions do.
  return [...all.values()]
    .map((one) => {
      const kept = keptIn(one.shown, ports);
      if (kept) return kept;
      const held = heldBy(one, ports);
      if (held) return { ...one.shown, held };
      const going = goingIn(one, ports);
      return going === undefined ? one.shown : { ...one.shown, going };
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** The forecast of an object whose manifest is gone and whose deletion is held back. Its last declaration is in sync. */
function keptIn<E, Reader>(shown: Forecast, { source }: DecisionPorts<E, Reader>): Forecast | undefined {
  const heldBack = source.read(shown.key)?.object.heldBack;
  if (heldBack === undefined || !('plan' in shown) || shown.plan.verdict !== 'in-sync') return undefined;
  return { key: shown.key, plan: blocked('DeletionHeldBack', heldBack, { on: 'edit' }) };
}

interface Planned<E, Reader> {
  readonly shown: Forecast;
  readonly act?: {
    readonly subject: Subject;
    readonly step: Step<E>;
    readonly preconditions: Preconditions<E, Reader>;
  };
  /** What a create lacks. */
  readonly missing?: Blocked;
}

async function checked<E, Reader>(
  one: Planned<E, Reader>,
  prerequisites: Prerequisites<E, Reader>,
  signal: AbortSignal,
): Promise<Planned<E, Reader>> {
  const missing = one.act && (await prerequisites.missing(one.act.step, one.act.preconditions, signal));
  return missing ? { ...one, missing } : one;
}

const heldBy = <E, Reader>(
  { act, missing }: Planned<E, Reader>,
  ports: DecisionPorts<E, Reader>,
): Blocked | undefined => missing ?? (act && objectionTo(act.subject, act.step, act.preconditions, ports));

function goingIn<E, Reader>(
  { shown, act }: Planned<E, Reader>,
  { source }: DecisionPorts<E, Reader>,
): string | undefined {
  if (act) return approvalOf({ object: act.subject.object, step: act.step });
  const object =
    'plan' in shown && shown.plan.verdict === 'gone' ? source.read(shown.key)?.object : undefined;
  return object?.deleting ? deletionID(object) : undefined;
}

function willBeReady<E, Reader>(one: Planned<E, Reader>, ports: DecisionPorts<E, Reader>): boolean {
  const held = heldBy(one, ports);
  const isHeld = held !== undefined && held.serves !== true;
  const plan = 'plan' in one.shown ? one.shown.plan : undefined;
  return !isHeld && (plan?.verdict === 'change' || plan?.verdict === 'in-sync');
}

function willBeGone<E, Reader>(one: Planned<E, Reader>, ports: DecisionPorts<E, Reader>): boolean {
  const { shown } = one;
  if (!('plan' in shown) || ports.source.read(shown.key)?.object.deleting !== true) return false;
  return (
    shown.plan.verdict === 'gone' || (shown.plan.verdict === 'change' && heldBy(one, ports) === undefined)
  );
}

/** What becomes of objects once their plans are carried out. */
interface Expected {
  /** Of those that will be ready, by key: what the plans write. */
  readonly written: Map<string, readonly FieldChange[]>;
  /** Keys of those that plans change: who needs one comes after that. */
  readonly changing: Set<string>;
  /** Keys of those that will be gone. */
  readonly leaving: Set<string>;
}

const writtenBy = <E, Reader>({ shown }: Planned<E, Reader>): readonly FieldChange[] =>
  'plan' in shown && shown.plan.verdict === 'change' ? shown.plan.steps.flatMap((step) => step.changes) : [];

const willChange = <E, Reader>({ shown }: Planned<E, Reader>): boolean =>
  'plan' in shown && shown.plan.verdict === 'change';

const nothingExpected: Expected = { written: new Map(), changing: new Set(), leaving: new Set() };

async function planOne<E, Reader>(
  key: string,
  { written, changing, leaving }: Expected,
  ports: DecisionPorts<E, Reader>,
  signal: AbortSignal,
): Promise<Planned<E, Reader>> {
  const entry = ports.source.read(key);
  if (!entry) return { shown: { key, error: 'no longer declared' } };
  const after = new Set<string>();
  const asExpected = (of: string) => {
    const changes = written.get(of);
    if (changes && changing.has(of)) after.add(of);
    return changes;
  };
  const leaves = (of: string) => {
    if (leaving.has(of)) after.add(of);
    return leaving.has(of);
  };
  try {
    const expecting = { ...ports, expected: asExpected, leaves };
    const planned = await forecast(subjectOf(key, entry, ports), expecting, signal);
    return after.size === 0 ? planned : { ...planned, shown: { ...planned.shown, after: [...after] } };
  } catch (error) {
    // A referent that does not exist yet can't be read, so the object is planned as waiting for it.
    if (after.size > 0 && error instanceof ApiError)
      return await planOne(key, nothingExpected, ports, signal);
    if (isConnection(key, ports)) ports.connections.setHealth(key, false, messageOf(error));
    return { shown: unplanned(key, error) };
  }
}

async function forecast<E, Reader>(
  subject: Subject,
  ports: DecisionPorts<E, Reader>,
  signal: AbortSignal,
): Promise<Planned<E, Reader>> {
  const { key } = subject;
  const open = ports.kinds.get(subject.object.key.kind)?.openIn(subject.status);
  if (open) {
    const { summary } = open;
    return { shown: { key, plan: { verdict: 'change', steps: [{ verb: 'act', summary, changes: [] }] } } };
  }
  const { preconditions } = await prepare(subject, ports);
  if (!('opened' in preconditions)) {
    const shown = ended(key, preconditions);
    const message =
      'error' in shown ? shown.error : shown.plan.verdict === 'blocked' ? shown.plan.message : '';
    if (isConnection(key, ports)) ports.connections.setHealth(key, false, message);
    return { shown };
  }
  const { inherits, inUse } = preconditions;
  const taken = inherits ? inheriting(subject, inherits) : subject;
  // The published output is not read; the recorded one counts.
  const { plan, observation } = await decide(taken, preconditions, undefined, ports, signal);
  if (isConnection(key, ports)) {
    const isUsable = plan.verdict === 'in-sync' || plan === inUse?.plan;
    ports.connections.setHealth(key, isUsable, plan.verdict === 'blocked' ? plan.message : '');
  }
  const shown = {
    ...(inherits
      ? { key, plan: takingOver(plan, inherits.from), movesFrom: inherits.from }
      : { key, plan, ...lacking(observation.report().conditions) }),
    ...(plan.verdict === 'change' && unchecked(preconditions.resolved)),
  };
  return plan.verdict === 'change'
    ? { shown, act: { subject: taken, step: plan.steps[0], preconditions } }
    : { shown };
}

function lacking(conditions: readonly Holding[]): { readonly lacks?: string } {
  const rights = conditions.find(({ type }) => type === ('PermissionsSufficient' satisfies ConditionType));
  return rights?.status === 'False' ? { lacks: rights.message } : {};
}

/** A Secret with a version was there when it was last written. */
function unchecked(resolved: Resolved): { readonly unchecked?: readonly string[] } {
  const found = [...resolved].flatMap(([field, one]) => {
    const absence = one.state === 'secret' && one.secret.version === '' ? one.secret.absence : undefined;
    return absence === undefined ? [] : [`${field} is not checked: ${absence}`];
  });
  return found.length === 0 ? {} : { unchecked: found };
}

const inheriting = ({ key, object }: Subject, { status }: Inheritance): Subject => ({
  key,
  object: { ...object, held: true },
  status,
});

function takingOver(plan: Plan<unknown>, from: string): Plan<unknown> {
  return { verdict: 'change', steps: [adopting(from), ...(plan.verdict === 'change' ? plan.steps : [])] };
}

function ended(key: string, ending: Ending | Exclude<Plan<never>, Change<never>>): Forecast {
  if (!('is' in ending)) return { key, plan: ending };
  switch (ending.is) {
    case 'rest':
    case 'blocked':
      return { key, plan: ending.plan };
    case 'parked':
      return { key, error: ending.message };
    case 'failed':
      return unplanned(key, ending.error);
  }
}

/** An error of class `waiting`, such as a missing mount, blocks the object. It is not a failure of planning. */
function unplanned(key: string, error: unknown): Forecast {
  if (!(error instanceof ApiError) || error.class !== 'waiting') return { key, error: messageOf(error) };
  return { key, plan: blocked(error.reason, error.message, { on: 'live' }) };
}
