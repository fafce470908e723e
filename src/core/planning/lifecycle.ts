// What a managed kind implements: its verbs, all pure. planner.ts decides when they are used.
import type { Status, FieldChange } from '../status/status.ts';
import type { FieldTable, Have, Want } from './diff.ts';
import type { Situation } from './situation.ts';
import type { Blocked, Change, InSync, Plan, Step, Wake } from './plan.ts';
import type { Resolved } from '../resource.ts';

export interface Effectful<E> extends Pick<
  Step<E>,
  'own' | 'noted' | 'handledRequests' | 'applied' | 'destroys' | 'data' | 'intent' | 'trial'
> {
  readonly summary: string;
  readonly effect: E;
  /** It can't be done while somebody uses the object. */
  readonly disruptive?: boolean;
  /** It removes the object; a later step makes it again with the changes. */
  readonly halfway?: boolean;
  /** Name under which attempts are counted in `tries`. */
  readonly attempt?: string;
  /** Recorded with the intent: what is needed to repeat the same create, or to end the same removal. */
  readonly evidence?: Readonly<Record<string, string>>;
  /** It repeats a create whose response was lost, unchanged. */
  readonly repeats?: boolean;
}

/** The service can't do it. */
export interface Impossible {
  readonly path: string;
  readonly why: string;
}

/** Somebody uses the object, which stops deletion and replacement. */
export interface InUse<E> {
  readonly what: string;
  readonly wake: Wake;
  /** A step that ends the use. */
  readonly clear?: Effectful<E>;
}

export type Removal = 'Delete' | 'Deregister';

export interface Lifecycle<Spec, Live, Own, F extends string, E> {
  readonly fields: FieldTable<F>;
  want(spec: Spec, resolved: Resolved, status: Status<Own>): Want<F>;
  have(live: Live): Have<F>;
  /** Tells an external object from the next one of the same name. Once recorded, it proves that the object is ours. */
  identity(live: Live): string;
  /** What is made in its place may have the same identity: seeing that tells nothing about which of the two it is. */
  readonly identityRepeats?: true;
  /** Names the data that the object holds, independent of service and address. Absent: it holds none. */
  data?(live: Live): string;
  /** Proves ownership where the identity is not recorded yet, or where a step that is under way changed it. */
  isOurs(s: Situation<Spec, Live, Own>, live: Live): boolean;
  /** Whether the object is kept in line without proof of ownership. It is never destroyed without proof. */
  keeps?(s: Situation<Spec, Live, Own>): boolean;
  inUse(s: Situation<Spec, Live, Own>, live: Live): InUse<E> | undefined;
  create(s: Situation<Spec, Live, Own>): Effectful<E>;
  /**
   * Undoes a create, whether or not the object is there: for a create whose response was lost, or where the service
   * can't tell. Absent or `undefined`: only repeating the create finds what it made.
   */
  retract?(s: Situation<Spec, Live, Own>): Effectful<E> | undefined;
  /** Whether a create whose response was lost has been refused so often since that an object that leaves stops repeating it. */
  hasGivenUp?(s: Situation<Spec, Live, Own>): boolean;
  /** The object was ours and is gone. `undefined`: nobody can bring it back, so the plan stalls. */
  revive(s: Situation<Spec, Live, Own>): Effectful<E> | undefined;
  update(
    s: Situation<Spec, Live, Own>,
    live: Live,
    changes: readonly FieldChange[],
  ): Effectful<E> | Impossible;
  /** A string says why it must not be removed. */
  remove(
    s: Situation<Spec, Live, Own>,
    live: Live,
    how: Removal,
    why: 'delete' | 'replace',
  ): Effectful<E> | string;
  /**
   * Ends what a removal began: destroys what it let go of, or keeps that if the policy has changed. A string says what
   * it waits for.
   * `undefined`: nothing is left to do.
   */
  dispose?(s: Situation<Spec, Live, Own>, how: Removal): Effectful<E> | string | undefined;
  /** Brings back what a removal let go of: it is declared again, or no replacement could be made. */
  restore?(s: Situation<Spec, Live, Own>): Effectful<E> | undefined;
  /** Why a replacement would fail, as far as that is known beforehand. */
  irreplaceable?(s: Situation<Spec, Live, Own>, live: Live): Blocked | undefined;
  /**
   * What there is to do besides writing fields: requests, rotations, outputs. A change is made before fields are
   * written; any other verdict counts once all fields are as declared.
   * @param differing fields that are still to be written
   * @param rest the plan if there is nothing else to do
   */
  act?(s: Situation<Spec, Live, Own>, live: Live, differing: readonly FieldChange[], rest: InSync): Plan<E>;
  /**
   * What has to be done before a create. `undefined`: nothing more. The object is held from then on, so `isOurs` must not
   * rest on that alone.
   */
  prepare?(s: Situation<Spec, Live, Own>): Change<E> | Blocked | undefined;
  /** Operations of its own intents that remove the object: absent is then no loss. */
  readonly removals?: readonly string[];
  /** Fields whose value is no longer the declaration's business: nothing is said of what they keep. */
  answersFor?(s: Situation<Spec, Live, Own>): readonly F[];
  /** Nobody reports changes: the object is read again at its own interval. */
  readonly unwatched?: true;
}
