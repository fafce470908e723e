// CSISnapshot: what is recorded of a snapshot: all that finding and deleting it needs, whatever becomes of its volume. PURE.
import * as z from 'zod';

const text = z.string().min(1).max(1_024);

const own = z.object({
  /** The plugin's ID of it. */
  id: text,
  pluginID: text,
  /** The scheduler's ID of the volume that it was taken of. */
  volumeID: z.string().exactOptional(),
  /** Unix seconds, as listed once it was ready: another snapshot of the same ID has another time. */
  takenAt: z.number().exactOptional(),
  /** As last told. */
  ready: z.boolean(),
});

export type Own = Readonly<z.infer<typeof own>>;

/** @returns `undefined` for what can't be read: then nothing is known to be ours */
export const parseOwn = (raw: unknown): Own | undefined => own.safeParse(raw).data;

/** Names the data: the same through whatever scheduler. */
export const dataOf = ({ id, pluginID }: Pick<Own, 'id' | 'pluginID'>): string =>
  `snapshot ${id} of ${pluginID}`;
