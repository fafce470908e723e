// What the oracle judges by: what the services did, and what was declared, asked and allowed, each with its instant. Times
// are milliseconds since the history began, by a clock that nobody sets.

/** Where a volume is registered. */
export interface Place {
  readonly scheduler: string;
  readonly namespace: string;
  readonly id: string;
}

export const placeText = ({ scheduler, namespace, id }: Place): string => `${scheduler}/${namespace}/${id}`;

/** Where a disk is on its way to be destroyed, under an ID that nobody was told of (docs/decisions/0015). */
export const isRetired = ({ id }: Place): boolean => id.startsWith('holdfast-retired-');

/** An operator by its name, or anybody else. */
export type Actor = { readonly operator: string } | { readonly stranger: string };

export const operatorOf = (actor: Actor): string | undefined =>
  'operator' in actor ? actor.operator : undefined;

interface Happened {
  readonly at: number;
  readonly by: Actor;
  /** When the request left the operator; for others, when it happened. */
  readonly sentAt: number;
}

export interface Claim {
  readonly allocation: string;
  /** The registration that it claims. */
  readonly place: Place;
}

/** What the services say of a disk. */
export interface DiskShape {
  readonly plugin: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export type Entry = Happened &
  (
    | { readonly is: 'made'; readonly disk: string; readonly shape: DiskShape; readonly place: Place }
    /** A create that was answered with a disk that stood before. */
    | { readonly is: 'found'; readonly disk: string; readonly place: Place }
    | {
        readonly is: 'destroyed';
        readonly disk: string;
        /** The registration through which it was asked for; absent: at the provider itself. */
        readonly place: Place | undefined;
        /** Running allocations that claimed it at that instant, through whatever registration. */
        readonly claims: readonly Claim[];
        /** All its registrations at that instant. */
        readonly registrations: readonly Place[];
      }
    | { readonly is: 'registered'; readonly disk: string; readonly place: Place }
    /** Of a role of the directory, whose account `disk` is. */
    | {
        readonly is: 'role made' | 'role removed' | 'role rotated';
        readonly disk: string;
        readonly place: Place;
      }
    | {
        readonly is: 'deregistered';
        readonly disk: string;
        readonly place: Place;
        readonly claims: readonly string[];
      }
  );

/** What was done to snapshots and allocations, as the scheduler's own rows tell. */
export type Act = Happened &
  (
    | { readonly is: 'cut'; readonly snapshot: string; readonly name: string }
    | {
        readonly is: 'snapshot deleted';
        readonly snapshot: string;
        readonly name: string;
        /** Those that are left and ready. */
        readonly ready: readonly string[];
      }
    /** `does`: `stop`, `restart`, or the name of a signal. */
    | { readonly is: 'acted'; readonly does: string; readonly allocation: string; readonly job: string }
  );

/** What is declared or held of a configuration, a login role or a provider: what the service shows, and what it never does. */
export interface Held {
  readonly shown: Readonly<Record<string, string>>;
  readonly hidden: Readonly<Record<string, string>>;
}

/** What was done to one of them, as the secrets service's own rows tell. */
export type MountAct = Happened & {
  readonly place: Place;
  /** Something befell the request or its answer. */
  readonly unanswered: boolean;
} & (
    | { readonly is: 'written'; readonly before?: Held; readonly after: Held }
    | { readonly is: 'removed'; readonly before: Held }
    | { readonly is: 'refused'; readonly why: string }
  );

export type Destroyed = Extract<Entry, { is: 'destroyed' }>;

/**
 * One declared volume; or role: then its place is in `secrets`, and its account is a parameter; or what is at a mount of the
 * secrets service: what never changes of it is a parameter.
 */
export interface Declared {
  /** keyText */
  readonly key: string;
  readonly place: Place;
  readonly plugin: string;
  readonly source:
    | {
        readonly create: { readonly parameters: Readonly<Record<string, string>>; readonly required: string };
      }
    | { readonly register: string };
  readonly deletion: 'Retain' | 'Deregister' | 'Delete';
  readonly replace: 'Never' | 'WhenUnused';
  readonly adoption: 'Fail' | 'AdoptIfIdentical' | 'Adopt';
  readonly suspended: boolean;
  readonly observed: boolean;
  /** The request for another password that stands in the manifest. */
  readonly rotate?: string;
  /** At a mount: its fields. Others are not declared. */
  readonly held?: Held;
}

export interface Limits {
  readonly perHour: number;
  readonly percent: number;
}

/** All that a tree says from an instant on. */
export interface Snapshot {
  readonly at: number;
  readonly operator: string;
  readonly objects: ReadonlyMap<string, Declared>;
  /** Keys of objects whose manifest stands there and can't be read. */
  readonly broken: ReadonlySet<string>;
  /** Those of them whose file is empty: what it declared is known for as long as the state is. */
  readonly emptied?: ReadonlySet<string>;
  /** Nothing can be believed to be gone. */
  readonly unsound: boolean;
  /** Some of it can't be read at all: anything may be declared there. Absent: as `unsound`. */
  readonly hides?: boolean;
  readonly limits: Limits;
  /** Of the scheduler, as its connection has it. Absent: always the same. */
  readonly address?: string;
}

/** Laid over the manifest by a person, or taken back. */
export interface Asked {
  readonly is: 'asked';
  readonly key: string;
  readonly name: string;
  readonly token: string | undefined;
  /** The operator died before it answered: it may have noted it, or not. */
  readonly unanswered?: boolean;
}

export type What =
  /**
   * stripped: somebody took away a part of what it remembers, statuses or the mark on an object. emptied: its namespace is deleted
   * with all that was in it, and comes back.
   */
  | {
      readonly is: 'started' | 'ended' | 'lost' | 'restored' | 'copied' | 'stripped' | 'accepted' | 'emptied';
    }
  | {
      readonly is: 'approved';
      readonly keys: readonly string[];
      readonly digest: string;
      /** When it was said, if the answer took its time. */
      readonly saidAt?: number;
      /** It was said that the last manifest could not be used, and may have asked to keep it. */
      readonly unread?: boolean;
    }
  | Asked
  /** An object is not there any more: what comes under its name after that is another one. Never told of a directory. */
  | { readonly is: 'gone'; readonly key: string }
  /** The disk with the state begins to fail, and ends to. */
  | { readonly is: 'disturbed' | 'calm' };

export type Fact = What & { readonly at: number; readonly operator: string };

/** How an object was told of at the end. */
export interface Told {
  readonly operator: string;
  readonly key: string;
  readonly leaving: boolean;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

/** How the world was when all had come to rest. */
export interface End {
  readonly at: number;
  /** As `told`, a little earlier: what is said at both is no moment of a try. */
  readonly toldBefore: readonly Told[];
  readonly told: readonly Told[];
  readonly registrations: readonly { readonly place: Place; readonly disk: string }[];
  readonly disks: ReadonlyMap<string, DiskShape>;
  /** What is at the mounts. */
  readonly held: readonly { readonly place: Place; readonly held: Held }[];
  /** Roles that were said to be ready while what was published was another password than that in force, for long. */
  readonly stale: readonly { readonly at: number; readonly operator: string; readonly key: string }[];
  /** It was given up, since it would have gone on for ever. */
  readonly isStorm: boolean;
  /** Something waited for the hour of its limits to end, which may have been then. */
  readonly awaitsHour: boolean;
  /** Writes to a service, and commits of a state, while nothing happened any more. */
  readonly idleWrites: readonly string[];
  /** What the program itself called a bug. */
  readonly bugs: readonly string[];
}

export interface Account {
  /** Tokens show what is in their own namespace only. */
  readonly narrow: boolean;
  readonly entries: readonly Entry[];
  readonly acts: readonly Act[];
  readonly mountActs: readonly MountAct[];
  /** Of the first scheduler. */
  readonly outages: readonly { readonly from: number; readonly to: number }[];
  readonly secretsOutages: readonly { readonly from: number; readonly to: number }[];
  /** Nothing may be frozen for longer. */
  readonly deadlineMs: number;
  /**
   * Secrets have versions of their own there: one that is as it was before has moved twice; and it is told when objects are gone.
   * Absent: only what they hold counts.
   */
  readonly inCluster?: true;
  /** What was sent, to change something, by a process that did not hold the Lease then. */
  readonly unfenced: readonly { readonly at: number; readonly message: string }[];
  readonly snapshots: readonly Snapshot[];
  readonly facts: readonly Fact[];
  readonly end: End;
}

export interface Violation {
  /** Such as `I1`. */
  readonly invariant: string;
  readonly at: number;
  readonly message: string;
}
