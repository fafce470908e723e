// CSISnapshot: what is recorded of a snapshot: all that finding and deleting it needs, whatever becomes of its volume; and of
// its hooks all that ending them needs. PURE.
import * as z from 'zod';
import { afterAction } from '../../schema/hooks.ts';

const text = z.string().min(1).max(1_024);

/** What is frozen, or may be. */
const quiesce = z.object({
  /** The connection's name. */
  connection: text,
  backend: text,
  namespace: z.string(),
  volumeID: z.string(),
  job: text,
  /** Its deadline, in milliseconds since 1970. */
  untilMs: z.number(),
  allocations: z.array(text).min(1),
  /** All of them have said that they are. */
  frozen: z.boolean(),
  /** Nobody knows whether one of them will still be frozen: what asks for that may arrive late. */
  unsure: z.literal(true).exactOptional(),
  /** When all were thawed first, in milliseconds since 1970: those are thawed once more. */
  thawedMs: z.number().exactOptional(),
  /** As it was declared then. */
  after: afterAction,
  /** How often an allocation answered that it could not be thawed. */
  failures: z.number(),
});

/** What can be said of the data that was taken; each is a reason of the condition Consistent. */
const outcome = z.enum(['Quiesced', 'QuiesceExpired', 'QuiesceFailed', 'QuiesceInterrupted']);

const hooks = z.object({
  /** Hash of the hooks: others are tried anew. */
  of: text,
  /** How often allocations were frozen, or nearly. */
  tries: z.number(),
  quiesce: quiesce.exactOptional(),
  outcome: outcome.exactOptional(),
  /** Why the last quiesce failed. */
  message: text.exactOptional(),
  /** What could not be thawed, and is not tried any more. */
  unthawed: text.exactOptional(),
});

const taken = z.object({
  /** The plugin's ID of it. */
  id: text,
  pluginID: text,
  /** The scheduler's ID of the volume that it was taken of. */
  volumeID: z.string().exactOptional(),
  /** Unix seconds, as listed once it was ready: another snapshot of the same ID has another time. */
  takenAt: z.number().exactOptional(),
  /** As last told. */
  ready: z.boolean(),
  hooks: hooks.exactOptional(),
});

/** Before it is taken. */
const untaken = z.strictObject({ hooks });

const own = z.union([taken, untaken]);

export type Own = Readonly<z.infer<typeof own>>;
export type Taken = Readonly<z.infer<typeof taken>>;
export type HooksOwn = Readonly<z.infer<typeof hooks>>;
export type Quiesce = Readonly<z.infer<typeof quiesce>>;
export type Outcome = z.infer<typeof outcome>;

/** @returns `undefined` for what can't be read: then nothing is known to be ours */
export const parseOwn = (raw: unknown): Own | undefined => own.safeParse(raw).data;

/** `undefined`: no create has told of it. */
export const takenIn = (recorded: Own | undefined): Taken | undefined =>
  recorded && 'id' in recorded ? recorded : undefined;

/** Names the data: the same through whatever scheduler. */
export const dataOf = ({ id, pluginID }: Pick<Taken, 'id' | 'pluginID'>): string =>
  `snapshot ${id} of ${pluginID}`;
