// Seals the type parameters of a kind (spec, live state, own status), so that one registry holds all kinds and the engine
// handles them alike. There are no casts and no `any`: each stage closes over the types of the one before.
import type { Status } from '../status/status.ts';
import type { Connection } from '../connection.ts';
import type { Discovery } from './discovery.ts';
import type { Throwaway } from '../effect.ts';
import type { Use } from './permission.ts';
import type { Published } from '../source/output.ts';
import type { Moment, Situation } from '../planning/situation.ts';
import { afterChange, afterDestroying, afterRemoval, afterRest } from '../planning/next-status.ts';
import type { InSync, Plan, Step } from '../planning/plan.ts';
import { mergePolicy, type Policy, type PolicyChoice } from '../planning/policy.ts';
import type { DeclaredObject, ExternalObject, ExternalRef, Key, Reference, Resolved } from '../resource.ts';
import type { RequestDeclaration } from '../source/request.ts';
import type { Json } from '../secret.ts';
import type { TimelineStep } from '../status/view.ts';
import type { Closed, Interference, Kind, Open, Prerequisite, Report, Surroundings } from './kind.ts';

/** For callers that do not depend on time. */
const noMoment: Moment = { nowMs: 0, wallMs: 0, since: () => 0 };

export interface Observation<E> {
  readonly absent: boolean;
  plan(moment: Moment): Plan<E>;
  afterStep(step: Step<E>, reply?: Json): Status;
  /** Status of an object that is ours and as declared. */
  afterRest(plan: Pick<InSync, 'applied' | 'kept' | 'identity'>): Status;
  report(): Report;
}

/** A declared object with its kind. Each property is computed when it is asked for: most callers need one of them. */
export interface Opened<E, Reader> {
  external(ref: ExternalRef): ExternalObject;
  readonly references: readonly Reference[];
  unneeded(status: Status): readonly string[];
  readonly declaredData: readonly string[];
  readonly policy: Policy;
  readonly externalName: string;
  readonly reaches: readonly string[];
  readonly output: string | undefined;
  outputs(status: Status): Readonly<Record<string, string>>;
  uses(): readonly Use[];
  expires(child: DeclaredObject): boolean;
  prerequisite(resolved: Resolved): Prerequisite<Reader> | undefined;
  connect(resolved: Resolved): Connection | undefined;
  locate(connection: Connection, resolved: Resolved): ExternalRef;
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
}

export interface SealedKind<E, Reader> {
  readonly name: string;
  readonly connectionField: string | undefined;
  readonly leavesNothing?: true;
  readonly servesUnready?: true;
  readonly requests: readonly RequestDeclaration[];
  readonly discovery: readonly Discovery<Reader>[];
  readonly generates: readonly string[];
  throwaways(status: Status, key: Key): readonly Throwaway[];
  external(ref: ExternalRef): ExternalObject;
  data(status: Status): readonly string[];
  isPresent(status: Status): boolean;
  timeline(status: Status): readonly TimelineStep[];
  interference(ref: ExternalRef): Interference | undefined;
  serviceID(status: Status): string | undefined;
  /** What is open outside, according to the status alone. */
  openIn(status: Status): Open<E> | undefined;
  closed(status: Status, how: Closed, read: Reader, signal: AbortSignal): Promise<Status>;
  /** Whether a removal has begun that can still be undone. */
  isHalfRemoved(status: Status): boolean;
  /** The status once a person trusts an older state: data that was about to be destroyed is kept. */
  keep(status: Status): Status;
  /** @throws SpecError */
  open(object: Pick<DeclaredObject, 'key' | 'spec' | 'requests'>, defaults: PolicyChoice): Opened<E, Reader>;
}

export function defineKind<Spec, Live, Own extends Json, E, Reader>(
  kind: Kind<Spec, Live, Own, E, Reader>,
): SealedKind<E, Reader> {
  const external = (ref: ExternalRef): ExternalObject => ({ ...ref, type: kind.owns });
  return {
    name: kind.name,
    connectionField: kind.connectionField,
    ...(kind.leavesNothing && { leavesNothing: true }),
    ...(kind.servesUnready && { servesUnready: true }),
    external,
    data: (status) => kind.data?.(ownStatus(kind, status)) ?? [],
    requests: kind.requests ?? [],
    discovery: kind.discovery ?? [],
    generates: kind.generates ?? [],
    throwaways: (status, key) => kind.throwaways?.(ownStatus(kind, status), key) ?? [],
    isPresent: (status) => kind.isPresent?.(ownStatus(kind, status)) ?? false,
    timeline: (status) => kind.timeline?.(status) ?? [],
    interference: (ref) => kind.interference?.(ref),
    serviceID: (status) => kind.serviceID?.(status),
    openIn: (status) => kind.open?.(ownStatus(kind, status)),
    async closed(status, how, read, signal) {
      const own = await kind.closed?.(ownStatus(kind, status), how, read, signal);
      const { own: _own, ...rest } = status;
      return own === undefined ? rest : { ...rest, own };
    },
    isHalfRemoved(status) {
      const { own } = ownStatus(kind, status);
      return own !== undefined && kind.isHalfRemoved?.(own) === true;
    },
    keep(status) {
      const { own } = ownStatus(kind, status);
      return own !== undefined && kind.keep ? { ...status, own: kind.keep(own) } : status;
    },
    open({ key, spec: raw, requests }, defaults) {
      const spec = kind.parse(raw);
      let known: Policy | undefined;
      const policy = (): Policy => (known ??= policyOf(kind, spec, defaults, requests['adopt']));
      return {
        external,
        get references() {
          return kind.references(spec, key);
        },
        unneeded: (status) => kind.unneeded?.(ownStatus(kind, status), requests) ?? [],
        get declaredData() {
          return kind.declaredData?.(spec) ?? [];
        },
        get policy() {
          return policy();
        },
        get externalName() {
          return kind.externalName(spec, key);
        },
        get reaches() {
          return kind.reaches?.(spec) ?? [];
        },
        get output() {
          return kind.output?.(spec);
        },
        outputs: (status) => kind.outputs(spec, ownStatus(kind, status)),
        uses: () => kind.uses?.(spec, policy()) ?? [],
        expires: (child) => kind.expires?.(spec, key, child) === true,
        prerequisite: (resolved) => kind.prerequisite?.(spec, resolved),
        connect: (resolved) => kind.connect?.(spec, resolved, key),
        locate: (connection, resolved) => kind.locate(spec, key, connection, resolved),
        observe: (input, signal) => observe(kind, spec, policy(), input, signal),
      };
    },
  };
}

/** @param adopt a person's confirmation that the object is as declared, and may be adopted */
function policyOf<Spec>(
  kind: { policy(spec: Spec): PolicyChoice; readonly defaults: Policy | ((spec: Spec) => Policy) },
  spec: Spec,
  defaults: PolicyChoice,
  adopt: string | undefined,
): Policy {
  const standard = typeof kind.defaults === 'function' ? kind.defaults(spec) : kind.defaults;
  const policy = mergePolicy(kind.policy(spec), defaults, standard);
  return adopt === 'IfIdentical' && policy.adoption === 'Fail'
    ? { ...policy, adoption: 'AdoptIfIdentical' }
    : policy;
}

function ownStatus<Own extends Json>(
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
  return {
    absent: observed.state === 'absent',
    plan: (moment) => kind.plan(situation(moment)),
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
    report: () => kind.report(situation(noMoment)),
  };
}
