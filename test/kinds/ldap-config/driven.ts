// Visits to one configuration as the engine makes them, on any service, with a fault at any of their steps.
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Effect, Reader } from '../../../src/api/routes.ts';
import { isSourceEffect } from '../../../src/core/effect.ts';
import type { Connection } from '../../../src/core/connection.ts';
import { intended } from '../../../src/controller/reconcile/intent.ts';
import { ApiError, type Outcome } from '../../../src/core/errors.ts';
import type { Report, Observation as SeenOf } from '../../../src/core/kind.ts';
import { conclude, type Ending } from '../../../src/core/status/outcome.ts';
import type { Plan, Step } from '../../../src/core/planning/plan.ts';
import { type Resolution } from '../../../src/core/resource.ts';
import type { Secret } from '../../../src/core/secret.ts';
import { ldapConfig } from '../../../src/kinds/ldap-config/kind.ts';
import type { Spec } from '../../../src/kinds/ldap-config/schema.ts';
import { connectionTo, never } from '../../api/servers.ts';
import { visited } from '../../support/visits.ts';
import { key } from './situation.ts';
import { momentAt } from '../../support/moment.ts';

/** What a configuration is written to. */
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

export class Driven {
  spec: Spec;
  requests: Readonly<Record<string, string>> = {};
  deleting = false;
  /** As it survives the end of the process. */
  memory: Status = noStatus;
  held = false;
  readonly #service: Service;
  readonly #secrets: () => Readonly<Record<string, Secret>>;
  readonly #connection: Connection = connectionTo(['embedded'], { service: 'secrets' });

  constructor(service: Service, spec: Spec, secrets: () => Readonly<Record<string, Secret>>) {
    this.#service = service;
    this.spec = spec;
    this.#secrets = secrets;
  }

  /** The steps that were made, then how it ended. */
  async visit(fault?: { readonly step: number; readonly is: Fault }): Promise<Ended> {
    const opened = ldapConfig.open({ key, spec: this.spec, requests: {} }, {});
    let memory = this.#baseline();
    for (let turn = 0; turn < stepsMax; turn++) {
      const object = { ...this.#object(), spec: this.spec };
      const input = { object, status: memory, read: this.#service.reader, ...this.#ground(), nonce: '' };
      const seen = await opened.look(input, never);
      const plan = seen.plan(momentAt(0));
      if (plan.verdict !== 'change') return this.#end(plan, seen, memory);
      const [step] = plan.steps;
      this.held = true;
      const before = memory;
      this.memory = memory = intended(step, memory, '');
      const outcome = await this.#make(step, fault?.step === turn ? fault.is : undefined);
      if (outcome === 'died') return { verdict: 'died', reason: step.summary };
      if (outcome.is === 'done') memory = seen.afterStep(step);
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
    return { key, uid: 'uid-1', generation: 1, deleting, held, requests };
  }

  #ground() {
    const resolved = Object.entries(this.#secrets())
      .filter(([name]) => Object.hasOwn(this.spec, name))
      .map(([name, secret]): [string, Resolution] => [`/${name}`, { state: 'secret', secret }]);
    return { resolved: new Map(resolved), connection: this.#connection };
  }

  async #make(step: Step<Effect>, fault: Fault | undefined): Promise<Outcome | 'died'> {
    const error = new ApiError('unavailable', 'Unavailable', 'a fault', { mayHaveHadEffect: true });
    if (fault === 'died before') return 'died';
    if (step.effect === undefined || isSourceEffect(step.effect))
      return fault === 'died after' ? 'died' : { is: 'done' };
    if (fault === 'unsent') return { is: 'unknown', error };
    if (fault === 'refused') return { is: 'rejected', error };
    const outcome = await this.#service.perform(step.effect);
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
