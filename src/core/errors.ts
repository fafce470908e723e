// Errors and outcomes. The class of an error decides what the engine does next (stall, wait, back off, observe again), so
// every failure is classified where it occurs.
import type { Reason } from './status/reasons.ts';
import type { Json } from './secret.ts';

/** A position in a file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The declaration is invalid. The object is stalled until it changes. */
export class SpecError extends Error {
  override readonly name = 'SpecError';
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  readonly place: Place | undefined;
  constructor(path: string, expected: string, got: string, place?: Place) {
    super(got === '' ? `${path}: ${expected}` : `${path}: expected ${expected}, got ${got}`);
    this.path = path;
    this.expected = expected;
    this.got = got;
    this.place = place;
  }
}

export type ConflictReason =
  /** No object has that key any more. */
  | 'gone'
  /** Another object, with another UID, has the key. */
  | 'replaced'
  /** The spec, the requests or the deletion mark have changed. */
  | 'edited'
  /** The object was to be released, and is declared again. */
  | 'declared-again'
  /** Another writer was first. */
  | 'stale';

/**
 * A conditional write failed, or the declaration changed during the visit. Never shown in a status: the object is observed
 * and planned again.
 */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  readonly reason: ConflictReason;
  constructor(reason: ConflictReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export type ApiErrorClass =
  /** The request can't succeed until an input changes: an invalid spec, a missing permission. */
  | 'refused'
  /** The request can succeed once the service's state changes: a missing plugin, a volume in use. */
  | 'waiting'
  | 'throttled'
  | 'unavailable'
  | 'timeout'
  | 'unreadable';

/** A disk refused a write. Nothing was stored; the old content is intact. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** A call failed. Holds neither headers nor bodies, because they may contain secrets. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly class: ApiErrorClass;
  readonly reason: Reason;
  /** The service may have carried out the call nonetheless. */
  readonly mayHaveHadEffect: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(
    kind: ApiErrorClass,
    reason: Reason,
    message: string,
    more: {
      readonly mayHaveHadEffect?: boolean;
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.class = kind;
    this.reason = reason;
    this.mayHaveHadEffect = more.mayHaveHadEffect ?? false;
    this.status = more.status;
    this.retryAfterMs = more.retryAfterMs;
  }
}

const outages: ReadonlySet<Reason> = new Set([
  'InvalidToken',
  'LoginFailed',
  'NoLeader',
  'Sealed',
  'Timeout',
  'TokenExpired',
  'Unavailable',
]);

/** Whether the error suggests that the whole service, or the session with it, is unusable. One call can't prove it. */
export const isOutage = (error: unknown): error is ApiError =>
  error instanceof ApiError && outages.has(error.reason);

/** Invalid flags or configuration. Exit code 1. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The outcome of one effect. After `unknown`, it may or may not have happened: observe again. */
export type Outcome =
  | {
      readonly is: 'done';
      /** Warnings of the service, for people. Bounded, without secrets. */
      readonly warnings?: readonly string[];
      /** The response, if it can't be read again later. Untrusted, like every response. */
      readonly reply?: Json;
    }
  | { readonly is: 'rejected' | 'unknown'; readonly error: ApiError };

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
