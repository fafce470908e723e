// A declared object opened by its kind: what it needs, where it is, how it is observed.
import type { FieldChange, Status } from '../status/status.ts';
import type { Connection } from '../connection.ts';
import type { Use } from './permission.ts';
import type { Published } from '../source/output.ts';
import { adoptIdentical } from '../source/request.ts';
import type { Moment, Situation } from '../planning/situation.ts';
import { afterChange, afterDestroying, afterRemoval, afterRest } from '../planning/next-status.ts';
import type { InSync, Plan, Step } from '../planning/plan.ts';
import { mergePolicy, type Policy, type PolicyChoice } from '../planning/policy.ts';
import type {
  DeclaredObject,
  ExternalObject,
  ExternalRef,
  Reference,
  Resolved,
  ResourceType,
} from '../resource.ts';
import type { Json } from '../secret.ts';
import type { DeclaredData, Descent, Kind, Prerequisite, Report, Surroundings } from './kind.ts';

/** For callers that do not depend on time. */
const noMoment: Moment = { nowMs: 0, wallMs: 0, since: () => 0 };

export interface Observation<E> {
  readonly absent: boolean;
  plan(moment: Moment): Plan<E>;
  afterStep(step: Step<E>, reply?: Json): Status;
  /** Status of an object that is ours and as declared. */
  afterRest(plan: Pick<InSync, 'applied' | 'kept' | 'identity'>): Status;
  /** What is told of it, as of the time of its plan. */
  report(): Report;
}

/** A declared object with its kind. Each property is computed when it is asked for: most callers need one of them. */
export interface Opened<E, Reader> {
  external(ref: ExternalRef): ExternalObject;
  readonly references: readonly Reference[];
  unneeded(status: Status): readonly string[];
  declaredData(status: Status): readonly DeclaredData[];
  places(outputs: Readonly<Record<string, string>>, connection: string): readonly string[];
  isToBeReplaced(status: Status): boolean;
  readonly policy: Policy;
  readonly externalName: string;
  readonly reaches: readonly string[];
  /** All that the access rules have to allow: the external name, and what the spec reaches. */
  readonly names: readonly string[];
  readonly output: string | undefined;
  outputs(status: Status, written?: readonly FieldChange[]): Readonly<Record<string, string>>;
  uses(): readonly Use[];
  expires(child: DeclaredObject): boolean;
  prerequisite(resolved: Resolved): Prerequisite<Reader> | undefined;
  connect(resolved: Resolved): Connection | undefined;
  locate(connection: Connection, resolved: Resolved): ExternalRef;
  descent(resolved: Resolved, recorded: Status): Descent | undefined;
  observe(input: ObservationInput<Reader>, signal: AbortSignal): Promise<Observation<E>>;
}

export interface ObservationInput<Reader> extends Surroundings {
  readonly object: DeclaredObject;
  readonly status: Status;
  readonly read: Reader;
  readonly via?: (field: string) => Reader | undefined;
  readonly resolved: Resolved;
  readonly connection: Connection;
  readonly published?: Published;
  readonly nonce: string;
  /** Others still use the object that is being deleted: nothing of it is removed, and what was is restored. */
  readonly inUse?: true;
}

/** A class, because V8 is slow at making literals with getters, and every visit opens several objects. */
export class OpenedObject<Spec, Live, Own extends Json, E, Reader> implements Opened<E, Reader> {
  readonly #kind: Kind<Spec, Live, Own, E, Reader>;
  readonly #object: Pick<DeclaredObject, 'key' | 'requests'>;
  readonly #spec: Spec;
  readonly #defaults: PolicyChoice;
  #references: readonly Reference[] | undefined;
  #policy: Policy | undefined;

  /** @throws SpecError */
  constructor(
    kind: Kind<Spec, Live, Own, E, Reader>,
    object: Pick<DeclaredObject, 'key' | 'spec' | 'requests'>,
    defaults: PolicyChoice,
  ) {
    this.#kind = kind;
    this.#object = object;
    this.#spec = kind.parse(object.spec);
    this.#defaults = defaults;
  }

  get references(): readonly Reference[] {
    return (this.#references ??= this.#kind.references(this.#spec, this.#object.key));
  }

  get policy(): Policy {
    return (this.#policy ??= policyOf(
      this.#kind,
      this.#spec,
      this.#defaults,
      this.#object.requests['adopt'],
    ));
  }

  get externalName(): string {
    return this.#kind.externalName(this.#spec, this.#object.key);
  }

  get reaches(): readonly string[] {
    return this.#kind.reaches?.(this.#spec) ?? [];
  }

  get names(): readonly string[] {
    return [this.externalName, ...this.reaches];
  }

  get output(): string | undefined {
    return this.#kind.output?.(this.#spec);
  }

  external(ref: ExternalRef): ExternalObject {
    return externalOf(this.#kind, ref);
  }

  unneeded(status: Status): readonly string[] {
    return this.#kind.unneeded?.(ownStatus(this.#kind, status), this.#object.requests) ?? [];
  }

  declaredData(status: Status): readonly DeclaredData[] {
    return this.#kind.declaredData?.(this.#spec, ownStatus(this.#kind, status)) ?? [];
  }

  places(outputs: Readonly<Record<string, string>>, connection: string): readonly string[] {
    return this.#kind.places?.(outputs, connection, this.#spec) ?? [];
  }

  isToBeReplaced(status: Status): boolean {
    return this.#kind.isToBeReplaced?.(this.#spec, ownStatus(this.#kind, status)) === true;
  }

  outputs(status: Status, written?: readonly FieldChange[]): Readonly<Record<string, string>> {
    return this.#kind.outputs(this.#spec, ownStatus(this.#kind, status), written);
  }

  uses(): readonly Use[] {
    return this.#kind.uses?.(this.#spec, this.policy) ?? [];
  }

  expires(child: DeclaredObject): boolean {
    return this.#kind.expires?.(this.#spec, this.#object.key, child) === true;
  }

  prerequisite(resolved: Resolved): Prerequisite<Reader> | undefined {
    return this.#kind.prerequisite?.(this.#spec, resolved);
  }

  connect(resolved: Resolved): Connection | undefined {
    return this.#kind.connect?.(this.#spec, resolved, this.#object.key);
  }

  locate(connection: Connection, resolved: Resolved): ExternalRef {
    return this.#kind.locate(this.#spec, this.#object.key, connection, resolved);
  }

  descent(resolved: Resolved, recorded: Status): Descent | undefined {
    return this.#kind.descent?.(this.#spec, resolved, ownStatus(this.#kind, recorded));
  }

  observe(input: ObservationInput<Reader>, signal: AbortSignal): Promise<Observation<E>> {
    const policy = input.inUse ? { ...this.policy, deletion: 'Retain' as const } : this.policy;
    return observe(this.#kind, this.#spec, policy, input, signal);
  }
}

export const externalOf = ({ owns }: { readonly owns: ResourceType }, ref: ExternalRef): ExternalObject => ({
  ...ref,
  type: owns,
});

/** @param adopt a person's confirmation that the object is as declared, and may be adopted */
function policyOf<Spec>(
  kind: { policy(spec: Spec): PolicyChoice; readonly defaults: Policy | ((spec: Spec) => Policy) },
  spec: Spec,
  defaults: PolicyChoice,
  adopt: string | undefined,
): Policy {
  const standard = typeof kind.defaults === 'function' ? kind.defaults(spec) : kind.defaults;
  const policy = mergePolicy(kind.policy(spec), defaults, standard);
  return adopt === adoptIdentical && policy.adoption === 'Fail'
    ? { ...policy, adoption: 'AdoptIfIdentical' }
    : policy;
}

export function ownStatus<Own extends Json>(
  kind: { parseOwn(own: unknown): Own | undefined },
  status: Status,
): Status<Own> {
  const { own: raw, ...common } = status;
  const own = kind.parseOwn(raw);
  return own === undefined ? common : { ...common, own };
}

async function observe<Spec, Live, Own extends Json, E, Reader>(
  kind: Kind<Spec, Live, Own, E, Reader>,
  spec: Spec,
  policy: Policy,
  input: ObservationInput<Reader>,
  signal: AbortSignal,
): Promise<Observation<E>> {
  const { object, connection, resolved, read, via = () => undefined, nonce } = input;
  const { published, tryRestart, children, users } = input;
  const status = ownStatus(kind, input.status);
  const located = kind.locate(spec, object.key, connection, resolved);
  const ref = status.externalRef ?? located;
  const seen = { resolved, ...(published && { published }) };
  const tools = {
    ...(tryRestart && { tryRestart }),
    ...(children && { children }),
    ...(users && { users }),
  };
  const around = { ...object, ...seen, spec, ref, status, policy, via, ...tools };
  const observed = await kind.observe(read, around, signal);
  const { key, uid, deleting, held, doubt, requests } = object;
  const situation = (moment: Moment): Situation<Spec, Live, Own> => ({
    key,
    uid,
    deleting,
    held,
    ...(doubt && { doubt }),
    requests,
    spec,
    ref,
    located,
    ...(connection.within !== undefined && { within: connection.within }),
    ...seen,
    observed,
    status,
    policy,
    ...moment,
    nonce,
  });
  const withOwn = (rest: Omit<Status, 'own'>): Status => {
    const own = kind.record(situation(noMoment));
    return own === undefined ? rest : { ...rest, own };
  };
  let wallMs = 0;
  return {
    absent: observed.state === 'absent',
    plan(moment) {
      wallMs = moment.wallMs;
      return kind.plan(situation(moment));
    },
    afterStep(step, reply) {
      if (step.verb === 'delete' || step.verb === 'replace') return afterRemoval(status, step);
      if (step.verb === 'destroy') return afterDestroying(status, step);
      // A step before the create does not make an external object ours.
      const isBeforehand = step.verb === 'act' && observed.state !== 'present';
      const after = afterChange(status, step, isBeforehand ? status.externalRef : ref);
      const learnt = reply === undefined ? undefined : kind.learn?.(situation(noMoment), step, reply);
      if (learnt !== undefined) return { ...after, own: learnt };
      if (step.own !== undefined) return { ...after, own: step.own };
      // The kind's own record describes the previous external object, not the new one.
      return step.verb === 'create' ? after : withOwn(after);
    },
    afterRest: (plan) => (plan.applied ? withOwn(afterRest(status, plan, ref)) : { ...status, tries: {} }),
    report: () => kind.report(situation({ ...noMoment, wallMs })),
  };
}
