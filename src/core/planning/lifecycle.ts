// What a managed kind implements: the verbs of its lifecycle. All are pure. planner.ts decides when each is used, so all
// kinds follow the same rules for ownership and destruction.
import type { Status, FieldChange } from '../status/status.ts';
import type { FieldTable, Have, Want } from './diff.ts';
import type { Situation } from './situation.ts';
import type { Blocked, Change, InSync, Plan, Step, Wake } from './plan.ts';
import type { Resolved } from '../resource.ts';

export interface Effectful<E> extends Pick<
  Step<E>,
  'own' | 'noted' | 'handledRequests' | 'applied' | 'destroys' | 'data' | 'intent' | 'rejection' | 'trial'
> {
  readonly summary: string;
  readonly effect: E;
  /** It can't be done while the object is in use. */
  readonly disruptive?: boolean;
  /** It removes the object; a later step creates it again with the changes. */
  readonly halfway?: boolean;
  /** Name under which attempts are counted in `tries`. */
  readonly attempt?: string;
  /** Recorded with the intent: what is needed to repeat the same create, or to finish the same removal. */
  readonly evidence?: Readonly<Record<string, string>>;
  /** Fields that bringing it back does not write. They stay recorded as they were, so that an edit of them is still made. */
  readonly unwritten?: readonly string[];
  /** It repeats, unchanged, a create whose response was lost. */
  readonly repeats?: boolean;
}

export interface Impossible {
  readonly path: string;
  readonly why: string;
}

/** The object is in use, which prevents its deletion and replacement. */
export interface InUse<E> {
  readonly what: string;
  readonly wake: Wake;
  readonly clear?: Effectful<E>;
}

export type Removal = 'Delete' | 'Deregister';

export interface Lifecycle<Spec, Live, Own, F extends string, E> {
  readonly fields: FieldTable<F>;
  want(spec: Spec, resolved: Resolved, status: Status<Own>): Want<F>;
  /** A secret that is `when-absent` has a value only if the service shows that it is not the one that was sent. */
  have(live: Live, status: Status<Own>): Have<F>;
  /**
   * Distinguishes an external object from a later one of the same name. Once recorded, it proves that the object is ours.
   */
  identity(live: Live): string;
  /** A replacement may have the same identity, so the identity does not tell the old external object from the new one. */
  readonly identityRepeats?: true;
  /** Name of the data that the object holds, independent of service and address. Absent: it holds none. */
  data?(live: Live): string;
  /** Proves ownership where the identity is not recorded yet, or where a step in progress has changed it. */
  isOurs(s: Situation<Spec, Live, Own>, live: Live): boolean;
  /** Whether the object is kept as declared without proof of ownership. It is never destroyed without proof. */
  keeps?(s: Situation<Spec, Live, Own>): boolean;
  /** Why a foreign object is not adopted, whatever the policy says, nor ours let go of: what is still ours would be forgotten. */
  displaced?(s: Situation<Spec, Live, Own>, live: Live): string | undefined;
  inUse(s: Situation<Spec, Live, Own>, live: Live): InUse<E> | undefined;
  create(s: Situation<Spec, Live, Own>): Effectful<E>;
  /**
   * Undoes a create, whether or not the object is there: for a create whose response was lost, or where the service can't
   * tell whether the object exists. Absent or `undefined`: only repeating the create finds what it made.
   */
  retract?(s: Situation<Spec, Live, Own>): Effectful<E> | undefined;
  /** Why a create whose response was lost must not be repeated. */
  unrepeatable?(s: Situation<Spec, Live, Own>): Blocked | undefined;
  /**
   * Whether an object being deleted stops repeating a create whose response was lost, because it was refused too often
   * since, or must not be repeated.
   */
  hasGivenUp?(s: Situation<Spec, Live, Own>): boolean;
  /**
   * Brings back an object that was ours and is gone. Text, or `undefined` for what held data: why it can't be brought back, so
   * the plan stalls.
   */
  revive(s: Situation<Spec, Live, Own>): Effectful<E> | string | undefined;
  update(
    s: Situation<Spec, Live, Own>,
    live: Live,
    changes: readonly FieldChange[],
  ): Effectful<E> | Impossible;
  /** @returns the step, or why the object must not be removed */
  remove(
    s: Situation<Spec, Live, Own>,
    live: Live,
    how: Removal,
    why: 'delete' | 'replace',
  ): Effectful<E> | string;
  /**
   * Finishes a removal: destroys what it let go of, or keeps that if the policy has changed.
   * @returns the step, what it waits for as text, or `undefined` if nothing is left to do
   */
  dispose?(s: Situation<Spec, Live, Own>, how: Removal): Effectful<E> | string | undefined;
  /** Brings back what a removal let go of, because the object is declared again or no replacement could be made. */
  restore?(s: Situation<Spec, Live, Own>): Effectful<E> | undefined;
  /** Why a replacement would fail, as far as that is known beforehand. */
  irreplaceable?(s: Situation<Spec, Live, Own>, live: Live): Blocked | undefined;
  /**
   * Plans work besides writing fields: requests, rotations, outputs. A change is made before fields are written; any other
   * verdict applies once all fields are as declared.
   * @param differing fields that are still to be written
   * @param rest the plan if there is no other work
   */
  act?(s: Situation<Spec, Live, Own>, live: Live, differing: readonly FieldChange[], rest: InSync): Plan<E>;
  /**
   * Plans what must be done before a create. `undefined`: nothing more. The object is held from then on, so `isOurs` must
   * not rely on that alone.
   */
  prepare?(s: Situation<Spec, Live, Own>): Change<E> | Blocked | undefined;
  /** Operations of the kind's own intents that remove the object. With such an intent, an absent object is no loss. */
  readonly removals?: readonly string[];
  /** Fields whose value the declaration no longer decides: the condition FieldsKept leaves them out. */
  answersFor?(s: Situation<Spec, Live, Own>): readonly F[];
  /** The service does not report changes: the object is read again at its own interval. */
  readonly unwatched?: true;
}
