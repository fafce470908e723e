// Every operation of both services as data and types: read by clients, by the embedded services and by plans (types).
import type { Secret } from '../core/secret.ts';
import type { EventOptions, Subscription, Told } from './scheduler/events.ts';
import type { DiskNotes } from './scheduler/disks.ts';
import { schedulerRoutes, type SchedulerOperations } from './scheduler/routes.ts';
import { secretsRoutes, type SecretsOperations } from './secrets/routes.ts';

export interface Operations extends SchedulerOperations, SecretsOperations {}
export type Op = keyof Operations;

export const routes = { ...schedulerRoutes, ...secretsRoutes } as const;

export type ReadOp = { [O in Op]: (typeof routes)[O]['mutates'] extends false ? O : never }[Op];
export type WriteOp = Exclude<Op, ReadOp>;

/** One call as data: what a plan's step holds. */
export type Call<O extends Op = Op> = {
  [P in O]: Operations[P]['body'] extends undefined
    ? { readonly op: P; readonly params: Operations[P]['params'] }
    : { readonly op: P; readonly params: Operations[P]['params']; readonly body: Operations[P]['body'] };
}[O];

export type SchedulerEffect = { readonly port: 'scheduler' } & Call<
  Extract<WriteOp, keyof SchedulerOperations>
>;
export type SecretsEffect = { readonly port: 'secrets' } & Call<Extract<WriteOp, keyof SecretsOperations>>;

/** A bind with a password, to see that the directory takes it. */
export interface BindEffect {
  readonly port: 'ldap';
  readonly op: 'ldap.bind';
  /** Tried in order. */
  readonly urls: readonly string[];
  readonly dn: string;
  readonly password: Secret;
  readonly startTLS: boolean;
  readonly insecureTLS: boolean;
  /** PEM of the authorities to trust. */
  readonly certificate?: string;
  readonly timeoutSeconds: number;
}

/** Effects of steps. */
export type Effect = SchedulerEffect | SecretsEffect | BindEffect;

/** An answer with what its headers say. */
export interface Page<T> {
  readonly reply: T;
  /** State index, at least 1: 0 would make a blocking query return at once (wire.md 2.2). */
  readonly index: number;
  /** Token of the next page; absent on the last. */
  readonly nextToken: string | undefined;
}

/** All that observing is given: no mutating operation is in its type. 404 is an answer, `undefined`. */
export interface Reader {
  /** @throws ApiError */
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
  /** What happens, as it happens, until the signal ends it; absent where there is no such stream. @throws ApiError */
  events?(
    subscription: Subscription,
    how: Pick<EventOptions, 'clock' | 'random' | 'signal'>,
  ): AsyncIterable<Told>;
  /** How the last subscription to events went; `undefined`: nobody has subscribed. */
  listening?(): 'live' | 'denied' | undefined;
  /** What was noted of providers' disks; asking it is no request. */
  readonly disks?: DiskNotes;
}
