// The interface that each kind implements. A kind describes its objects and plans for them, but can't cause effects:
// `observe` gets a reader without writes, and a plan is data. The engine makes every call.
import type { FieldChange, Status } from '../status/status.ts';
import type { Holding, Stated } from '../status/condition.ts';
import type { Connection } from '../connection.ts';
import type { Discovery } from './discovery.ts';
import type { Use, Users } from './permission.ts';
import type { Throwaway, Workload } from '../effect.ts';
import type { Entry } from '../source/source.ts';
import type { Observed, Situation } from '../planning/situation.ts';
import type { Plan, Step } from '../planning/plan.ts';
import { type Policy, type PolicyChoice } from '../planning/policy.ts';
import type {
  DeclaredObject,
  ExternalObject,
  ExternalRef,
  Key,
  Reference,
  Resolved,
  ResourceType,
} from '../resource.ts';
import type { RequestDeclaration } from '../source/request.ts';
import type { Json } from '../secret.ts';
import type { TimelineStep } from '../status/view.ts';

export interface Surroundings {
  /**
   * Tests whether a workload in the object's namespace can be restarted (core/source/source.ts). Absent: the source can't
   * restart workloads.
   */
  readonly tryRestart?: (workload: Workload) => Promise<void>;
  /** Objects that name this one as their parent, as the source knows them now. */
  readonly children?: () => readonly Entry[];
  /** Of a connection: who uses it, and for what. */
  readonly users?: Users;
}

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
  /** Reader of another connection that a reference names; `undefined` if that connection can't be used. */
  readonly via: (field: string) => Reader | undefined;
} & Surroundings;

export interface Report {
  /** State index of the observation. Change events up to it are dropped. */
  readonly index?: number;
  /**
   * Version of the external object, as its watch lists it (controller/connections/watches.ts). Equal versions mean that
   * nothing that the kind observes has changed. Absent: the object is read after each restart.
   */
  readonly version?: string;
  /** Managed fields and identity as observed, redacted. */
  readonly observed: Readonly<Record<string, Json>>;
  readonly conditions: readonly Holding[];
  /** Why the object is not ready, even if the visit ends well. */
  readonly unready?: Pick<Stated, 'reason' | 'message'>;
}

/**
 * Something that a step opened outside and that must be closed, whatever becomes of the object. Derived from the status
 * alone.
 */
export interface Open<E> {
  readonly connection: Key;
  readonly backend: string;
  /** Deadline for closing it, in milliseconds since 1970. */
  readonly untilMs: number;
  /** Names of what no other object may open meanwhile. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Closes it. Safe to repeat. */
  readonly effect: E;
  /** Reason and message while it was not confirmed as closed. */
  readonly unanswered: Pick<Stated, 'reason' | 'message'>;
  /** Milliseconds until the next attempt. Absent: the usual backoff. */
  readonly againMs?: number;
}

export interface Closed {
  /** Absent: there was no response. */
  readonly reply?: Json;
  /** What `closing` returned. Absent: it failed. */
  readonly seen?: Json;
  /** The deadline had passed before the attempt. */
  readonly late: boolean;
  readonly wallMs: number;
}

/**
 * Something at the service that a create needs and that no reference names. Only plans ask for it: a create that is sent is
 * told by the service itself.
 */
export interface Prerequisite<Reader> {
  /** Equal names of one connection are asked for once. */
  readonly name: string;
  /** What waits for it is tried again as soon as the service reports it. Without the backend. */
  readonly external: ExternalObject;
  /** @returns why it is missing; `undefined`: it is there. @throws ApiError if it can't be read */
  missing(read: Reader, signal: AbortSignal): Promise<Pick<Stated, 'reason' | 'message'> | undefined>;
}

/** How what a spec declares stands to what is recorded for an object of another namespace. */
export interface Descent {
  /**
   * `same`: made from the same data. `replaced`: made from what has the same ID, whose data is another by now, or is not known.
   * `unknown`: the spec leads to nothing that it could be made from. `other`: made from something else.
   */
  readonly from: 'same' | 'replaced' | 'unknown' | 'other';
  /** ID of what the recorded one was made from. Access has to give it to whoever takes over or is waited for. */
  readonly source: string;
  /** ID of the data itself. Access has to give it to whoever takes over, unless `from` is `same`. */
  readonly data: string;
}

export interface Interference {
  readonly method: 'DELETE' | 'POST';
  readonly path: string;
}

/** Data that a spec names. */
export interface DeclaredData {
  readonly name: string;
  /**
   * It counts only while the access rules allow the object what its spec reaches: without access, the object never had it.
   * Absent: it counts whatever the rules say. Access may have been taken back from an object that uses it.
   */
  readonly ifAllowed?: true;
}

export interface Kind<Spec, Live, Own extends Json, E, Reader> {
  readonly name: string;
  /** Type of its external objects. Kinds of the same type compete for the same external objects. */
  readonly owns: ResourceType;
  /** @throws SpecError */
  parse(spec: unknown): Spec;
  /** Parses the kind's own part of a stored status. `undefined`: it is unreadable. */
  parseOwn(own: unknown): Own | undefined;
  references(spec: Spec, key: Key): readonly Reference[];
  /**
   * Field of the reference that leads to the service: to a connection, or to an object that has one. Absent: the kind is a
   * connection.
   */
  readonly connectionField?: string;
  /** Its objects leave nothing behind, so their deletion is exempt from the deletion limits. */
  readonly leavesNothing?: true;
  /**
   * While one of its objects is not ready, those that are reached through it go on with what is known of it, once they are
   * made. Absent: they wait.
   */
  readonly servesUnready?: true;
  /** Fields of references that need not resolve now. */
  unneeded?(status: Status<Own>, requests: DeclaredObject['requests']): readonly string[];
  policy(spec: Spec): PolicyChoice;
  /** The policy where neither the object nor its connection chooses. */
  readonly defaults: Policy | ((spec: Spec) => Policy);
  externalName(spec: Spec, key: Key): string;
  /**
   * IDs by which the spec reaches data that is there already, or the mount that it names beside its name. The access rules have
   * to allow each of them, like the name.
   */
  reaches?(spec: Spec): readonly string[];
  /** Where the external object is. Deterministic. Becomes `externalRef` once the object is ours. */
  locate(spec: Spec, key: Key, connection: Connection, resolved: Resolved): ExternalRef;
  /**
   * The external object without the namespace of the object that declares it, where `locate` has that in it. An object of another
   * namespace with the same one may be this object, moved: `descent` tells. Absent: `locate` alone tells who declares the same.
   */
  unplaced?(spec: Spec, key: Key, ref: ExternalRef): ExternalRef | undefined;
  /**
   * Compares what the spec declares with what is recorded for an object of another namespace.
   * @param resolved what the references lead to, or will lead to once all that moves has moved
   * @param recorded status of the other object. @returns `undefined`: it does not tell what that was made from
   */
  descent?(spec: Spec, resolved: Resolved, recorded: Status<Own>): Descent | undefined;
  output?(spec: Spec): string | undefined;
  /** Reads the external object. A `Reader` has no writes. */
  observe(
    read: Reader,
    context: ObserveContext<Spec, Own, Reader>,
    signal: AbortSignal,
  ): Promise<Observed<Live>>;
  plan(s: Situation<Spec, Live, Own>): Plan<E>;
  /** The kind's own status at rest, or after a step. */
  record(s: Situation<Spec, Live, Own>): Own | undefined;
  /** The kind's own status after a step, from a reply that can't be read again. The reply must be parsed, never trusted. */
  learn?(s: Situation<Spec, Live, Own>, step: Step<E>, reply: Json): Own | undefined;
  /**
   * What the status records as open outside. The engine closes it after the next step, or when the visit ends before one. A
   * visit that starts with something open closes it before anything else.
   */
  open?(status: Status<Own>): Open<E> | undefined;
  /** Reads what `closed` needs to know of what is still open. It is begun before the close, which does not wait for it. */
  closing?(status: Status<Own>, read: Reader, signal: AbortSignal): Promise<Json>;
  closed?(status: Status<Own>, how: Closed, read: Reader, signal: AbortSignal): Promise<Own | undefined>;
  report(s: Situation<Spec, Live, Own>): Report;
  /** Names of the data that the status records as the object's own (lifecycle.ts, `data`). */
  data?(status: Status<Own>): readonly string[];
  /** The data that the spec names as the object's own, whether or not the object has it yet, or that it is yet to be made from. */
  declaredData?(spec: Spec, status: Status<Own>): readonly DeclaredData[];
  /**
   * Where the data is that the spec names. An object that has nothing yet takes no data that another one names at one of the same
   * places. Absent: nobody competes for data beside the external object.
   * @param outputs of what leads to the connection. @param connection keyText of it
   */
  places?(outputs: Readonly<Record<string, string>>, connection: string, spec: Spec): readonly string[];
  /**
   * Whether the object is to be made anew from what its spec declares now, and is not yet. Until then it holds what it is made from.
   * Absent: what is made stays.
   */
  isToBeReplaced?(spec: Spec, status: Status<Own>): boolean;
  /**
   * Marks what was under way when an older state was written. After a restore of that state, data that was about to be destroyed may
   * belong to another object, and is to be kept; and what is there instead of the recorded object may be what came after it.
   */
  keep?(status: Status<Own>): Status<Own>;
  /**
   * Whether a removal has begun that can still be undone, or an update that removes the object for a moment. It is undone before
   * `deletionPolicy: Retain` releases the object, and before others are made from it (lifecycle.ts, `restore`).
   */
  isHalfRemoved?(status: Status<Own>): boolean;
  /**
   * The outputs that objects with a reference to this one get.
   * @param written in a dry run: fields that are written before those go on, whatever the status shows of them
   */
  outputs(
    spec: Spec,
    status: Status<Own>,
    written?: readonly FieldChange[],
  ): Readonly<Record<string, string>>;
  /**
   * Whether the external object was there at the last observation and is not about to be removed. This alone decides whether
   * objects that refer to this one can be made from it. Absent or `undefined`: they need it to be Ready. If `undefined`, the object may
   * not be there: one that is being deleted is looked at before it stays for them.
   */
  isPresent?(status: Status<Own>): boolean | undefined;
  readonly requests?: readonly RequestDeclaration[];
  /** The steps of a longer operation, for the status page. */
  timeline?(status: Status): readonly TimelineStep[];
  /** A call that changes the external object outside Holdfast, for the tour of `holdfast dev`. */
  interference?(ref: ExternalRef): Interference;
  uses?(spec: Spec, policy: Policy): readonly Use[];
  prerequisite?(spec: Spec, resolved: Resolved): Prerequisite<Reader> | undefined;
  /** How to list its external objects. Absent: they can't be listed. */
  readonly discovery?: readonly Discovery<Reader>[];
  readonly generates?: readonly string[];
  /** Whether the object is a child that this one would have declared and may let expire. Absent: it lets none expire. */
  expires?(spec: Spec, key: Key, child: DeclaredObject): boolean;
  /**
   * Children that must be deleted whatever becomes of the object. It is not released before they are gone, and their
   * deletion is exempt from the deletion limits.
   */
  throwaways?(status: Status<Own>, key: Key): readonly Throwaway[];
  /** Connections only. */
  connect?(spec: Spec, resolved: Resolved, key: Key): Connection;
  /** Connections only: the ID that the service itself reports, the same for every address. */
  serviceID?(status: Status): string | undefined;
}
