// Visits to one object as the engine makes them, on any service, with a fault at any of their steps.
import type { SealedKind } from '../../src/core/kind/sealed-kind.ts';
import type { Observation as SeenOf } from '../../src/core/kind/opened.ts';
import { onTestFinished } from 'vitest';
import type { SecretsDialectName } from '../../src/api/dialects.ts';
import { noStatus, type Status } from '../../src/core/status/status.ts';
import type { Effect, Reader } from '../../src/api/routes.ts';
import { isSourceEffect } from '../../src/core/effect.ts';
import type { Connection } from '../../src/core/connection.ts';
import { intended } from '../../src/controller/reconcile/intent.ts';
import { ApiError, type Outcome } from '../../src/core/errors.ts';
import type { Report } from '../../src/core/kind/kind.ts';
import { conclude, type Ending } from '../../src/core/status/outcome.ts';
import type { Plan, Step } from '../../src/core/planning/plan.ts';
import type { Key, Resolved } from '../../src/core/resource.ts';
import { Secret } from '../../src/core/secret.ts';
import { secretsClient } from '../api/secrets/service.ts';
import { connectionTo, never } from '../api/servers.ts';
import { rootToken, running } from '../embedded/secrets/running.ts';
import { visited } from '../support/visits.ts';
import { momentAt } from '../support/moment.ts';

/** What an object is written to. */
export interface Service {
  readonly reader: Reader;
  readonly perform: (effect: Effect) => Promise<Outcome>;
}

/**
 * died before, died after: the process, right before or right after the effect. lost: it was made, its answer never came.
 * unsent: nobody can tell, it was not made. refused: it was not made, and that was said.
 */
export type Fault = 'died before' | 'died after' | 'lost' | 'unsent' | 'refused';

type Seen = SeenOf<Effect>;
type Settled = Exclude<Plan<Effect>, { verdict: 'change' }>;
export type Ended = Settled | { readonly verdict: 'failed' | 'died'; readonly reason: string };

const stepsMax = 16;

/** The object, and where it is. */
export interface Course<Spec extends object> {
  readonly kind: SealedKind<Effect, Reader>;
  readonly key: Key;
  readonly service: Service;
  /** What its references lead to now. */
  readonly resolved: (spec: Spec) => Resolved;
  /** Absent: to a secrets service. */
  readonly connection?: Connection;
}

export class Driven<Spec extends object> {
  spec: Spec;
  requests: Readonly<Record<string, string>> = {};
  deleting = false;
  /** As it survives the end of the process. */
  memory: Status = noStatus;
  held = false;
  readonly #course: Course<Spec>;
  readonly #connection: Connection;

  constructor(course: Course<Spec>, spec: Spec) {
    this.#course = course;
    this.#connection = course.connection ?? connectionTo(['embedded'], { service: 'secrets' });
    this.spec = spec;
  }

  /** The steps that were made, then how it ended. */
  async visit(fault?: { readonly step: number; readonly is: Fault }): Promise<Ended> {
    const { kind, key, service, resolved } = this.#course;
    const opened = kind.open({ key, spec: this.spec, requests: {} }, {});
    let memory = this.#baseline();
    for (let turn = 0; turn < stepsMax; turn++) {
      const object = { ...this.#object(), spec: this.spec };
      const input = {
        object,
        status: memory,
        read: service.reader,
        resolved: resolved(this.spec),
        connection: this.#connection,
        nonce: '',
      };
      const seen = await opened.observe(input, never);
      const plan = seen.plan(momentAt(0));
      if (plan.verdict !== 'change') return this.#end(plan, seen, memory);
      const [step] = plan.steps;
      this.held = true;
      const before = memory;
      this.memory = memory = intended(step, memory, '');
      const outcome = await this.#make(step, fault?.step === turn ? fault.is : undefined);
      if (outcome === 'died') return { verdict: 'died', reason: step.summary };
      if (outcome.is === 'done') memory = seen.afterStep(step, outcome.reply);
      else {
        this.#remember(outcome.is === 'rejected' ? before : memory, seen.report(), {
          is: 'failed',
          error: outcome.error,
        });
        return { verdict: 'failed', reason: outcome.error.reason };
      }
    }
    throw new Error('it never comes to rest');
  }

  #baseline(): Status {
    const isNew = !this.held && this.memory.conditions.length === 0;
    return isNew ? { ...this.memory, handledRequests: this.requests } : this.memory;
  }

  #object() {
    const { deleting, held, requests } = this;
    return { key: this.#course.key, uid: 'uid-1', generation: 1, deleting, held, requests };
  }

  async #make(step: Step<Effect>, fault: Fault | undefined): Promise<Outcome | 'died'> {
    const error = new ApiError('unavailable', 'Unavailable', 'a fault', { mayHaveHadEffect: true });
    if (fault === 'died before') return 'died';
    if (step.effect === undefined || isSourceEffect(step.effect))
      return fault === 'died after' ? 'died' : { is: 'done' };
    if (fault === 'unsent') return { is: 'unknown', error };
    if (fault === 'refused') return { is: 'rejected', error };
    const outcome = await this.#course.service.perform(step.effect);
    if (fault === 'died after') return 'died';
    return fault === 'lost' ? { is: 'unknown', error } : outcome;
  }

  #end(plan: Settled, seen: Seen, memory: Status): Settled {
    const report = seen.report();
    if (plan.verdict === 'in-sync') this.#remember(seen.afterRest(plan), report, { is: 'rest', plan });
    if (plan.verdict === 'blocked') this.#remember(memory, report, { is: 'blocked', plan });
    return plan;
  }

  #remember(memory: Status, report: Report, ending: Ending): void {
    this.memory = conclude(visited({ ending, status: memory, report })).status;
  }
}

/** The embedded secrets service, which goes with the test, and what is performed there. */
export async function served(dialect: SecretsDialectName) {
  const here = await running({ dialect });
  onTestFinished(() => here.stop());
  const auth = { is: 'token', token: Secret.of('vault/token', '1', rootToken) } as const;
  const { client, clock } = secretsClient([here.server.url], { dialect, auth });
  const performed: string[] = [];
  const service: Service = {
    reader: client,
    perform(effect) {
      if (effect.port !== 'secrets') throw new Error(`${effect.op} is not expected`);
      performed.push(effect.op);
      return client.perform(effect, 'a test', never);
    },
  };
  return { here, service, performed, clock };
}
