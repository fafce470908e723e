// LDAPStaticRole: its own part of the status: a rotation, and the notification of consumers. PURE.
import * as z from 'zod';
import { triesMax } from '../../core/planning/policy.ts';
import type { Status } from '../../core/status/status.ts';

/** More than any job has. A limit keeps the status storable. */
export const allocationsMax = 2_000;

/** A rotation that was requested and not observed yet. */
export type Rotating = {
  readonly token: string;
  /** The last rotation before the request. Empty: there was none. */
  readonly before: string;
  /** The service answered that it rotated. */
  readonly answered?: true;
};

/** Progress of one consumer's notification. */
export type ConsumerProgress = {
  /** Allocations that are not notified yet. */
  readonly left: readonly string[];
  /** Allocations that were restarted and don't run again yet → their restarts before. */
  readonly under: Readonly<Record<string, string>>;
  /**
   * Those that are not waited for: restarted ones that should run again since long ago, and ones to notify of which no task
   * runs. Absent: none.
   */
  readonly late?: readonly string[];
  /** Attempts in `tries` that succeeded. */
  readonly succeeded: number;
  /** Tasks of the allocation whose turn it is that were signalled, each by itself. Absent: none. */
  readonly signalled?: readonly string[];
  /** A call whose effect was not observed yet. */
  readonly open?: {
    readonly allocation: string;
    /** The only task that it was for. Absent: all. */
    readonly task?: string;
    /** From before the call, see consumers.ts. */
    readonly event: string;
    readonly restarts: string;
  };
};

export type Notification = {
  readonly instant: string;
  readonly steps: number;
  readonly consumers: Readonly<Record<string, ConsumerProgress>>;
};

/** The last bind of which the directory rejected the password. */
export type Rejected = {
  /** The rotation that made the password. */
  readonly instant: string;
  /** How many of its binds were rejected, up to `triesMax`. */
  readonly times: number;
  /** How many binds were rejected since the last that was not, of whatever rotation, up to `triesMax`. */
  readonly inRow: number;
  /** By this machine's date. */
  readonly wallMs: number;
};

/** Rotations are identified by their time on the service's clock: RFC 3339, UTC, milliseconds. */
export type Own = {
  /** The last rotation that was published. */
  readonly published?: string;
  /** The last rotation whose password worked in a bind. */
  readonly verified?: string;
  readonly rotating?: Rotating;
  /** Absent: the directory accepted the last bind, or there was none. */
  readonly rejected?: Rejected;
  /** A rotation earlier than the published one that is published all the same: see `isEarlier`. */
  readonly accepted?: string;
  /** The earlier rotation than the published one that the service showed first, and when it was noted. Absent: it shows none. */
  readonly earlier?: { readonly instant: string; /** By this machine's date. */ readonly wallMs: number };
  /** The last rotation, if the next one should have happened long ago. Empty: not even the first did. */
  readonly overdue?: string;
  /** Absent: all consumers are notified. */
  readonly notification?: Notification;
};

const progressShape = z.object({
  left: z.array(z.string()).max(allocationsMax),
  under: z.record(z.string(), z.string()),
  late: z.array(z.string()).max(allocationsMax).exactOptional(),
  succeeded: z.number(),
  signalled: z.array(z.string()).exactOptional(),
  open: z
    .object({
      allocation: z.string(),
      task: z.string().exactOptional(),
      event: z.string(),
      restarts: z.string(),
    })
    .exactOptional(),
});

const rejections = z.int().min(1).max(triesMax);

const shape = z.object({
  published: z.string().exactOptional(),
  verified: z.string().exactOptional(),
  overdue: z.string().exactOptional(),
  accepted: z.string().exactOptional(),
  earlier: z.object({ instant: z.string(), wallMs: z.int().min(0) }).exactOptional(),
  rotating: z
    .object({ token: z.string(), before: z.string(), answered: z.literal(true).exactOptional() })
    .exactOptional(),
  rejected: z
    .object({ instant: z.string(), times: rejections, inRow: rejections, wallMs: z.int().min(0) })
    .exactOptional(),
  notification: z
    .object({ instant: z.string(), steps: z.number(), consumers: z.record(z.string(), progressShape) })
    .exactOptional(),
});

/** @returns `undefined` if it can't be read: the password is published again, and consumers may be notified again */
export const parseOwn = (raw: unknown): Own | undefined => shape.safeParse(raw).data;

/**
 * The own status, with a rotation or a call that was begun and not recorded as done. An intent without evidence is
 * ignored: its step is begun again.
 */
export function remembered({ own: before = {}, pending }: Pick<Status<Own>, 'own' | 'pending'>): Own {
  if (!pending?.evidence) return before;
  const { op, token, evidence } = pending;
  if (op === 'rotate') return { ...before, rotating: { token, before: evidence['before'] ?? '' } };
  const { instant = '', consumer = '', allocation = '', task, event = '', restarts = '' } = evidence;
  const progress =
    before.notification?.instant === instant ? before.notification.consumers[consumer] : undefined;
  if (op !== 'consume' || !progress || !before.notification) return before;
  return withProgress(before, before.notification, consumer, {
    ...progress,
    open: { allocation, ...(task !== undefined && { task }), event, restarts },
  });
}

export const withProgress = (
  own: Own,
  notification: Notification,
  consumer: string,
  progress: ConsumerProgress,
): Own => ({
  ...own,
  notification: { ...notification, consumers: { ...notification.consumers, [consumer]: progress } },
});
