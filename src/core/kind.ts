// The contract of a kind, and how its types are sealed so that one registry can hold different ones.
import type { Status } from './status.ts';
import type { Holding, Stated } from './condition.ts';
import type { Connection } from './connection.ts';
import type { Published } from './output.ts';
import { afterChange, afterDestroying, afterRemoval, afterRest } from './planning/next-status.ts';
import type { InSync, Plan, Step } from './planning/plan.ts';
import { mergePolicy, type Policy, type PolicyChoice } from './planning/policy.ts';
import type { ExternalRef, Key, Reference, Resolved, DeclaredObject } from './resource.ts';
import type { Json } from './secret.ts';

/** What a read of the outside found. A read that failed is an error, never `absent`. */
export type Observed<Live> = (
  | { readonly state: 'absent' }
  | { readonly state: 'present'; readonly live: Live }
) & {
  /** What was let go of and is still to be destroyed, under the name that it was given for that. */
  readonly retired?: Live;
};

/** Everything that a plan may depend on. */
export interface Situation<Spec, Live, Own> {
  readonly key: Key;
  readonly uid: string;
  readonly deleting: boolean;
  readonly held: boolean;
  readonly requests: Readonly<Record<string, string>>;
  readonly spec: Spec;
  /** Where it is: as recorded, else as located. */
  readonly ref: ExternalRef;
  /** Where the declaration and its connection place it now. */
  readonly located: ExternalRef;
  readonly resolved: Resolved;
  readonly observed: Observed<Live>;
  /** What stands where its output goes; absent for objects without one. */
  readonly published?: Published;
  readonly memory: Status<Own>;
  readonly policy: Policy;
  /** Monotonic: what a plan waits for is an instant of this clock. */
  readonly nowMs: number;
  /** Drawn at random for this look: what a name that is made now holds. Letters and digits. */
  readonly nonce: string;
  /** Milliseconds since 1970, as the machine believes: only to compare with instants that a service states. */
  readonly wallMs: number;
  readonly since: Since;
}

/**
 * Since when (`nowMs`) this has been so, as far as this process knows: now, when it is asked for the first time. What the
 * next plan does not ask for is forgotten, and so is everything when an intent is recorded. A new process begins anew, so
 * a wait that is told by this never ends too soon.
 * @param what names one fact of the object: another occurrence has another name
 */
export type Since = (what: string) => number;

/** When a plan is made. */
export type Moment = Pick<Situation<never, never, never>, 'nowMs' | 'wallMs' | 'since'>;

/** Of what does not depend on the time. */
const noMoment: Moment = { nowMs: 0, wallMs: 0, since: () => 0 };

/** What observing may depend on. */
export type ObserveContext<Spec, Own, Reader> = Pick<
  Situation<Spec, never, Own>,
  'key' | 'uid' | 'deleting' | 'spec' | 'ref' | 'memory' | 'policy' | 'resolved' | 'published' | 'requests'
> & {
  readonly generation: number;
  /** Of the connection that a reference points at, where it can be used. */
  readonly via: (field: string) => Reader | undefined;
};

/** What status says beyond what the engine knows by itself. */
export interface Report {
  /** State index of what was seen: hints up to it are old news. */
  readonly index?: number;
  /** Managed fields and identity as seen, redacted. */
  readonly observed: Readonly<Record<string, Json>>;
  readonly conditions: readonly Holding[];
  /** Why it is not ready whatever becomes of the visit: what others are given of it is not what is in force. */
  readonly unready?: Pick<Stated, 'reason' | 'message'>;
}

export interface Kind<Spec, Live, Own extends Json, E, Reader> {
  readonly name: string;
  /** Throws SpecError with path, expected, got. */
  parse(spec: unknown): Spec;
  /** What it recorded of its own earlier; anything unreadable is `undefined`, never an error. */
  parseOwn(own: unknown): Own | undefined;
  references(spec: Spec, key: Key): readonly Reference[];
  /**
   * Pointer of the reference through which the service is reached: to a connection, or to an object that has one.
   * Absent: the object is a connection itself.
   */
  readonly connectionField?: string;
  policy(spec: Spec): PolicyChoice;
  /** The policy where neither object nor connection says anything. */
  readonly defaults: Policy;
  /** Name of the external object, for access rules. */
  externalName(spec: Spec, key: Key): string;
  /** Where it is, deterministically; becomes `externalRef` once it is ours. */
  locate(spec: Spec, key: Key, connection: Connection, resolved: Resolved): ExternalRef;
  /** Name of the Secret that it publishes. */
  output?(spec: Spec): string | undefined;
  /** `Reader` has no mutating operation in its type. */
  observe(
    read: Reader,
    look: ObserveContext<Spec, Own, Reader>,
    signal: AbortSignal,
  ): Promise<Observed<Live>>;
  plan(s: Situation<Spec, Live, Own>): Plan<E>;
  /** Its own memory after a look that found all well, or after a step. */
  record(s: Situation<Spec, Live, Own>): Own | undefined;
  report(s: Situation<Spec, Live, Own>): Report;
  /** Names of the data that are recorded as its own (lifecycle.ts, `data`). */
  data?(memory: Status<Own>): readonly string[];
  /** What was half way to being destroyed when an earlier state was written is to be kept: it may be somebody else's by now. */
  keep?(own: Own): Own;
  /** What others get who refer to it. */
  outputs(spec: Spec, memory: Status<Own>): Readonly<Record<string, string>>;
  /** Connections only: what they say. */
  connect?(spec: Spec, resolved: Resolved, key: Key): Connection;
}

// Sealing: each stage closes over the types of the one before. No casts, no `any`, one registry.

/** One look at the world, ready to be planned on. */
export interface Observation<E> {
  /** Nothing is there. */
  readonly absent: boolean;
  plan(moment: Moment): Plan<E>;
  /** Memory after this step was done. */
  afterStep(step: Step<E>): Status;
  /** Memory of an object that is ours and was found as it should be. */
  afterRest(plan: Pick<InSync, 'applied' | 'identity'>): Status;
  report(): Report;
}

export interface Opened<E, Reader> {
  readonly references: readonly Reference[];
  readonly policy: Policy;
  readonly externalName: string;
  /** Name of the Secret that it publishes. */
  readonly output: string | undefined;
  outputs(memory: Status): Readonly<Record<string, string>>;
  data(memory: Status): readonly string[];
  connect(resolved: Resolved): Connection | undefined;
  locate(connection: Connection, resolved: Resolved): ExternalRef;
  look(around: ObservationInput<Reader>, signal: AbortSignal): Promise<Observation<E>>;
}

/** What surrounds one look. */
export interface ObservationInput<Reader> {
  readonly object: DeclaredObject;
  readonly memory: Status;
  readonly read: Reader;
  /** Reader of the connection that a reference points at; absent: there is none. */
  readonly via?: (field: string) => Reader | undefined;
  readonly resolved: Resolved;
  readonly connection: Connection;
  readonly published?: Published;
  readonly nonce: string;
}

export interface SealedKind<E, Reader> {
  readonly name: string;
  readonly connectionField: string | undefined;
  /** What is remembered of an object once a person goes on from an earlier state: nothing of its is destroyed half way on. */
  keep(memory: Status): Status;
  /** Throws SpecError. */
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
  return {
    name: kind.name,
    connectionField: kind.connectionField,
    keep(memory) {
      const { own } = ownMemory(kind, memory);
      return own !== undefined && kind.keep ? { ...memory, own: kind.keep(own) } : memory;
    },
    open({ key, spec: raw, requests }, defaults) {
      const spec = parse(raw);
      const declared = mergePolicy(kind.policy(spec), defaults, kind.defaults);
      const policy = asked(declared, requests['adopt']);
      return {
        references: kind.references(spec, key),
        policy,
        externalName: kind.externalName(spec, key),
        output: kind.output?.(spec),
        outputs: (memory) => kind.outputs(spec, ownMemory(kind, memory)),
        data: (memory) => kind.data?.(ownMemory(kind, memory)) ?? [],
        connect: (resolved) => kind.connect?.(spec, resolved, key),
        locate: (connection, resolved) => kind.locate(spec, key, connection, resolved),
        look: (around, signal) => look(kind, spec, policy, around, signal),
      };
    },
  };
}

/** A person who was shown that it is as declared said that it shall be taken over. */
const asked = (policy: Policy, adopt: string | undefined): Policy =>
  adopt === 'IfIdentical' && policy.adoption === 'Fail'
    ? { ...policy, adoption: 'AdoptIfIdentical' }
    : policy;

function ownMemory<Own extends Json>(
  kind: { parseOwn(own: unknown): Own | undefined },
  memory: Status,
): Status<Own> {
  const { own: raw, ...common } = memory;
  const own = kind.parseOwn(raw);
  return own === undefined ? common : { ...common, own };
}

async function look<Spec, Live, Own extends Json, E, Reader>(
  kind: Kind<Spec, Live, Own, E, Reader>,
  spec: Spec,
  policy: Policy,
  around: ObservationInput<Reader>,
  signal: AbortSignal,
): Promise<Observation<E>> {
  const { object, connection, resolved, read, via = () => undefined, published, nonce } = around;
  const memory = ownMemory(kind, around.memory);
  const located = kind.locate(spec, object.key, connection, resolved);
  const ref = memory.externalRef ?? located;
  const seen = { resolved, ...(published && { published }) };
  const observed = await kind.observe(read, { ...object, ...seen, spec, ref, memory, policy, via }, signal);
  const { key, uid, deleting, held, requests } = object;
  const situation = (moment: Moment): Situation<Spec, Live, Own> => ({
    key,
    uid,
    deleting,
    held,
    requests,
    spec,
    ref,
    located,
    ...seen,
    observed,
    memory,
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
    afterStep(step) {
      if (step.verb === 'delete' || step.verb === 'replace') return afterRemoval(memory, step);
      if (step.verb === 'destroy') return afterDestroying(memory, step);
      const after = afterChange(memory, step, ref);
      if (step.own !== undefined) return { ...after, own: step.own };
      // What was recorded of the one before is not true of the one that was just made.
      return step.verb === 'create' ? after : withOwn(after);
    },
    afterRest: (plan) =>
      plan.applied ? withOwn(afterRest(memory, plan.applied, plan.identity, ref)) : { ...memory, tries: {} },
    report: () => kind.report(situation(noMoment)),
  };
}
