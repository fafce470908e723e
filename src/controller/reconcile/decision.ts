// From a declaration to the next step: preconditions, observation, plan, and the checks before a step. The reconciler and
// the dry run share this code, so `plan` shows the step that a reconcile would make first.
import { usersOf } from '../connections/users.ts';
import { isConnection } from '../index/connection-path.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Clock, WallClock } from '../../core/time/clock.ts';
import { isSourceEffect } from '../../core/effect.ts';
import { ConflictError } from '../../core/errors.ts';
import type { ObservationInput, Observation } from '../../core/kind/opened.ts';
import type { Ending } from '../../core/status/outcome.ts';
import type { Published } from '../../core/source/output.ts';
import { deletionID } from '../../core/planning/deletion-limits.ts';
import type { Blocked, Gone, InSync, Plan, Step } from '../../core/planning/plan.ts';
import { suspended } from '../../core/planning/policy.ts';
import type { release } from '../../core/planning/saved-plan.ts';
import { isReadable, keyText, type DeclaredObject } from '../../core/resource.ts';
import type { Entry } from '../../core/source/source.ts';
import type { Status } from '../../core/status/status.ts';
import { objection, openerOf } from './destruction.ts';
import { stillUsed } from './holders.ts';
import { beyondLimits } from './limits.ts';
import {
  observationInputOf,
  preconditionsOf,
  released,
  type PreconditionPorts,
  type Preconditions,
} from './preconditions.ts';
import { baseline, isSuspended, isSuspendedConnection } from './requests.ts';
import { readSecrets, type Secrets } from './resolve.ts';
import type { TransitionTimes } from './transition-times.ts';

export interface DecisionPorts<E, Reader>
  extends PreconditionPorts<E, Reader>, Pick<Clock, 'nowMs'>, WallClock {
  readonly transitionTimes: TransitionTimes;
  /**
   * Why the step is not part of the saved plan being applied (core/planning/saved-plan.ts). Absent: no plan is being
   * applied.
   */
  readonly beyondPlan?: (subject: Subject, doing: Step<unknown> | typeof release) => Blocked | undefined;
}

export interface Subject {
  readonly key: string;
  readonly object: DeclaredObject;
  readonly status: Status;
}

export const subjectOf = <E, Reader>(
  key: string,
  { object, status }: Entry,
  { kinds }: Pick<DecisionPorts<E, Reader>, 'kinds'>,
): Subject => ({
  key,
  object,
  status: baseline(object, status, kinds.get(object.key.kind)?.requests),
});

/** Checks the preconditions of an observation. @returns them, or how the visit ends without them @throws SpecError */
export async function prepare<E, Reader>(
  subject: Subject,
  ports: PreconditionPorts<E, Reader>,
): Promise<{ readonly secrets: Secrets; readonly preconditions: Preconditions<E, Reader> | Ending | Gone }> {
  const { object } = subject;
  if (object.problem && !(object.deleting && isReadable(object)))
    return { secrets: new Map(), preconditions: released(object) ?? { is: 'failed', error: object.problem } };
  const secrets = await readSecrets(object, ports);
  return { secrets, preconditions: preconditionsOf({ ...subject, secrets }, ports) };
}

export interface Decision<E, Reader> {
  readonly input: ObservationInput<Reader>;
  readonly observation: Observation<E>;
  readonly plan: Plan<E>;
  /** When it was observed, monotonic. */
  readonly observedMs: number;
}

/** The source may take long to record an intent. What was observed longer ago (ms) than this is observed again then. */
const staleMs = 1_000;

/**
 * Observes the external object and plans.
 * @param published state of the published output; `undefined`: unknown
 * @throws ApiError
 */
export async function decide<E, Reader>(
  { key, object, status }: Subject,
  preconditions: Preconditions<E, Reader>,
  published: Published | undefined,
  ports: DecisionPorts<E, Reader>,
  signal: AbortSignal,
): Promise<Decision<E, Reader>> {
  const tryRestart = ports.source.tryRestart?.bind(ports.source, object.key.namespace);
  const input = {
    ...observationInputOf(object, status, preconditions, published, ports.nonce()),
    ...(tryRestart && { tryRestart }),
    children: () => childrenOf(key, ports),
    ...(isConnection(key, ports) && { users: usersOf(key, ports) }),
  };
  const planned = await observeAndPlan(key, input, preconditions, ports, signal);
  return { input, ...planned, observedMs: ports.nowMs() };
}

const childrenOf = <E, Reader>(key: string, { graph, source }: DecisionPorts<E, Reader>): readonly Entry[] =>
  graph.children(key).flatMap((child) => source.read(child) ?? []);

/** Observes and plans again with the same input. @throws ApiError */
async function observeAndPlan<E, Reader>(
  key: string,
  input: ObservationInput<Reader>,
  preconditions: Preconditions<E, Reader>,
  ports: DecisionPorts<E, Reader>,
  signal: AbortSignal,
): Promise<Pick<Decision<E, Reader>, 'observation' | 'plan'>> {
  const { opened, inUse, contest } = preconditions;
  const seen = await opened.observe(input, signal);
  const observation = contest ? { ...seen, report: () => ({ unready: contest, ...seen.report() }) } : seen;
  const { object } = input;
  const planned = ports.transitionTimes.plan(key, observation, ports);
  const connection = suspendedIn(planned, preconditions, ports);
  const policy = { ...opened.policy, suspend: isSuspended(object, opened.policy) };
  const plan = suspended(planned, policy, object.deleting, connection);
  if (!inUse) return { observation, plan };
  const isIdle = plan.verdict === 'in-sync' || (plan.verdict === 'gone' && !observation.absent);
  if (isIdle) return { observation, plan: inTheWay(plan, inUse.plan) };
  // Nobody can be made from what is not there, and can't be brought back: it goes, and they say that it is missing. The limits were
  // not asked before the look, which might have found that it stays.
  const asks = plan.verdict === 'gone' && object.held;
  const ended = asks ? beyondLimits(key, deletionID(object), preconditions.connection, ports) : undefined;
  return { observation, plan: ended ?? plan };
}

/** While others wait for what was recorded, something else has its place, and nobody but a person can do something about that. */
function inTheWay(plan: InSync | Gone, used: Blocked): Blocked {
  if (plan.verdict !== 'gone' || plan.foreign === undefined) return used;
  const what = `what is there is not its own: ${plan.foreign}. Remove that outside, or remove what uses it`;
  return { ...used, message: `${used.message}, and ${what}` };
}

/**
 * The suspended connection that the next step would go through, or that the object uses. It is asked for each plan, so a
 * suspension counts at once, also during a visit.
 */
function suspendedIn<E, Reader>(
  plan: Plan<E>,
  { opened, connection }: Preconditions<E, Reader>,
  { source }: DecisionPorts<E, Reader>,
): string | undefined {
  const via = plan.verdict === 'change' ? plan.steps[0].via : undefined;
  const others = opened.references.filter(({ field }) => field === via).map(({ target }) => keyText(target));
  return [connection, ...others].find((at) => isSuspendedConnection(at, source));
}

/**
 * The last check before a step that destroys, or that changes a service and whose intent took long to record: observes and plans once
 * more. Before any other one, whether what it disturbs was frozen meanwhile. What the source does has conditions of its own, and may
 * say when it was planned, as a drill does.
 * @returns whether the plan still begins with the same step and nothing objects to it; if not, the visit plans anew
 * @throws ConflictError if another object, of which nothing was known before, still needs this one
 */
export async function isStillPlanned<E, Reader>(
  { step, ...subject }: Subject & { readonly step: Step<E> },
  preconditions: Preconditions<E, Reader>,
  { input, observedMs }: Pick<Decision<E, Reader>, 'input' | 'observedMs'>,
  ports: DecisionPorts<E, Reader>,
  signal: AbortSignal,
): Promise<boolean> {
  const isOutside = step.effect !== undefined && !isSourceEffect(step.effect);
  const isStale = isOutside && ports.nowMs() - observedMs > staleMs;
  // Its intent took a while to record: what it would disturb may have been frozen meanwhile.
  if (!step.destroys && !isStale) return openerOf(subject.key, step, ports) === undefined;
  // Before the step the source was asked once more. Whoever still needs the object is a precondition of the next visit. What is brought
  // back for them is needed by them.
  if (step.destroys && subject.object.deleting && stillUsed(subject.key, ports))
    throw new ConflictError('edited', `${subject.key} is still used`);
  const { plan } = await observeAndPlan(subject.key, input, preconditions, ports, signal);
  const now = plan.verdict === 'change' ? plan.steps[0] : undefined;
  if (now?.verb !== step.verb || !isDeepStrictEqual(now.effect, step.effect)) return false;
  return !objectionTo(subject, now, preconditions, ports);
}

/** Why the first step of a plan may not be made now, for a reconcile and a dry run alike. */
export const objectionTo = <E, Reader>(
  subject: Subject,
  step: Step<E>,
  { connection }: Preconditions<E, Reader>,
  ports: DecisionPorts<E, Reader>,
): Blocked | undefined =>
  ports.beyondPlan?.(subject, step) ?? objection({ ...subject, connection, step }, ports);
