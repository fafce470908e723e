// Every operation of both services as data and types, for clients, embedded services and plans (plans: types only).
import type { Rights, Users } from '../core/kind/permission.ts';
import type { Secret } from '../core/secret.ts';
import type { Issuers } from './identity/issuers.ts';
import type { EventOptions, Subscription, StreamNotice } from './scheduler/subscription.ts';
import type { DiskNotes } from './scheduler/disks.ts';
import { schedulerRoutes, type SchedulerOperations } from './scheduler/routes.ts';
import { secretsRoutes, type SecretsOperations } from './secrets/routes.ts';

export interface Operations extends SchedulerOperations, SecretsOperations {}
export type Op = keyof Operations;

export const routes = { ...schedulerRoutes, ...secretsRoutes } as const;

export type ReadOp = { [O in Op]: (typeof routes)[O]['mutates'] extends false ? O : never }[Op];
export type WriteOp = Exclude<Op, ReadOp>;

/** One call as data. */
export type Call<O extends Op = Op> = {
  [P in O]: Operations[P]['body'] extends undefined
    ? { readonly op: P; readonly params: Operations[P]['params'] }
    : { readonly op: P; readonly params: Operations[P]['params']; readonly body: Operations[P]['body'] };
}[O];

export type SchedulerEffect = { readonly port: 'scheduler' } & Call<
  Extract<WriteOp, keyof SchedulerOperations>
>;
export type SecretsEffect = { readonly port: 'secrets' } & Call<Extract<WriteOp, keyof SecretsOperations>>;

export interface ExecCall {
  readonly op: 'allocation.exec';
  readonly params: { readonly id: string; readonly namespace: string };
  readonly task: string;
  readonly command: readonly string[];
  readonly deadlineMs: number;
}

/** Absent: the deadline of any write. */
export type SignalCall = Extract<SchedulerEffect, { readonly op: 'allocation.signal' }> & {
  readonly deadlineMs?: number;
};

export type AllocationCall =
  | Extract<SchedulerEffect, { readonly op: 'allocation.stop' | 'allocation.restart' }>
  | SignalCall
  | ExecCall;

/** Calls on several allocations at once, as one step of a plan. */
export interface AllocationsEffect {
  readonly port: 'allocations';
  readonly op: 'allocations.call';
  /** Several calls on one allocation, such as one for each task, have one answer. */
  readonly calls: readonly AllocationCall[];
  /** These calls use connections of their own, so they don't wait behind others, and what thaws waits behind no freeze. */
  readonly urgent?: Urgent;
  /** Time for all of it, waits for a connection included: afterwards nothing more is sent. */
  readonly withinMs?: number;
}

export type Urgent = 'freeze' | 'thaw';

/** The result of one call. */
export type CallAnswer =
  /** Only the size of the output is kept: the output may hold secrets. */
  | {
      readonly is: 'done';
      readonly exitCode?: number;
      readonly stdoutBytes?: number;
      readonly stderrBytes?: number;
    }
  /** refused: by the service. unreached: no answer, or throttled; no effect. unknown: it may have had an effect. */
  | {
      readonly is: 'refused' | 'unreached' | 'unknown';
      readonly message: string;
      /** Of several calls on the allocation, one was done. */
      readonly partial?: true;
    };

/** Binds with a password to see whether the directory accepts it. */
export interface BindEffect {
  readonly port: 'ldap';
  readonly op: 'ldap.bind';
  readonly urls: readonly string[];
  readonly dn: string;
  readonly password: Secret;
  readonly startTLS: boolean;
  readonly insecureTLS: boolean;
  readonly certificate?: string;
  readonly timeoutSeconds: number;
}

export type Effect = SchedulerEffect | AllocationsEffect | SecretsEffect | BindEffect;

export interface Page<T> {
  readonly reply: T;
  /** State index, at least 1: 0 would not block (services.md#blocking-queries). */
  readonly index: number;
  /** Token of the next page; `undefined` on the last page. */
  readonly nextToken: string | undefined;
}

/** The API for observing: it has no mutations. An absent object is returned as `undefined`. */
export interface Reader {
  read<O extends ReadOp>(
    op: O,
    params: Operations[O]['params'],
    signal: AbortSignal,
  ): Promise<Operations[O]['reply'] | undefined>;
  /** As `read`, with index and page token. Blocks if `index` and `wait` (seconds) are given. @throws ApiError */
  page<O extends ReadOp>(
    op: O,
    params: Operations[O]['params'],
    signal: AbortSignal,
  ): Promise<Page<Operations[O]['reply']> | undefined>;
  /** Live events until the signal is aborted. Absent: the service has no event stream. @throws ApiError */
  events?(
    subscription: Subscription,
    how: Pick<EventOptions, 'clock' | 'random' | 'signal'>,
  ): AsyncIterable<StreamNotice>;
  /** State of the event subscription; `undefined`: none was accepted or denied yet. */
  listening?(): 'live' | 'denied' | undefined;
  /** What the token lacks for the declared objects. Absent: the service has no such request. @throws ApiError never */
  rights?(users: Users, signal: AbortSignal): Promise<Rights>;
  /** The next call logs in at once, though the last login was rejected. */
  retryLogin?(): void;
  /** Notes on abnormal disks. Reading them sends no request. */
  readonly disks?: DiskNotes;
  /** Identity providers. Absent: this reader sends them no requests. */
  readonly issuers?: Pick<Issuers, 'discover' | 'authorize' | 'token' | 'checks'>;
}
