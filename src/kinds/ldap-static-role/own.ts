// LDAPStaticRole: what is remembered of a rotation and of telling its consumers. PURE.
import * as z from 'zod';
import type { Status } from '../../core/status.ts';

/** More than any job has; what is remembered of them must stay storable. */
export const allocationsMax = 2_000;

/** A rotation that was asked for and not seen yet. */
export type Rotating = {
  readonly token: string;
  /** The last rotation as it was before; empty: there was none. */
  readonly before: string;
};

/** How far telling one consumer of a rotation has come. */
export type Told = {
  /** Allocations that are still to be told. */
  readonly left: readonly string[];
  /** Allocations that were restarted and don't run again yet → their restarts before. */
  readonly under: Readonly<Record<string, string>>;
  /** As many of the attempts counted in memory were no failures. */
  readonly succeeded: number;
  /** A call whose effect was not seen yet. */
  readonly open?: {
    readonly allocation: string;
    /** Marks before it, see consumers.ts. */
    readonly event: string;
    readonly restarts: string;
  };
};

export type Telling = {
  /** The rotation that they are told of. */
  readonly instant: string;
  /** Steps made so far. */
  readonly steps: number;
  readonly consumers: Readonly<Record<string, Told>>;
};

/** Instants are those of rotations by the service's clock, RFC 3339 in UTC to the millisecond. */
export type Own = {
  /** The rotation whose password was published last. */
  readonly published?: string;
  /** The rotation whose password the directory took. */
  readonly verified?: string;
  readonly rotating?: Rotating;
  /** Absent: all that were to be told were. */
  readonly telling?: Telling;
};

const toldShape = z.object({
  left: z.array(z.string()).max(allocationsMax),
  under: z.record(z.string(), z.string()),
  succeeded: z.number(),
  open: z.object({ allocation: z.string(), event: z.string(), restarts: z.string() }).exactOptional(),
});

const shape = z.object({
  published: z.string().exactOptional(),
  verified: z.string().exactOptional(),
  rotating: z.object({ token: z.string(), before: z.string() }).exactOptional(),
  telling: z
    .object({ instant: z.string(), steps: z.number(), consumers: z.record(z.string(), toldShape) })
    .exactOptional(),
});

/** @returns `undefined` for what can't be read: it is published anew, and its consumers may be told again */
export const parseOwn = (raw: unknown): Own | undefined => shape.safeParse(raw).data;

/**
 * Its own memory with what was begun and not recorded as done: an intent of a rotation or of telling somebody. One without
 * its evidence says nothing: the same is begun again.
 */
export function remembered({ own: before = {}, pending }: Pick<Status<Own>, 'own' | 'pending'>): Own {
  if (!pending?.evidence) return before;
  const { op, token, evidence } = pending;
  if (op === 'rotate') return { ...before, rotating: { token, before: evidence['before'] ?? '' } };
  const { instant = '', consumer = '', allocation = '', event = '', restarts = '' } = evidence;
  const told = before.telling?.instant === instant ? before.telling.consumers[consumer] : undefined;
  if (op !== 'consume' || !told || !before.telling) return before;
  return withTold(before, before.telling, consumer, { ...told, open: { allocation, event, restarts } });
}

export const withTold = (own: Own, telling: Telling, consumer: string, told: Told): Own => ({
  ...own,
  telling: { ...telling, consumers: { ...telling.consumers, [consumer]: told } },
});
