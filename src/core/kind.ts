// What a kind implements, and how its types are sealed so that one registry holds all kinds.
import type { Status } from './status/status.ts';
import type { Holding, Stated } from './status/condition.ts';
import type { Connection } from './connection.ts';
import type { Discovery } from './discovery.ts';
import type { Workload } from './effect.ts';
import type { Published } from './source/output.ts';
import type { Entry } from './source/source.ts';
import type { Moment, Observed, Situation } from './planning/situation.ts';
import { afterChange, afterDestroying, afterRemoval, afterRest } from './planning/next-status.ts';
import type { InSync, Plan, Step } from './planning/plan.ts';
import { mergePolicy, type Policy, type PolicyChoice } from './planning/policy.ts';
import type {
  DeclaredObject,
  ExternalObject,
  ExternalRef,
  Key,
  Reference,
  Resolved,
  ResourceType,
} from './resource.ts';
import type { RequestDeclaration } from './source/request.ts';
import type { Json } from './secret.ts';
import type { TimelineStep } from './status/view.ts';

/** For what does not depend on the time. */
const noMoment: Moment = { nowMs: 0, wallMs: 0, since: () => 0 };

/** What a read depends on. */
export type ObserveContext<Spec, Own, Reader> = Pick<
  Situation<Spec, never, Own>,
  | 'key'
  | 'uid'
  | 'deleting'
  | 'doubt'
  | 'spec'
  | 'ref'
  | 'status'
  | 'policy'
  | 'resolved'
  | 'published'
  | 'requests'
> & {
  readonly generation: number;
  /** Reader of the connection that a reference names, where that can be used. */
  readonly via: (field: string) => Reader | undefined;
} & Pick<ObservationInput<Reader>, 'tryRestart' | 'children'>;

/** What a kind reports of an object. */
export interface Report {
  /** State index of the read: earlier hints are old news. */
  readonly index?: number;
  /** Managed fields and identity as read, redacted. */
  readonly observed: Readonly<Record<string, Json>>;
  readonly conditions: readonly Holding[];
  /** Why the object is not ready, whatever becomes of the visit. */
  readonly unready?: Pick<Stated, 'reason' | 'message'>;
}

export interface Interference {
  readonly method: 'DELETE' | 'POST';
  readonly path: string;
}

export interface Kind<Spec, Live, Own extends Json, E, Reader> {
  readonly name: string;
  /** Type of its external objects. Two kinds of one type compete for the same objects. */
  readonly owns: ResourceType;
  /** @throws SpecError */
  parse(spec: unknown): Spec;
  /** The kind's own part of a stored status. `undefined`: it can't be read. */
  parseOwn(own: unknown): Own | undefined;
  references(spec: Spec, key: Key): readonly Reference[];
  /**
   * Field of the reference that leads to the service: to a connection, or to an object that has one. Absent: the kind
   * is a connection.
   */
  readonly connectionField?: string;
  /** It makes nothing that stays, so its leaving counts against no deletion limit. */
  readonly leavesNothing?: true;
  policy(spec: Spec): PolicyChoice;
  /** The policy where neither object nor connection chooses. */
  readonly defaults: Policy;
  /** Name of the external object, for access rules. */
  externalName(spec: Spec, key: Key): string;
  /** Where the external object is, deterministically. Becomes `externalRef` once it is ours. */
  locate(spec: Spec, key: Key, connection: Connection, resolved: Resolved): ExternalRef;
  /** Name of the Secret that it publishes. */
  output?(spec: Spec): string | undefined;
  /** A `Reader` can't change anything. */
  observe(
    read: Reader,
    look: ObserveContext<Spec, Own, Reader>,
    signal: AbortSignal,
  ): Promise<Observed<Live>>;
  plan(s: Situation<Spec, Live, Own>): Plan<E>;
  /** Its own status at rest, or after a step. */
  record(s: Situation<Spec, Live, Own>): Own | undefined;
  /** Its own status after a step whose reply says what nothing else does. A reply is parsed, never trusted. */
  learn?(s: Situation<Spec, Live, Own>, step: Step<E>, reply: Json): Own | undefined;
  /** Something is open that has to be closed (lifecycle.ts, `close`). */
  isOpen?(status: Status<Own>): boolean;
  report(s: Situation<Spec, Live, Own>): Report;
  /** Names of the data that are recorded as its own (lifecycle.ts, `data`). */
  data?(status: Status<Own>): readonly string[];
  /** Marks as to be kept what was half destroyed when an earlier state was written: it may be somebody else's by now. */
  keep?(own: Own): Own;
  /** What objects that refer to it get. */
  outputs(spec: Spec, status: Status<Own>): Readonly<Record<string, string>>;
  /** What it can be asked, besides the requests of every kind. */
  readonly requests?: readonly RequestDeclaration[];
  /** For the status page: what it does in several steps. */
  timeline?(status: Status): readonly TimelineStep[];
  /** A call that changes the external object behind Holdfast's back, for the tour of `holdfast dev`. */
  interference?(ref: ExternalRef): Interference;
  /** How what is there is found. Absent: it can't be listed. */
  readonly discovery?: readonly Discovery<Reader>[];
  /** Kind of the objects that it declares (core/effect.ts, `child.create`). */
  readonly generates?: string;
  /** Connections only. */
  connect?(spec: Spec, resolved: Resolved, key: Key): Connection;
  /** Connections only: how the service names itself, whatever address it is reached at. */
  serviceID?(status: Status): string | undefined;
}

// Each stage closes over the types of the one before: no casts, no `any`.

/** One look at the outside, ready to be planned on. */
export interface Observation<E> {
  readonly absent: boolean;
  plan(moment: Moment): Plan<E>;
  /** Status after this step. */
  afterStep(step: Step<E>, reply?: Json): Status;
  /** Status of an object that is ours and as declared. */
  afterRest(plan: Pick<InSync, 'applied' | 'identity'>): Status;
  report(): Report;
}

export interface Opened<E, Reader> {
  external(ref: ExternalRef): ExternalObject;
  readonly references: readonly Reference[];
  readonly policy: Policy;
  readonly externalName: string;
  /** Name of the Secret that it publishes. */
  readonly output: string | undefined;
  outputs(status: Status): Readonly<Record<string, string>>;
  isOpen(status: Status): boolean;
  connect(resolved: Resolved): Connection | undefined;
  locate(connection: Connection, resolved: Resolved): ExternalRef;
  look(input: ObservationInput<Reader>, signal: AbortSignal): Promise<Observation<E>>;
}

export interface ObservationInput<Reader> {
  readonly object: DeclaredObject;
  readonly status: Status;
  readonly read: Reader;
  /** Reader of the connection that a reference names. */
  readonly via?: (field: string) => Reader | undefined;
  readonly resolved: Resolved;
  readonly connection: Connection;
  readonly published?: Published;
  /** Of a workload in the own namespace (core/source/source.ts). Absent: the source restarts none. */
  readonly tryRestart?: (workload: Workload) => Promise<void>;
  /** Objects that say that this one declared them, as the source knows them now. */
  readonly children?: () => readonly Entry[];
  readonly nonce: string;
}

export interface SealedKind<E, Reader> {
  readonly name: string;
  readonly connectionField: string | undefined;
  readonly leavesNothing?: true;
  readonly requests: readonly RequestDeclaration[];
  readonly discovery: readonly Discovery<Reader>[];
  readonly generates: string | undefined;
  external(ref: ExternalRef): ExternalObject;
  data(status: Status): readonly string[];
  timeline(status: Status): readonly TimelineStep[];
  interference(ref: ExternalRef): Interference | undefined;
  serviceID(status: Status): string | undefined;
  /** The status once a person trusts an earlier state: what was half destroyed then is kept. */
  keep(status: Status): Status;
  /** @throws SpecError */
  open(object: Pick<DeclaredObject, 'key' | 'spec' | 'requests'>, defaults: PolicyChoice): Opened<E, Reader>;
}

export function defineKind<Spec, Live, Own extends Json, E, Reader>(
  kind: Kind<Spec, Live, Own, E, Reader>,
): SealedKind<E, Reader> {
  const parsed = new WeakMap<object, Spec>(); // parsing again on every visit would be most of a visit's cost
  const parse = (raw: unknown): Spec => {
    if (raw === null || typeof raw !== 'object') return kind.parse(raw);
    const known = parsed.get(raw);
    if (known !== undefined) return known;
    const spec = kind.parse(raw);
    parsed.set(raw, spec);
    return spec;
  };
  const external = (ref: ExternalRef): ExternalObject => ({ ...ref, type: kind.owns });
  return {
    name: kind.name,
    connectionField: kind.connectionField,
    ...(kind.leavesNothing && { leavesNothing: true }),
    external,
    data: (status) => kind.data?.(ownStatus(kind, status)) ?? [],
    requests: kind.requests ?? [],
    discovery: kind.discovery ?? [],
    generates: kind.generates,
    timeline: (status) => kind.timeline?.(status) ?? [],
    interference: (ref) => kind.interference?.(ref),
    serviceID: (status) => kind.serviceID?.(status),
    keep(status) {
      const { own } = ownStatus(kind, status);
      return own !== undefined && kind.keep ? { ...status, own: kind.keep(own) } : status;
    },
    open({ key, spec: raw, requests }, defaults) {
      const spec = parse(raw);
      const declared = mergePolicy(kind.policy(spec), defaults, kind.defaults);
      const policy = asked(declared, requests['adopt']);
      return {
        external,
        references: kind.references(spec, key),
        policy,
        externalName: kind.externalName(spec, key),
        output: kind.output?.(spec),
        outputs: (status) => kind.outputs(spec, ownStatus(kind, status)),
        isOpen: (status) => kind.isOpen?.(ownStatus(kind, status)) ?? false,
        connect: (resolved) => kind.connect?.(spec, resolved, key),
        locate: (connection, resolved) => kind.locate(spec, key, connection, resolved),
        look: (input, signal) => look(kind, spec, policy, input, signal),
      };
    },
  };
}

/** A person saw that the object is as declared, and asked to adopt it. */
const asked = (policy: Policy, adopt: string | undefined): Policy =>
  adopt === 'IfIdentical' && policy.adoption === 'Fail'
    ? { ...policy, adoption: 'AdoptIfIdentical' }
    : policy;

function ownStatus<Own extends Json>(
  kind: { parseOwn(own: unknown): Own | undefined },
  status: Status,
): Status<Own> {
  const { own: raw, ...common } = status;
  const own = kind.parseOwn(raw);
  return own === undefined ? common : { ...common, own };
}

async function look<Spec, Live, Own extends Json, E, Reader>(
  kind: Kind<Spec, Live, Own, E, Reader>,
  spec: Spec,
  policy: Policy,
  input: ObservationInput<Reader>,
  signal: AbortSignal,
): Promise<Observation<E>> {
  const { object, connection, resolved, read, via = () => undefined, nonce } = input;
  const { published, tryRestart, children } = input;
  const status = ownStatus(kind, input.status);
  const located = kind.locate(spec, object.key, connection, resolved);
  const ref = status.externalRef ?? located;
  const seen = { resolved, ...(published && { published }) };
  const tools = { ...(tryRestart && { tryRestart }), ...(children && { children }) };
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
      // A step before the create does not make ours what may be there.
      const isBeforehand = step.verb === 'act' && observed.state !== 'present';
      const after = afterChange(status, step, isBeforehand ? status.externalRef : ref);
      const learnt = reply === undefined ? undefined : kind.learn?.(situation(noMoment), step, reply);
      if (learnt !== undefined) return { ...after, own: learnt };
      if (step.own !== undefined) return { ...after, own: step.own };
      // What was recorded of the previous object is not true of the new one.
      return step.verb === 'create' ? after : withOwn(after);
    },
    afterRest: (plan) =>
      plan.applied ? withOwn(afterRest(status, plan.applied, plan.identity, ref)) : { ...status, tries: {} },
    report: () => kind.report(situation(noMoment)),
  };
}
