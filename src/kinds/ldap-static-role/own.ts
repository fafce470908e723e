// LDAPStaticRole: what is recorded of a rotation and of its consumers. PURE.
import * as z from 'zod';
import type { Status } from '../../core/status/status.ts';

/** More than any job has; the status must stay storable. */
export const allocationsMax = 2_000;

/** A rotation that was requested and not seen yet. */
export type Rotating = {
  readonly token: string;
  /** The last rotation before it. Empty: there was none. */
  readonly before: string;
};

/** How far one consumer has been told. */
export type Told = {
  /** Allocations that are not told yet. */
  readonly left: readonly string[];
  /** Allocations that were restarted and don't run again yet → their restarts before. */
  readonly under: Readonly<Record<string, string>>;
  /** Attempts in `tries` that succeeded. */
  readonly succeeded: number;
  /** A call whose effect was not seen yet. */
  readonly open?: {
    readonly allocation: string;
    /** As they were before the call, see consumers.ts. */
    readonly event: string;
    readonly restarts: string;
  };
};

export type Telling = {
  readonly instant: string;
  readonly steps: number;
  readonly consumers: Readonly<Record<string, Told>>;
};

/** Rotations are named by their time on the service's clock: RFC 3339, UTC, milliseconds. */
export type Own = {
  /** The last rotation that was published. */
  readonly published?: string;
  /** The last rotation whose password worked in a bind. */
  readonly verified?: string;
  readonly rotating?: Rotating;
  /** Absent: all consumers are told. */
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

/** @returns `undefined` for what can't be read: the password is published again, and consumers may be told again */
export const parseOwn = (raw: unknown): Own | undefined => shape.safeParse(raw).data;

/**
 * Its own status, with a rotation or a call that was begun and not recorded as done. An intent without its evidence
 * says nothing: the step is begun again.
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
