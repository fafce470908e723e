// CSISnapshotSchedule: its own part of the status: runs and drills. PURE.
import * as z from 'zod';
import type { Spec } from './schema.ts';

const instant = z.string().max(32);

const name = z.string().min(1).max(256);
const messageMax = 512;
/** Volume and connection that a drill is of, as text. Absent: recorded by an earlier version. */
const of = z.string().max(1_024).exactOptional();

/** The drill that is under way. */
const drill = z.object({
  /** Name of its children, with a random part. */
  name,
  snapshot: name,
  startedAt: instant,
  /** UIDs of its children, once they were observed. */
  volume: name.exactOptional(),
  check: name.exactOptional(),
  /** The result is recorded; only the deletion of its children is left. */
  ended: z.literal(true).exactOptional(),
  of,
});

const drilled = z.object({
  snapshot: name,
  startedAt: instant,
  endedAt: instant,
  /** Abandoned: it was ended early and proves nothing about the snapshot. */
  result: z.enum(['Verified', 'Failed', 'Abandoned']),
  message: z.string().max(messageMax).exactOptional(),
  of,
});

const verified = z.object({
  snapshot: name,
  at: instant,
  /** Restored: a volume was created from the snapshot. Exec: a command also accepted that volume. */
  check: z.enum(['Restored', 'Exec']),
  of,
});

const own = z.object({
  /** The last run that was started or skipped. Before the first one: the time from which runs count. */
  handled: instant,
  /** The last run that was started. */
  started: instant.exactOptional(),
  /** The last run that could not start within its deadline. */
  missed: instant.exactOptional(),
  drill: drill.exactOptional(),
  /** The last drill that ended, whatever its result. */
  drilled: drilled.exactOptional(),
  /** The last drill that succeeded. */
  verified: verified.exactOptional(),
  /** The last drill that failed, if none succeeded since. */
  failed: drilled.exactOptional(),
});

export type Own = Readonly<z.infer<typeof own>>;
export type Drill = Readonly<z.infer<typeof drill>>;
export type Drilled = Readonly<z.infer<typeof drilled>>;

type Aim = Pick<Spec, 'connectionRef' | 'volumeRef'>;

export const aimOf = ({ connectionRef, volumeRef }: Aim): string =>
  `${volumeRef.name} on ${connectionRef.name}`;

export const isOf = (spec: Aim, one: Pick<Drill, 'of'>): boolean => (one.of ?? aimOf(spec)) === aimOf(spec);

/** The results of the drills of the volume that is declared now: those of another prove nothing of it. */
export function drillsOf(
  spec: Aim,
  { drilled: last, verified: good, failed: bad }: Partial<Own> = {},
): Pick<Own, 'drilled' | 'verified' | 'failed'> {
  return {
    ...(last && isOf(spec, last) && { drilled: last }),
    ...(good && isOf(spec, good) && { verified: good }),
    ...(bad && isOf(spec, bad) && { failed: bad }),
  };
}

export const said = (message: string): string => message.slice(0, messageMax);

/** @returns `undefined` if it can't be read: runs then count from now on */
export const parseOwn = (raw: unknown): Own | undefined => own.safeParse(raw).data;
