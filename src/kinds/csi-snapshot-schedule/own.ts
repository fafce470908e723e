// CSISnapshotSchedule: what is recorded of its runs. PURE.
import * as z from 'zod';

const instant = z.string().max(32);

const own = z.object({
  /** The last run that was started or passed over; before the first, since when there are any. */
  handled: instant,
  /** The last run that was started. */
  started: instant.exactOptional(),
  /** The last run that could not start within its deadline. */
  missed: instant.exactOptional(),
});

export type Own = Readonly<z.infer<typeof own>>;

/** @returns `undefined` for what can't be read: then runs count from now on */
export const parseOwn = (raw: unknown): Own | undefined => own.safeParse(raw).data;
