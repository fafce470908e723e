// Every operation of both services as data and types, for clients, embedded services and plans (types only).
import type { Rights, Users } from '../core/permission.ts';
import type { Secret } from '../core/secret.ts';
import type { Issuers } from './issuers.ts';
import type { EventOptions, Subscription, Told } from './scheduler/subscription.ts';
import type { DiskNotes } from './scheduler/disks.ts';
import { schedulerRoutes, type SchedulerOperations } from './scheduler/routes.ts';
import { secretsRoutes, type SecretsOperations } from './secrets/routes.ts';

export interface Operations extends SchedulerOperations, SecretsOperations {}
export type Op = keyof Operations;

export const routes = { ...schedulerRoutes, ...secretsRoutes } as const;

export type ReadOp = { [O in Op]: (typeof routes)[O]['mutates'] extends false ? O : never }[Op];
export type WriteOp = Exclude<Op, ReadOp>;

/** One call as data, as in a step of a plan. */
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

export type AllocationCall =
  | Extract<SchedulerEffect, { readonly op: 'allocation.stop' | 'allocation.signal' | 'allocation.restart' }>
  | ExecCall;

/** Calls on several allocations at once, as one step. */
export interface AllocationsEffect {
  readonly port: 'allocations';
  readonly op: 'allocations.call';
  /** Of different allocations. */
  readonly calls: readonly AllocationCall[];
  /** They wait behind no others. */
  readonly urgent?: boolean;
}

/** What became of one call. */
export type CallAnswer =
  /** Of output only its size is kept: it may hold secrets. */
  | {
      readonly is: 'done';
      readonly exitCode?: number;
      readonly stdoutBytes?: number;
      readonly stderrBytes?: number;
    }
  /** refused: the service said so. unreached: it was not asked. unknown: it may have been carried out. */
  | { readonly is: 'refused' | 'unreached' | 'unknown'; readonly message: string };

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
  /** Token of the next page; absent on the last. */
  readonly nextToken: string | undefined;
}

/** What observing may use: its type has no mutation. A 404 is an answer, `undefined`. */
export interface Reader {
  read<O extends ReadOp>(
    op: O,
    params: Operations[O]['params'],
    signal: AbortSignal,
  ): Promise<Operations[O]['reply'] | undefined>;
  /** As `read`, with index and page token. With `index` and `wait` (seconds) it blocks. @throws ApiError */
  page<O extends ReadOp>(
    op: O,
    params: Operations[O]['params'],
    signal: AbortSignal,
  ): Promise<Page<Operations[O]['reply']> | undefined>;
  /** Live events until the signal ends them; absent without an event stream. @throws ApiError */
  events?(
    subscription: Subscription,
    how: Pick<EventOptions, 'clock' | 'random' | 'signal'>,
  ): AsyncIterable<Told>;
  /** State of the last subscription to events; `undefined`: none yet. */
  listening?(): 'live' | 'denied' | undefined;
  /** What the token lacks for what is declared. Absent: the service can't be asked. @throws ApiError never */
  rights?(users: Users, signal: AbortSignal): Promise<Rights>;
  /** Notes on providers' disks. Reading them sends no request. */
  readonly disks?: DiskNotes;
  /** Identity providers. Absent: they are not asked from here. */
  readonly issuers?: Pick<Issuers, 'discover' | 'authorize' | 'token' | 'checks'>;
}
