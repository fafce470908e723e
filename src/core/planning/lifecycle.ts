// The contract of a managed kind: its verbs, all pure. When they are used is decided in planner.ts.
import type { Status, FieldChange } from '../status.ts';
import type { FieldTable, Have, Want } from './diff.ts';
import type { Situation } from '../kind.ts';
import type { Blocked, InSync, Plan, Step, Wake } from './plan.ts';
import type { Resolved } from '../resource.ts';

export interface Effectful<E> extends Pick<
  Step<E>,
  'own' | 'noted' | 'handledRequests' | 'applied' | 'destroys' | 'data' | 'intent' | 'trial'
> {
  readonly summary: string;
  readonly effect: E;
  /** Can't be done while somebody uses it. */
  readonly disruptive?: boolean;
  /** It removes the object, to be made again with its changes. */
  readonly halfway?: boolean;
  /** Counted under this name in `tries`, where doing it again and again would be no better. */
  readonly attempt?: string;
  /** What it takes to send the same create again, or to end the same removal; recorded before it. */
  readonly evidence?: Readonly<Record<string, string>>;
  /** Of a create: the one whose answer was lost, sent again as it was. */
  readonly repeats?: boolean;
}

/** This service can't do it. */
export interface Impossible {
  readonly path: string;
  readonly why: string;
}

/** Who uses an object: stops deletion and replacement, and says when to look again. */
export interface InUse<E> {
  readonly what: string;
  readonly wake: Wake;
  /** What clears the way, when it may be done. */
  readonly clear?: Effectful<E>;
}

export type Removal = 'Delete' | 'Deregister';

/** What a managed kind knows. */
export interface Lifecycle<Spec, Live, Own, F extends string, E> {
  readonly fields: FieldTable<F>;
  want(spec: Spec, resolved: Resolved, memory: Status<Own>): Want<F>;
  have(live: Live): Have<F>;
  /** What tells one external object from the next of the same name. Recorded, it is the proof that the object is ours. */
  identity(live: Live): string;
  /** Names the data that it holds, the same through whatever service and address. Absent: it holds none. */
  data?(live: Live): string;
  /** Proof where the identity is not recorded yet, or was changed by a step that was under way: a recorded name, say. */
  isOurs(s: Situation<Spec, Live, Own>, live: Live): boolean;
  /** Without proof it is still kept as declared, though never destroyed. Absent: it is not. */
  keeps?(s: Situation<Spec, Live, Own>): boolean;
  inUse(s: Situation<Spec, Live, Own>, live: Live): InUse<E> | undefined;
  create(s: Situation<Spec, Live, Own>): Effectful<E>;
  /**
   * Takes back what a create whose answer was lost may have made, whether or not it is there. Absent: only the
   * same create, sent again, finds what it made.
   */
  retract?(s: Situation<Spec, Live, Own>): Effectful<E>;
  /** It was ours and is gone. `undefined`: nobody can bring it back; stall. */
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
   * Ends what a removal began: destroys what was let go of, or, where the policy is another by now, keeps it.
   * `undefined`: nothing is left to do. A string says what it waits for.
   */
  dispose?(s: Situation<Spec, Live, Own>, how: Removal): Effectful<E> | string | undefined;
  /** Brings back what was let go of and not destroyed: it is declared again, or nothing could take its place. */
  restore?(s: Situation<Spec, Live, Own>): Effectful<E> | undefined;
  /** Why a replacement would fail, as far as that is known before anything is let go of. */
  irreplaceable?(
    s: Situation<Spec, Live, Own>,
    live: Live,
  ): Pick<Blocked, 'reason' | 'message' | 'wake'> | undefined;
  /**
   * What there is to do beyond its fields: requests, rotations, outputs. A change is made before any field is written;
   * anything else counts once all fields are as declared.
   * @param differing fields that are still to be written
   * @param rest what the plan is if there is nothing more to do
   */
  act?(s: Situation<Spec, Live, Own>, live: Live, differing: readonly FieldChange[], rest: InSync): Plan<E>;
  /** Nothing tells of changes there: it is looked at again at its own interval. */
  readonly unwatched?: true;
}
