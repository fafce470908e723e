// What a kind implements.
import type { Status } from './status/status.ts';
import type { Holding, Stated } from './status/condition.ts';
import type { Connection } from './connection.ts';
import type { Discovery } from './discovery.ts';
import type { Use, Users } from './permission.ts';
import type { Throwaway, Workload } from './effect.ts';
import type { Entry } from './source/source.ts';
import type { Observed, Situation } from './planning/situation.ts';
import type { Plan, Step } from './planning/plan.ts';
import { type Policy, type PolicyChoice } from './planning/policy.ts';
import type { ExternalRef, Key, Reference, Resolved, ResourceType } from './resource.ts';
import type { RequestDeclaration } from './source/request.ts';
import type { Json } from './secret.ts';
import type { TimelineStep } from './status/view.ts';

/** What a source gives to look at, besides the declaration. */
export interface Surroundings {
  /** Of a workload in the own namespace (core/source/source.ts). Absent: the source restarts none. */
  readonly tryRestart?: (workload: Workload) => Promise<void>;
  /** Objects that say that this one declared them, as the source knows them now. */
  readonly children?: () => readonly Entry[];
  /** Of a connection: who uses it, and for what. */
  readonly users?: Users;
}

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
} & Surroundings;

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

/** What a step opened outside and has to be closed, whatever becomes of the object: as its status alone tells. */
export interface Open<E> {
  /** The connection that it was opened through. */
  readonly connection: Key;
  readonly backend: string;
  /** Milliseconds since 1970: it is closed by then at the latest. */
  readonly untilMs: number;
  /** Names of what nobody else may open meanwhile. */
  readonly names: readonly string[];
  /** Closes it, in words. */
  readonly summary: string;
  /** Closes it. Asked for again, it does no harm. */
  readonly effect: E;
  /** What is said while that was asked for and is not done. */
  readonly unanswered: Pick<Stated, 'reason' | 'message'>;
  /** When to ask again. Absent: after the usual backoff. */
  readonly againMs?: number;
}

/** What came of asking to close it. */
export interface Closed {
  /** Absent: no answer. */
  readonly reply?: Json;
  /** The deadline had passed before. */
  readonly late: boolean;
  /** When it was asked. */
  readonly wallMs: number;
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
  /**
   * What is open. It is closed after the next step, and when the visit ends before one. What is found open is closed before
   * anything else.
   */
  open?(status: Status<Own>): Open<E> | undefined;
  /** Its own status after it was asked to be closed. */
  closed?(status: Status<Own>, how: Closed, read: Reader, signal: AbortSignal): Promise<Own | undefined>;
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
  /** The calls that it makes, for least-privilege policies. Absent: none. */
  uses?(spec: Spec, policy: Policy): readonly Use[];
  /** How what is there is found. Absent: it can't be listed. */
  readonly discovery?: readonly Discovery<Reader>[];
  /** Kinds of the objects that it declares (core/effect.ts, `child.create`). */
  readonly generates?: readonly string[];
  /** Its children that are to go whatever becomes of it. It is not let go before them, and no deletion limit counts them. */
  throwaways?(status: Status<Own>, key: Key): readonly Throwaway[];
  /** Connections only. */
  connect?(spec: Spec, resolved: Resolved, key: Key): Connection;
  /** Connections only: how the service names itself, whatever address it is reached at. */
  serviceID?(status: Status): string | undefined;
}
