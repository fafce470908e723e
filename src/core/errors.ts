// The errors that the engine knows how to handle. Anything else is a bug.
import type { Reason } from './reasons.ts';
import type { Json } from './secret.ts';

/** Where in a file a value stands. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The document is wrong. Stalled until it changes. */
export class SpecError extends Error {
  override readonly name = 'SpecError';
  /** JSON pointer into the document, `/spec/…`. */
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

/** Lost a conditional write, or the declaration moved on meanwhile. Never shown: look and plan again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

export type ApiErrorClass =
  /** The request can't succeed until an input changes: bad spec, no permission. */
  | 'refused'
  /** Something on the other side has to change first: a plugin is missing, a volume is in use. */
  | 'waiting'
  | 'throttled'
  | 'unavailable'
  | 'timeout'
  | 'unreadable';

/** A disk did not take something: nothing was stored, and what was there is as it was. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** A call failed. Holds neither headers nor bodies. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly class: ApiErrorClass;
  /** Goes into conditions. */
  readonly reason: Reason;
  /** The service may have done it all the same. */
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

/** The service as a whole, or the session with it, can't be used, as far as one call can tell. */
export const isOutage = (error: unknown): error is ApiError =>
  error instanceof ApiError && outages.has(error.reason);

/** Flags or configuration. Exit code 1 with usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What became of one effect. Unknown is neither done nor rejected: look again. */
export type Outcome =
  | {
      readonly is: 'done';
      /** What the service warned of, for people: bounded, no secrets. Absent: nothing. */
      readonly warnings?: readonly string[];
      /** What it answered, where that can be read nowhere else; as little to be trusted as any answer. */
      readonly reply?: Json;
    }
  | { readonly is: 'rejected' | 'unknown'; readonly error: ApiError };

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
