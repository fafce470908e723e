// CSISnapshotSchedule: what is recorded of its runs. PURE.
import * as z from 'zod';

const instant = z.string().max(32);

const name = z.string().min(1).max(256);
const messageMax = 512;

/** A drill that is not over. */
const drill = z.object({
  /** Of its volume, drawn for it. */
  name,
  snapshot: name,
  startedAt: instant,
  /** UIDs of its children, once they were seen. */
  volume: name.exactOptional(),
  check: name.exactOptional(),
  /** Nothing is left to do but to take them away. */
  ended: z.literal(true).exactOptional(),
});

const drilled = z.object({
  snapshot: name,
  startedAt: instant,
  endedAt: instant,
  /** Abandoned: somebody ended it, and it says nothing of the snapshot. */
  result: z.enum(['Verified', 'Failed', 'Abandoned']),
  message: z.string().max(messageMax).exactOptional(),
});

const verified = z.object({
  snapshot: name,
  at: instant,
  /** Restored: a volume was made from it. Exec: a command accepted that volume, too. */
  check: z.enum(['Restored', 'Exec']),
});

const own = z.object({
  /** The last run that was started or passed over; before the first, since when there are any. */
  handled: instant,
  /** The last run that was started. */
  started: instant.exactOptional(),
  /** The last run that could not start within its deadline. */
  missed: instant.exactOptional(),
  drill: drill.exactOptional(),
  /** The last drill that is over, whatever came of it. */
  drilled: drilled.exactOptional(),
  /** The last drill that succeeded. */
  verified: verified.exactOptional(),
});

export type Own = Readonly<z.infer<typeof own>>;
export type Drill = Readonly<z.infer<typeof drill>>;
export type Drilled = Readonly<z.infer<typeof drilled>>;

export const said = (message: string): string => message.slice(0, messageMax);

/** @returns `undefined` for what can't be read: then runs count from now on */
export const parseOwn = (raw: unknown): Own | undefined => own.safeParse(raw).data;
