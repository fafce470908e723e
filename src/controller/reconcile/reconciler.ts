// Reconciles one object: preconditions, then (observe, plan, at most one effect) until nothing is left to do, then one
// status write. Each intent is written before its effect, so the next visit can finish what a crash interrupted.
import type { Observation } from '../../core/kind/opened.ts';
import { ApiError, ConflictError } from '../../core/errors.ts';
import type { Report } from '../../core/kind/kind.ts';
import type { Conclusion, Ending } from '../../core/status/outcome.ts';
import { stalled, type Change, type Gone, type Plan, type Step } from '../../core/planning/plan.ts';
import { release } from '../../core/planning/saved-plan.ts';
import type { Handle } from '../../core/source/source.ts';
import type { Status } from '../../core/status/status.ts';
import type { Decision, Subject } from './decision.ts';
import { decide, isStillPlanned, objectionTo, prepare, subjectOf } from './decision.ts';
import { conclusionOf, keptBy, withoutPending } from './conclusion.ts';
import { afterConflictMs, isCurrent, isWorthWriting, neededBy, untriedMs, type Visit } from './endings.ts';
import { released, type Preconditions } from './preconditions.ts';
import { Closing } from './closing.ts';
import { intended, proven, recordsDeletion, refused, type Failed } from './intent.ts';
import { keep } from './keeping.ts';
import { takingOver, type Inheritance } from './moves.ts';
import type { Ports } from './ports.ts';
import { lookUp, resume } from './resume.ts';
import type { Secrets } from './resolve.ts';
import { inProgress, letGo, send, shownWhile, tryOutput } from './sending.ts';

const stepsMax = 16;

/** @returns `undefined` if the object does not exist, or the source does not allow work on it yet */
export async function reconcile<E, Reader>(
  key: string,
  failures: number,
  ports: Ports<E, Reader>,
  signal: AbortSignal,
): Promise<Visit | undefined> {
  const handle = ports.source.open(key);
  if (!handle) return undefined;
  const run = new Run(key, handle, ports, signal);
  try {
    return await run.finish(await run.play(), failures);
  } catch (error) {
    if (error instanceof ConflictError) return run.conflict(error, failures);
    throw error;
  }
}

class Run<E, Reader> {
  readonly #key: string;
  readonly #handle: Handle;
  readonly #ports: Ports<E, Reader>;
  readonly #signal: AbortSignal;
  readonly #done: Step<E>[] = [];
  #preconditions: Preconditions<E, Reader> | undefined;
  readonly #closing: Closing<E, Reader>;
  /** This visit added the finalizer, so no effect can have been sent before. */
  #heldHere = false;
  /** The status as carried through the visit. The handle has the last written one. */
  #status: Status;
  #secrets: Secrets = new Map();
  #report: Report | undefined;
  #tookFrom: string | undefined;
  #absent = false;
  #output: string | undefined;

  constructor(key: string, handle: Handle, ports: Ports<E, Reader>, signal: AbortSignal) {
    this.#key = key;
    this.#handle = handle;
    this.#status = subjectOf(key, handle, ports).status;
    this.#ports = ports;
    this.#signal = signal;
    this.#closing = new Closing(ports);
  }

  /** Runs the visit up to its ending. Failures are endings; throws only for a lost conditional write and at shutdown. */
  async play(): Promise<Ending | Gone> {
    const open = await this.#close();
    if (open && !released(this.#handle.object)) return open;
    let left: Ending | undefined;
    let ending: Ending | Gone;
    try {
      ending = await this.#visit();
    } finally {
      left = await this.#close();
    }
    return open ? ending : (left ?? ending);
  }

  async #close(): Promise<Ending | undefined> {
    const { status, step, left } = await this.#closing.close(this.#subject);
    this.#status = status;
    if (step) this.#done.push(step);
    return left;
  }

  async #visit(): Promise<Ending | Gone> {
    try {
      const found = lookUp(this.#subject, this.#handle, this.#ports);
      if (found && 'is' in found) return found;
      const { secrets, preconditions } = await prepare(this.#subject, this.#ports);
      this.#secrets = secrets;
      if (!('opened' in preconditions)) return preconditions;
      this.#preconditions = preconditions;
      const resting = found && resume(this.#subject, found, preconditions, this.#ports);
      if (resting) return resting;
      const unplanned = preconditions.inherits && (await this.#inherit(preconditions.inherits));
      return unplanned ? { is: 'blocked', plan: unplanned } : await this.#steps(preconditions);
    } catch (error) {
      if (error instanceof ConflictError || this.#signal.aborted) throw error;
      return { is: 'failed', error };
    }
  }

  async #steps(preconditions: Preconditions<E, Reader>): Promise<Ending | Gone> {
    const ports = this.#ports;
    this.#output = preconditions.opened.output;
    const isConnection = preconditions.connection === this.#key;
    const limits = isConnection ? ports.connections.limits(this.#key) : undefined;
    if (limits) this.#status = { ...this.#status, limits };
    await keep(this.#handle, this.#status, preconditions.opened.policy, isConnection);
    let failed: ApiError | undefined;
    for (let turn = 0; turn < stepsMax; turn++) {
      const published = this.#output === undefined ? undefined : await this.#handle.published(this.#output);
      const decision = await decide(this.#subject, preconditions, published, ports, this.#signal);
      const { observation, plan } = decision;
      this.#report = observation.report();
      this.#absent = observation.absent;
      this.#observed(preconditions);
      if (plan === preconditions.inUse?.plan) return preconditions.inUse;
      if (plan.verdict !== 'change') return this.#settle(plan, observation);
      const [step] = plan.steps;
      if (failed && step.verb !== 'revive') return { is: 'failed', error: failed };
      const objection = objectionTo(this.#subject, step, preconditions, ports);
      const due = step.dueMs !== undefined && { dueMs: step.dueMs };
      if (objection) return { is: 'blocked', plan: { ...objection, ...due } };
      if (step.opens) ports.openEffects.add(this.#key, step.opens);
      const isOpen = this.#closing.openIn(this.#subject) !== undefined;
      failed = await this.#make(step, decision, preconditions);
      const left = isOpen ? await this.#close() : undefined;
      if (left && !failed) return left;
      // If the create of a replacement fails, the visit goes on: the next plan may bring the old object back at once.
      const isHalfReplaced = step.verb === 'create' && this.#status.pending?.op === 'replace';
      if (failed && !isHalfReplaced) return { is: 'failed', error: failed, retryMs: step.retryMs };
    }
    const message = `still changing after ${stepsMax} steps`;
    return { is: 'blocked', plan: stalled('NonConverging', message, { on: 'live' }) };
  }

  get #subject(): Subject {
    return { key: this.#key, object: this.#handle.object, status: this.#status };
  }

  async #inherit({ from, status }: Inheritance) {
    const { owners, kinds, beyondPlan } = this.#ports;
    const taking = takingOver(from);
    const unplanned = beyondPlan?.(this.#subject, taking);
    if (unplanned) return unplanned;
    await this.#handle.hold(status);
    this.#status = status;
    this.#tookFrom = from;
    owners.drop(from);
    owners.record(from, [], undefined);
    const external =
      status.externalRef && kinds.get(this.#handle.object.key.kind)?.external(status.externalRef);
    if (external) owners.claim(external, this.#key, true);
    this.#done.push(taking);
    return undefined;
  }

  #observed({ opened, used, resolved }: Preconditions<E, Reader>): void {
    if (this.#report?.index === undefined) return;
    const ref = this.#status.externalRef ?? opened.locate(used.connection, resolved);
    this.#ports.onObserved?.(opened.external(ref), this.#report.index);
  }

  #settle(plan: Exclude<Plan<E>, Change<E>>, observation: Observation<E>): Ending | Gone {
    switch (plan.verdict) {
      case 'in-sync':
        this.#status = observation.afterRest(plan);
        return { is: 'rest', plan };
      case 'blocked':
        return { is: 'blocked', plan };
      case 'gone':
        return plan;
    }
  }

  /** @returns why the step failed; `undefined`: it was done, or is no longer planned */
  async #make(
    step: Step<E>,
    decision: Decision<E, Reader>,
    preconditions: Preconditions<E, Reader>,
  ): Promise<ApiError | undefined> {
    const ports = this.#ports;
    const before = this.#status;
    await tryOutput(step.trial, this.#handle);
    await this.#intend(step);
    try {
      if (this.#handle.object.deleting || step.destroys) await this.#handle.confirm(!!step.destroys);
      const planned = { ...this.#subject, step };
      if (!(await isStillPlanned(planned, preconditions, decision, ports, this.#signal)))
        return await this.#unsent(before);
    } catch (error) {
      await this.#unsent(before);
      throw error;
    }
    if (step.intent) ports.transitionTimes.forget(this.#key); // from now on, the same wait is a new one
    this.#closing.watch(this.#subject);
    ports.onStep?.(this.#key, step, undefined);
    const outcome = await shownWhile(
      () => send(step, preconditions, this.#handle, this.#key, this.#signal),
      () => this.#showProgress(step),
      ports,
    );
    ports.onStep?.(this.#key, step, outcome);
    if (outcome.is !== 'done') return this.#failed(step, outcome, before);
    const { conditions } = this.#status;
    this.#status = { ...decision.observation.afterStep(step, outcome.reply), conditions };
    this.#heldHere = false;
    this.#done.push(step);
    return undefined;
  }

  /** Drops the intent, and the finalizer that came with it: it would say that what is there is ours. */
  async #unsent(before: Status): Promise<undefined> {
    this.#status = before;
    if (this.#heldHere) await this.#handle.unhold();
  }

  /** Records what a crash must not lose: the finalizer and the intent. */
  async #intend(step: Step<E>): Promise<void> {
    const handle = this.#handle;
    const before = this.#status;
    this.#status = intended(step, before, new Date(this.#ports.wallMs()).toISOString());
    const changed = this.#status === before ? undefined : this.#status;
    if (!handle.object.held) {
      await handle.hold(changed);
      this.#heldHere = true;
    } else if (changed) {
      const approved = this.#ports.approvals.approved(this.#key);
      const counts = recordsDeletion({ object: handle.object, step }, before, approved);
      await handle.writeStatus(changed, { recordDeletion: counts });
    }
  }

  async #showProgress(step: Step<E>): Promise<void> {
    const now = new Date(this.#ports.wallMs()).toISOString();
    await this.#handle.writeStatus(inProgress(step, this.#status, this.#handle.object.generation, now));
  }

  async #failed(step: Step<E>, outcome: Failed, before: Status): Promise<ApiError | undefined> {
    this.#status = refused(step, outcome, this.#status, before);
    if (proven(step, outcome)) return undefined;
    // Only a rejected create proves that nothing outside is ours. After any other outcome the object stays held.
    if (outcome.is === 'rejected' && step.verb === 'create' && this.#heldHere) await this.#handle.unhold();
    return outcome.error;
  }

  /** Writes the status once, if it changed, or releases the object. */
  async finish(ending: Ending | Gone, failures: number): Promise<Visit> {
    const handle = this.#handle;
    const { object } = handle;
    if (!('is' in ending)) {
      const unplanned = this.#ports.beyondPlan?.(this.#subject, release);
      if (unplanned) return await this.finish({ is: 'blocked', plan: unplanned }, failures);
      const how = { ...ending, exempt: this.#ports.deletions.isUncounted(this.#key) };
      const left = await letGo(ending.removed ? this.#output : undefined, how, handle);
      if (left instanceof ApiError) return await this.finish({ is: 'failed', error: left }, failures);
      if (left.length > 0) await this.#conclude(keptBy(left), failures, withoutPending(this.#status));
      return this.#ended({ is: 'gone', because: ending.because }, undefined);
    }
    const againMs = untriedMs(ending, object, this.#ports.random);
    if (againMs !== undefined) return { ...this.#ended(ending, againMs), status: handle.status };
    const { status, requeueMs } = await this.#conclude(ending, failures);
    return { ...this.#ended(ending, requeueMs), status };
  }

  /** Writes the status, if it changed. */
  async #conclude(ending: Ending, failures: number, status = this.#status): Promise<Conclusion> {
    const { object, status: before } = this.#handle;
    const found = { status, done: this.#done, report: this.#report, absent: this.#absent };
    const concluded = conclusionOf(object, { ending, ...found, failures: failures + 1 }, this.#ports);
    const { status: now } = concluded;
    if (object.unwritten || isWorthWriting(now, before)) await this.#handle.writeStatus(now);
    return concluded;
  }

  conflict({ reason }: ConflictError, failures: number): Visit {
    const { source, random } = this.#ports;
    const isBehind = isCurrent(this.#handle, source.read(this.#key));
    return this.#ended({ is: 'conflict', reason }, afterConflictMs(isBehind, failures + 1, random()));
  }

  #ended(ending: Visit['ending'], requeueMs: number | undefined): Visit {
    const missing = new Map([...this.#secrets].filter(([, { state }]) => state !== 'secret'));
    const took = this.#tookFrom !== undefined && { tookFrom: this.#tookFrom };
    const told = { ...took, ...neededBy(ending, this.#preconditions) };
    const common = { key: this.#key, done: this.#done, ending, status: this.#status, requeueMs, ...told };
    return missing.size === 0 ? common : { ...common, missing };
  }
}
