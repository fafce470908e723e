// One visit to one object: open → resolve → (look → plan → at most one effect) until nothing is left → remember once.
import { isDeepStrictEqual } from 'node:util';
import { mergeConditions } from '../core/condition.ts';
import { ApiError, ConflictError, type Outcome } from '../core/errors.ts';
import type { Report, Seen } from '../core/kind.ts';
import { conclude, type Ending } from '../core/outcome.ts';
import type { Output } from '../core/output.ts';
import { blocked, type Change, type Gone, type Plan, type Step } from '../core/plan.ts';
import { suspended, type Policy } from '../core/policy.ts';
import type { Memory, Stored } from '../core/resource.ts';
import type { Json } from '../core/secret.ts';
import { aroundOf, groundOf, type Ground, type GroundPorts } from './ground.ts';

/** What a visit needs of the world. */
export interface Ports<E, Reader> extends GroundPorts<E, Reader> {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly setTimer: (ms: number, fire: () => void) => () => void;
  /** Told of every step before and after it is made. */
  readonly onStep?: (key: string, step: Step<E>, outcome: Outcome | undefined) => void;
  /** Told what an external object looked like last, so that older hints about it can be dropped. */
  readonly onSeen?: (ref: Readonly<Record<string, string>>, index: number) => void;
}

export interface Visit {
  readonly key: string;
  readonly done: readonly Step<unknown>[];
  readonly ending: Ending | { readonly is: 'gone'; readonly because: string } | { readonly is: 'conflict' };
  readonly memory: Memory<Json>;
  readonly requeueMs: number | undefined;
}

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
  #written: Memory<Json>;
  readonly #ports: Ports<E, Reader>;
  readonly #signal: AbortSignal;
  readonly #done: Step<E>[] = [];
  #object: Stored;
  /** Held by this visit: nothing can have been sent for it before. */
  #heldHere = false;
  #memory: Memory<Json>;
  #report: Report | undefined;
  /** Name of the Secret that the object publishes. */
  #output: string | undefined;

  constructor(
    key: string,
    object: Stored,
    memory: Memory<Json>,
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
      const ground = groundOf({ key: this.#key, object: this.#object, memory: this.#memory }, this.#ports);
      return 'opened' in ground ? await this.#steps(ground) : ground;
    } catch (error) {
      if (error instanceof ConflictError || this.#signal.aborted) throw error;
      return { is: 'failed', error };
    }
  }

  async #steps(ground: Ground<E, Reader>): Promise<Ending | Gone> {
    const { opened } = ground;
    this.#output = opened.output;
    for (let turn = 0; turn < stepsMax; turn++) {
      const around = aroundOf(this.#key, this.#object, this.#memory, ground, this.#ports.source);
      const seen = await opened.look(around, this.#signal);
      this.#report = seen.report();
      const plan = suspended(
        seen.plan(this.#ports.nowMs()),
        isSuspended(this.#object, opened.policy),
        this.#object.deleting,
      );
      this.#seen(ground);
      if (plan.verdict === 'in-sync' && ground.leaving) return ground.leaving;
      if (plan.verdict !== 'change') return this.#settle(plan, seen);
      const failed = await this.#make(plan.steps[0], seen, ground);
      if (failed) return { is: 'failed', error: failed };
    }
    const message = `still changing after ${stepsMax} steps`;
    return { is: 'blocked', plan: blocked('NonConverging', message, { on: 'edit' }) };
  }

  #seen({ opened, used, resolved }: Ground<E, Reader>): void {
    if (this.#report?.index === undefined) return;
    const ref = this.#memory.externalRef ?? opened.locate(used.connection, resolved);
    this.#ports.onSeen?.(ref, this.#report.index);
  }

  #settle(plan: Exclude<Plan<E>, Change<E>>, seen: Seen<E>): Ending | Gone {
    switch (plan.verdict) {
      case 'in-sync':
        this.#memory = seen.afterRest(plan.applied);
        return { is: 'rest', plan };
      case 'blocked':
        return { is: 'blocked', plan };
      case 'gone':
        return plan;
    }
  }

  /** Makes one step. @returns why it failed. */
  async #make(step: Step<E>, seen: Seen<E>, ground: Ground<E, Reader>): Promise<ApiError | undefined> {
    const { source, onStep } = this.#ports;
    const { uid } = this.#object;
    const before = this.#memory;
    await this.#intend(step);
    if (this.#object.deleting || step.verb === 'replace') {
      await source.confirm(this.#key, uid, this.#object.generation, this.#object.deleting);
    }
    onStep?.(this.#key, step, undefined);
    const outcome = await this.#perform(step, ground);
    onStep?.(this.#key, step, outcome);
    if (outcome.is !== 'done') return this.#failed(step, outcome, before);
    const { pending } = this.#memory;
    this.#memory = seen.afterStep(step.intent && pending ? { ...step, intent: pending } : step);
    this.#done.push(step);
    return undefined;
  }

  /** What has to be known after a crash is written before the step: that the object is held, and what is about to be done. */
  async #intend(step: Step<E>): Promise<void> {
    const { source } = this.#ports;
    const { uid, held } = this.#object;
    const before = this.#memory;
    this.#memory = intended(step, before, this.#ports.nowMs());
    const changed = this.#memory === before ? undefined : this.#memory;
    if (!held) {
      await source.hold(this.#key, uid, changed);
      this.#heldHere = true;
      this.#object = { ...this.#object, held: true };
    } else if (changed) await source.remember(this.#key, uid, changed);
    if (changed) this.#written = changed;
  }

  async #perform(step: Step<E>, { used, others }: Ground<E, Reader>): Promise<Outcome> {
    if (step.publish) return this.#publish(step.publish);
    if (step.effect === undefined) return { is: 'done' };
    const through = step.via === undefined ? used : others.get(step.via);
    if (!through) throw new Error(`${step.via}: no connection to go through`);
    const cancel = this.#ports.setTimer(slowMs, () => void this.#showProgress(step).catch(() => {})); // shown or not, the call goes on
    try {
      return await through.service.perform(step.effect, this.#key, this.#signal);
    } finally {
      cancel();
    }
  }

  async #publish(output: Output): Promise<Outcome> {
    try {
      await this.#ports.source.publish(this.#key, this.#object.uid, output);
      return { is: 'done' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { is: error.mayHaveHadEffect ? 'unknown' : 'rejected', error };
    }
  }

  /** A call that takes long is shown while it does. */
  async #showProgress(step: Step<E>): Promise<void> {
    const { conditions } = this.#memory;
    const stated = {
      type: 'Reconciling',
      status: 'True',
      reason: 'InProgress',
      message: step.summary,
    } as const;
    const others = conditions.filter((c) => c.type !== 'Reconciling' && c.type !== 'Stalled');
    const now = new Date(this.#ports.nowMs()).toISOString();
    const shown = mergeConditions(conditions, [...others, stated], this.#object.generation, now);
    this.#written = { ...this.#memory, conditions: shown };
    await this.#ports.source.remember(this.#key, this.#object.uid, this.#written);
  }

  async #failed(
    step: Step<E>,
    outcome: Exclude<Outcome, { is: 'done' }>,
    before: Memory<Json>,
  ): Promise<ApiError> {
    // Refused: it did not happen, so what was noted because it might have happened is not kept.
    if (outcome.is === 'rejected') this.#memory = before;
    if (step.attempt !== undefined) {
      const count = (this.#memory.tries[step.attempt] ?? 0) + 1;
      this.#memory = { ...this.#memory, tries: { ...this.#memory.tries, [step.attempt]: count } };
    }
    if (outcome.is === 'unknown') return outcome.error; // look again before acting again
    if (step.verb === 'create' && this.#heldHere) {
      await this.#ports.source.unhold(this.#key, this.#object.uid);
    }
    return outcome.error;
  }

  /** Writes what is remembered, once and only if it changed. */
  async finish(ending: Ending | Gone, failures: number): Promise<Visit> {
    const { source, nowMs, random } = this.#ports;
    const common = { key: this.#key, done: this.#done };
    if (!('is' in ending)) {
      if (ending.removed && this.#output !== undefined)
        await source.withdraw(this.#key, this.#object.uid, this.#output);
      await source.release(this.#key, this.#object.uid, ending.removed);
      const { because } = ending;
      return { ...common, ending: { is: 'gone', because }, memory: this.#memory, requeueMs: undefined };
    }
    const { memory, requeueMs } = conclude({
      ending,
      memory: this.#answered(),
      done: this.#done,
      report: this.#report,
      generation: this.#object.generation,
      deleting: this.#object.deleting,
      failures: failures + 1,
      nowMs: nowMs(),
      random: random(),
    });
    const early = ending.is === 'parked' && ending.early;
    if (!early && !isDeepStrictEqual(memory, this.#written)) {
      await source.remember(this.#key, this.#object.uid, memory);
    }
    return { ...common, ending, memory: early ? this.#written : memory, requeueMs };
  }

  /** The request to look again has been heard, whatever came of it. */
  #answered(): Memory<Json> {
    const token = this.#object.requests['reconcile'];
    if (token === undefined || this.#memory.handled['reconcile'] === token) return this.#memory;
    return { ...this.#memory, handled: { ...this.#memory.handled, reconcile: token } };
  }

  conflict(): Visit {
    const common = { key: this.#key, done: this.#done };
    return { ...common, ending: { is: 'conflict' }, memory: this.#memory, requeueMs: conflictRetryMs };
  }
}

/** What has to be remembered should the answer to a step get lost. */
function intended(
  { verb, intent, applied, handled, unsure = [] }: Step<unknown>,
  memory: Memory<Json>,
  nowMs: number,
): Memory<Json> {
  if (!intent && unsure.length === 0) return memory;
  const pending = intent && { pending: { ...intent, atMs: Math.round(nowMs) } };
  // What a create made is as it was sent. What else was written may be as before or as sent: neither is taken for granted.
  if (verb === 'create')
    return { ...memory, ...pending, applied: applied ?? {}, handled: { ...memory.handled, ...handled } };
  const unknown = Object.fromEntries(unsure.map((path) => [path, null]));
  return { ...memory, ...pending, applied: { ...memory.applied, ...unknown } };
}

/** Requests that are there when an object is seen for the first time, or after its memory was lost, count as answered. */
function baseline({ requests }: Stored, memory: Memory<Json>): Memory<Json> {
  const { pending, conditions, handled } = memory;
  const isNew = pending === undefined && conditions.length === 0 && Object.keys(handled).length === 0;
  return isNew && Object.keys(requests).length > 0 ? { ...memory, handled: requests } : memory;
}

/** By the spec, or by a command laid over it. */
const isSuspended = ({ requests }: Stored, policy: Policy): boolean =>
  policy.suspend || requests['suspend'] === 'true';
