// One visit to one object: open → resolve → (look → plan → at most one effect) until nothing is left → remember once.
import type { Status } from '../../core/status.ts';
import { isDeepStrictEqual } from 'node:util';
import { ConflictError, type ApiError, type Outcome } from '../../core/errors.ts';
import type { ObservationInput, Report, Observation } from '../../core/kind.ts';
import { conclude, type Ending } from '../../core/outcome.ts';
import {
  stalled,
  type Blocked,
  type Change,
  type Gone,
  type Plan,
  type Step,
} from '../../core/planning/plan.ts';
import { suspended } from '../../core/planning/policy.ts';
import type { DeclaredObject } from '../../core/resource.ts';
import { objection } from './destruction.ts';
import type { Visit } from './endings.ts';
import { observationInputOf, preconditionsOf, type Preconditions } from './preconditions.ts';
import { departs, intended, refused } from './intent.ts';
import type { Inheritance } from './moves.ts';
import { answered, baseline, isSuspended } from './requests.ts';
import { inProgress, send, withdraw } from './sending.ts';
import type { Ports } from './ports.ts';

const stepsMax = 16;
const slowMs = 2_000;
const conflictRetryMs = 50;

/** @returns `undefined` when there is no such object, or it is not decided whether it leaves. */
export async function reconcile<E, Reader>(
  key: string,
  failures: number,
  ports: Ports<E, Reader>,
  signal: AbortSignal,
): Promise<Visit | undefined> {
  const entry = ports.source.read(key);
  if (!entry || entry.object.undecided) return undefined;
  const run = new Run(key, entry.object, entry.memory, ports, signal);
  try {
    return await run.finish(await run.play(), failures);
  } catch (error) {
    if (error instanceof ConflictError) return run.conflict();
    throw error;
  }
}

class Run<E, Reader> {
  readonly #key: string;
  /** As the source has it. */
  #written: Status;
  readonly #ports: Ports<E, Reader>;
  readonly #signal: AbortSignal;
  readonly #done: Step<E>[] = [];
  #object: DeclaredObject;
  /** Held by this visit: nothing can have been sent for it before. */
  #heldHere = false;
  #memory: Status;
  #report: Report | undefined;
  #tookFrom: string | undefined;
  #absent = false;
  /** Name of the Secret that the object publishes. */
  #output: string | undefined;

  constructor(
    key: string,
    object: DeclaredObject,
    memory: Status,
    ports: Ports<E, Reader>,
    signal: AbortSignal,
  ) {
    this.#key = key;
    this.#object = object;
    this.#written = memory;
    this.#memory = baseline(object, memory);
    this.#ports = ports;
    this.#signal = signal;
  }

  /** Everything up to the ending. Failures are endings; only lost conditional writes and the end of the process throw. */
  async play(): Promise<Ending | Gone> {
    try {
      if (this.#object.problem && !this.#object.deleting)
        return { is: 'failed', error: this.#object.problem };
      const ground = preconditionsOf(
        { key: this.#key, object: this.#object, memory: this.#memory },
        this.#ports,
      );
      if (!('opened' in ground)) return ground;
      if (ground.inherits) await this.#inherit(ground.inherits);
      return await this.#steps(ground);
    } catch (error) {
      if (error instanceof ConflictError || this.#signal.aborted) throw error;
      return { is: 'failed', error };
    }
  }

  async #steps(ground: Preconditions<E, Reader>): Promise<Ending | Gone> {
    const { opened } = ground;
    this.#output = opened.output;
    const limits = ground.connection === this.#key ? this.#ports.connections.limits(this.#key) : undefined;
    if (limits) this.#memory = { ...this.#memory, limits };
    let failed: ApiError | undefined;
    for (let turn = 0; turn < stepsMax; turn++) {
      const around = observationInputOf(this.#key, this.#object, this.#memory, ground, this.#ports);
      const seen = await opened.look(around, this.#signal);
      this.#report = seen.report();
      this.#absent = seen.absent;
      const plan = this.#planOf(seen, ground);
      this.#seen(ground);
      if (plan.verdict === 'in-sync' && ground.leaving) return ground.leaving;
      if (plan.verdict !== 'change') return this.#settle(plan, seen);
      const [step] = plan.steps;
      if (failed && step.verb !== 'revive') return { is: 'failed', error: failed };
      const against = this.#objection(step, ground);
      if (against) return { is: 'blocked', plan: against };
      failed = await this.#make(step, seen, ground, around);
      // What can't be replaced comes back at once, not when somebody looks the next time.
      const isHalfReplaced = step.verb === 'create' && this.#memory.pending?.op === 'replace';
      if (failed && !isHalfReplaced) return { is: 'failed', error: failed };
    }
    const message = `still changing after ${stepsMax} steps`;
    return { is: 'blocked', plan: stalled('NonConverging', message, { on: 'edit' }) };
  }

  #planOf(seen: Observation<E>, { opened }: Preconditions<E, Reader>): Plan<E> {
    const isHeld = isSuspended(this.#object, opened.policy);
    return suspended(this.#ports.sinces.plan(this.#key, seen, this.#ports), isHeld, this.#object.deleting);
  }

  #objection(step: Step<E>, { connection }: Preconditions<E, Reader>): Blocked | undefined {
    const about = { key: this.#key, object: this.#object, memory: this.#memory, connection, step };
    return objection(about, this.#ports);
  }

  async #inherit({ from, memory }: Inheritance): Promise<void> {
    const { source, owners, kinds } = this.#ports;
    await source.hold(this.#key, this.#object.uid, memory);
    this.#object = { ...this.#object, held: true };
    this.#memory = memory;
    this.#written = memory;
    this.#tookFrom = from;
    owners.drop(from);
    owners.record(from, [], undefined);
    const external = memory.externalRef && kinds.get(this.#object.key.kind)?.external(memory.externalRef);
    if (external) owners.claim(external, this.#key, true);
    this.#done.push({ verb: 'adopt', summary: `take over from ${from}`, changes: [] });
  }

  #seen({ opened, used, resolved }: Preconditions<E, Reader>): void {
    if (this.#report?.index === undefined) return;
    const ref = this.#memory.externalRef ?? opened.locate(used.connection, resolved);
    this.#ports.onSeen?.(opened.external(ref), this.#report.index);
  }

  #settle(plan: Exclude<Plan<E>, Change<E>>, seen: Observation<E>): Ending | Gone {
    switch (plan.verdict) {
      case 'in-sync':
        this.#memory = seen.afterRest(plan);
        return { is: 'rest', plan };
      case 'blocked':
        return { is: 'blocked', plan };
      case 'gone':
        return plan;
    }
  }

  /** Makes one step. @returns why it failed. */
  async #make(
    step: Step<E>,
    seen: Observation<E>,
    ground: Preconditions<E, Reader>,
    around: ObservationInput<Reader>,
  ): Promise<ApiError | undefined> {
    const { source, onStep } = this.#ports;
    const { uid, generation, deleting } = this.#object;
    const before = this.#memory;
    if (step.trial !== undefined) await source.tryPublish(this.#key, uid, step.trial);
    await this.#intend(step);
    try {
      if (deleting || step.destroys) await source.confirm(this.#key, uid, generation, deleting);
      if (step.destroys && !(await this.#isStillMeant(step, ground, around))) {
        this.#memory = before; // nothing was done of what was noted
        return undefined;
      }
    } catch (error) {
      this.#memory = before;
      throw error;
    }
    if (step.intent) this.#ports.sinces.forget(this.#key); // the same again is another occurrence
    onStep?.(this.#key, step, undefined);
    const outcome = await this.#send(step, ground);
    onStep?.(this.#key, step, outcome);
    if (outcome.is !== 'done') return this.#failed(step, outcome, before);
    const { conditions } = this.#memory;
    this.#memory = { ...seen.afterStep(step, outcome.reply), conditions };
    this.#heldHere = false;
    this.#done.push(step);
    return undefined;
  }

  /**
   * The last look, after all that takes long: the same step, by the same plan of what is there now, and nothing against it.
   * Else the next turn makes of it what it is.
   */
  async #isStillMeant(
    step: Step<E>,
    ground: Preconditions<E, Reader>,
    around: ObservationInput<Reader>,
  ): Promise<boolean> {
    const seen = await ground.opened.look(around, this.#signal);
    const plan = this.#planOf(seen, ground);
    const now = plan.verdict === 'change' ? plan.steps[0] : undefined;
    if (now?.verb !== step.verb || !isDeepStrictEqual(now.effect, step.effect)) return false;
    return !this.#objection(now, ground);
  }

  /** What has to be known after a crash is written before the step: that the object is held, and what is about to be done. */
  async #intend(step: Step<E>): Promise<void> {
    const { source } = this.#ports;
    const { uid, held } = this.#object;
    const before = this.#memory;
    this.#memory = intended(step, before, new Date(this.#ports.wallMs()).toISOString());
    const changed = this.#memory === before ? undefined : this.#memory;
    if (!held) {
      await source.hold(this.#key, uid, changed);
      this.#heldHere = true;
      this.#object = { ...this.#object, held: true };
    } else if (changed) {
      const counts = departs({ object: this.#object, step }, before, source.approved(this.#key));
      await source.remember(this.#key, uid, changed, counts);
    }
    if (changed) this.#written = changed;
  }

  async #send(step: Step<E>, ground: Preconditions<E, Reader>): Promise<Outcome> {
    // Shown or not, the call goes on.
    const cancel = this.#ports.setTimer(slowMs, () => void this.#showProgress(step).catch(() => {}));
    try {
      return await send(step, ground, { key: this.#key, uid: this.#object.uid }, this.#ports, this.#signal);
    } finally {
      cancel();
    }
  }

  /** A call that takes long is shown while it does. */
  async #showProgress(step: Step<E>): Promise<void> {
    const now = new Date(this.#ports.wallMs()).toISOString();
    this.#written = inProgress(step, this.#memory, this.#object.generation, now);
    await this.#ports.source.remember(this.#key, this.#object.uid, this.#written);
  }

  async #failed(step: Step<E>, outcome: Exclude<Outcome, { is: 'done' }>, before: Status): Promise<ApiError> {
    this.#memory = refused(step, outcome, this.#memory, before);
    // What may have happened is looked for again before anything else is done.
    if (outcome.is === 'rejected' && step.verb === 'create' && this.#heldHere)
      await this.#ports.source.unhold(this.#key, this.#object.uid);
    return outcome.error;
  }

  /** Writes what is remembered, once and only if it changed. */
  async finish(ending: Ending | Gone, failures: number): Promise<Visit> {
    const { source, nowMs, wallMs, random } = this.#ports;
    const common = { key: this.#key, done: this.#done };
    if (!('is' in ending)) {
      const gone = ending.removed ? this.#output : undefined;
      const stuck = await withdraw(gone, { key: this.#key, uid: this.#object.uid }, source);
      if (stuck) return await this.finish({ is: 'failed', error: stuck }, failures);
      await source.release(this.#key, this.#object.uid, ending);
      const { because } = ending;
      return { ...common, ending: { is: 'gone', because }, memory: this.#memory, requeueMs: undefined };
    }
    const { status: memory, requeueMs } = conclude({
      ending,
      status: answered(this.#object, this.#memory),
      done: this.#done,
      report: this.#report,
      absent: this.#absent,
      generation: this.#object.generation,
      deleting: this.#object.deleting,
      failures: failures + 1,
      nowMs: nowMs(),
      wallMs: wallMs(),
      random: random(),
    });
    const early = ending.is === 'parked' && ending.early;
    if (!early && !isDeepStrictEqual(memory, this.#written)) {
      await source.remember(this.#key, this.#object.uid, memory);
    }
    const took = this.#tookFrom !== undefined && { tookFrom: this.#tookFrom };
    return { ...common, ending, memory: early ? this.#written : memory, requeueMs, ...took };
  }

  conflict(): Visit {
    const common = { key: this.#key, done: this.#done };
    return { ...common, ending: { is: 'conflict' }, memory: this.#memory, requeueMs: conflictRetryMs };
  }
}
