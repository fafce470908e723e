import type { Reason } from './status/reasons.ts';
import type { Json } from './secret.ts';

/** A position in a file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The document is wrong. Stalled until it changes. */
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
  /** Nothing is declared under that key any more. */
  | 'gone'
  /** Another object has the key: its UID is another. */
  | 'replaced'
  /** It was edited, or is being deleted, or no longer is, or was asked something. */
  | 'edited'
  /** It was to be released, and is declared again. */
  | 'declared-again'
  /** Somebody else wrote it first. */
  | 'stale';

/** A conditional write failed, or the declaration changed meanwhile. Never shown: observe and plan again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  readonly reason: ConflictReason;
  constructor(reason: ConflictReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export type ApiErrorClass =
  /** The request can't succeed until an input changes: bad spec, missing permission. */
  | 'refused'
  /** Something on the other side has to change first: a missing plugin, a volume in use. */
  | 'waiting'
  | 'throttled'
  | 'unavailable'
  | 'timeout'
  | 'unreadable';

/** A disk refused a write: nothing was stored, and the old content stands. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** A call failed. Holds neither headers nor bodies. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly class: ApiErrorClass;
  readonly reason: Reason;
  /** The service may have carried it out nonetheless. */
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

/** The whole service, or the session with it, can't be used, as far as one call can tell. */
export const isOutage = (error: unknown): error is ApiError =>
  error instanceof ApiError && outages.has(error.reason);

/** Wrong flags or configuration. Exit code 1. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The result of one effect. Unknown is neither done nor rejected: observe again. */
export type Outcome =
  | {
      readonly is: 'done';
      /** The service's warnings, for people: bounded, without secrets. */
      readonly warnings?: readonly string[];
      /** The service's answer, if it can't be read again later. As untrusted as any answer. */
      readonly reply?: Json;
    }
  | { readonly is: 'rejected' | 'unknown'; readonly error: ApiError };

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
