// What can happen in a history, as data: an event means the same whatever came before it, and nothing where it can't be
// done, so that a history stays one when events are taken out of it.
import type { DiskTrouble } from '../machine/disk.ts';
import type { NetworkFault } from '../world/network.ts';
import type { ServiceName } from '../world/services.ts';
import type { MountedSetup, OnMount, OnMountedTree } from './mounted.ts';

export type OperatorName = 'A' | 'B';

/** What is declared of a volume. */
export interface Wish {
  readonly externalName?: string;
  readonly plugin: 'attaching' | 'plain' | 'zoned' | 'plian' | 'cutting';
  /** A disk to be registered; absent: one is created. */
  readonly register?: string;
  readonly parameters: string;
  readonly required?: 'a' | 'b';
  readonly preferred?: 'a' | 'b';
  readonly deletion: 'Retain' | 'Deregister' | 'Delete';
  readonly replace: 'Never' | 'WhenUnused';
  readonly adoption?: 'Fail' | 'AdoptIfIdentical' | 'Adopt';
  readonly suspended: boolean;
  readonly observed: boolean;
  readonly writers: 'single' | 'multi';
}

/** What is declared of a role of the directory. */
export interface RoleWish {
  readonly username: string;
  readonly deletion: 'Retain' | 'Delete';
  readonly adoption?: 'Fail' | 'Adopt';
  /** The manifest's request. */
  readonly rotate?: string;
}

/** What is declared of a snapshot, of a schedule of snapshots, and of an action. */
export interface SnapshotWish {
  readonly deletion: 'Retain' | 'Delete';
  /** Who writes is frozen for so long at the most. Absent: nobody is. */
  readonly deadlineS?: number;
}
export interface ScheduleWish {
  /** 0: not for months. */
  readonly everyMinutes: number;
  readonly count: number;
  readonly minReady: number;
  readonly suspended: boolean;
  readonly deadlineS?: number;
}
export interface ActionWish {
  readonly does: 'restart' | 'signal' | 'stop';
  readonly parallel: number;
}

export interface StorageSetup {
  /** How long a snapshot takes to get ready. */
  readonly readyMs: number;
  readonly schedule?: ScheduleWish;
}

export type Patch = { readonly [K in keyof Wish]?: Wish[K] | undefined };

/** All requests, those that may change something, or those that take something away. */
export type Requests = 'all' | 'writes' | 'removals';

export type Stranger = 'register' | 'deregister' | 'delete' | 'create' | 'lose';

type OnTree =
  | { readonly do: 'declare'; readonly slot: string; readonly patch: Patch }
  | { readonly do: 'remove'; readonly slots: readonly string[] }
  | { readonly do: 'empty' | 'break'; readonly slot: string }
  | { readonly do: 'rename'; readonly slot: string; readonly to: string }
  /** To how the tree was so many changes ago, one file after the other. */
  | { readonly do: 'switch'; readonly back: number; readonly overMs: number }
  | { readonly do: 'edit all'; readonly patch: Patch }
  | {
      readonly do: 'limits';
      readonly perHour: number;
      readonly percent: number;
      /** Together with the removal of these. */
      readonly remove: readonly string[];
    }
  | { readonly do: 'address' }
  | { readonly do: 'declare role'; readonly slot: string; readonly wish: RoleWish }
  | { readonly do: 'declare snapshot'; readonly slot: string; readonly wish: SnapshotWish }
  | { readonly do: 'declare schedule'; readonly wish: ScheduleWish }
  | { readonly do: 'declare action'; readonly slot: string; readonly wish: ActionWish }
  /** A snapshot or an action. */
  | { readonly do: 'let go'; readonly slot: string }
  /** Asks for another password by a request that nobody made before. */
  | { readonly do: 'rotate'; readonly slot: string; readonly token: string };

/** What is changed in a repository. */
export type TreeAction = (OnTree | OnMountedTree) & { readonly on: 'tree'; readonly op: OperatorName };

/**
 * label: of the object. status: conditions by hand. delete: with kubectl. finalizer: ours is taken away. compact: no watch can be
 * resumed. break: watches end.
 */
export const meddlings = ['label', 'status', 'delete', 'finalizer', 'compact', 'break'] as const;
/** Who is gone is put back from a backup, as another object: with its annotations and finalizers, and maybe with its status. */
export const restorings = ['restore', 'restore with status'] as const;
/**
 * Its manifest, as it was read when it stood there last, is applied as another object, beside it or after it: with its annotations
 * and finalizers, and maybe with its status, which an API server takes by another request only.
 */
export const copyings = ['copy', 'copy with status'] as const;
/** Under another name, which names another volume unless an external name is declared; or in another namespace. */
export const copies = ['renamed', 'elsewhere'] as const;
export type Copy = (typeof copies)[number];
export type Meddling =
  | (typeof meddlings)[number]
  | (typeof restorings)[number]
  | (typeof copyings)[number]
  /** With all that is in it. It is made again once it is gone. */
  | 'delete namespace';

type OnMachine =
  | { readonly do: 'approve'; readonly old: boolean }
  | {
      readonly do: 'ask';
      readonly slot: string;
      readonly name: 'suspend' | 'force-orphan' | 'reconcile';
      readonly token?: string;
    }
  | {
      readonly do: 'network';
      readonly fault: NetworkFault;
      /** The nth request from now on. */
      readonly nth: number;
      readonly writes: boolean;
    }
  | { readonly do: 'disk'; readonly trouble: DiskTrouble; readonly forMs: number }
  /** Where it publishes. */
  | { readonly do: 'outputs'; readonly trouble: 'ENOSPC' | 'EROFS'; readonly forMs: number }
  /** At its nth effect from now on. */
  | {
      readonly do: 'crash';
      readonly phase: 'before' | 'after';
      readonly nth: number;
      readonly downMs: number;
    }
  | { readonly do: 'clock'; readonly ms: number }
  | {
      readonly do: 'state';
      readonly what: 'lost' | 'restored' | 'copied';
      /** Share of its commits that are kept. */
      readonly of: number;
      /** With what lies beside the file. */
      readonly whole: boolean;
      readonly downMs: number;
    }
  | { readonly do: 'start' | 'stop' }
  /** What others do in its cluster to a volume, or to its watches. */
  | {
      readonly do: 'meddle';
      readonly what: Meddling;
      readonly slot: string;
      /** Of it. */ readonly copy?: Copy;
    }
  /** It stands still for so long: the process that leads, where there are two. */
  | { readonly do: 'freeze'; readonly forMs: number }
  | { readonly do: 'slow tree'; readonly slowestMs: number; readonly deaf: boolean }
  /** Right before the nth request from now on. */
  | {
      readonly do: 'between';
      readonly nth: number;
      readonly only: Requests;
      readonly action: Action;
      /** It befalls the volume that the request is about, whatever the action names. */
      readonly about: boolean;
    };

/** What befalls an operator, or is asked of it. */
export type MachineAction = OnMachine & { readonly on: 'machine'; readonly op: OperatorName };

interface Named {
  readonly scheduler: 's1' | 's2';
  readonly namespace: string;
  readonly id: string;
}

/** What others do at the services. */
export type ClusterAction = { readonly on: 'cluster' } & (
  | ({ readonly do: 'claim' } & Named)
  /** Of the oldest one: its tasks end, or are only told to. */
  | { readonly do: 'end claim'; readonly how: 'complete' | 'stop' }
  | ({ readonly do: 'stranger'; readonly what: Stranger } & Named)
  /** Of the volume that snapshots are taken of. */
  | { readonly do: 'strange snapshot'; readonly name: string }
  /** Another one in its place, for another account. */
  | { readonly do: 'role made anew'; readonly slot: string; readonly username: string }
  | { readonly do: 'down'; readonly service: ServiceName; readonly forMs: number }
  | OnMount
  /** Who asks the secrets service to check it is told that it does not answer. */
  | { readonly do: 'issuer down'; readonly forMs: number }
  | { readonly do: 'plugin fails'; readonly plugin: string; readonly forMs: number }
);

export type Action = TreeAction | MachineAction | ClusterAction;

export interface Event {
  /** Milliseconds since the history began. */
  readonly at: number;
  readonly action: Action;
}

/** How a history begins. */
export interface Setup {
  readonly nomad: boolean;
  /** Tokens see their own namespace only. */
  readonly narrow: boolean;
  readonly watch: boolean;
  /** Where the second operator's connection leads. */
  readonly second: { readonly scheduler: 's1' | 's2'; readonly namespace: string };
  readonly limits: { readonly perHour: number; readonly percent: number };
  readonly volumes: readonly { readonly slot: string; readonly wish: Wish }[];
  /** Of the first operator only. */
  readonly roles: readonly { readonly slot: string; readonly wish: RoleWish }[];
  /** Of the first operator only: a volume with snapshots, and jobs with actions. */
  readonly storage?: StorageSetup;
  /** The first operator is so many processes, in a cluster. Absent: one, without a Lease. */
  readonly replicas?: 2 | 3;
  /** Of the first operator only: what is declared at the mounts of the secrets service. */
  readonly mounted?: MountedSetup;
}

export interface History {
  readonly seed: string;
  readonly setup: Setup;
  readonly events: readonly Event[];
}
