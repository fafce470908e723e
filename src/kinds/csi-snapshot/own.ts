// CSISnapshot: its own part of the status: what finding and deleting the snapshot needs, even without its volume, and
// what ending its hooks needs. PURE.
import * as z from 'zod';
import { afterAction } from '../../schema/scheduler/hooks.ts';

const text = z.string().min(1).max(1_024);

/** Allocations that are frozen, or may be. */
const quiesce = z.object({
  /** Name of the connection. */
  connection: text,
  backend: text,
  namespace: z.string(),
  volumeID: z.string(),
  job: text,
  /** Deadline for the thaw, in milliseconds since 1970. */
  untilMs: z.number(),
  allocations: z.array(text).min(1),
  /** The tasks that ran, by allocation: what is a signal to all goes to these. Absent: to whichever the service knows. */
  tasks: z.record(z.string(), z.array(z.string())).exactOptional(),
  /** Group of the job. Absent: all groups. */
  group: text.exactOptional(),
  /** What changes when an allocation is restarted, by allocation. Absent: it was not recorded. */
  restarts: z.record(z.string(), z.string()).exactOptional(),
  /** All allocations confirmed the freeze. */
  frozen: z.boolean(),
  /** A freeze request may still arrive, so some allocation may freeze later. */
  unsure: z.literal(true).exactOptional(),
  /** When all allocations were first thawed, in milliseconds since 1970. They are thawed once more. */
  thawedMs: z.number().exactOptional(),
  /** The thaw, as declared when the freeze was planned. */
  after: afterAction,
  /** Number of thaws in which an allocation answered that it failed. */
  failures: z.number(),
  /** Why the last thaw of the first of them failed. Absent: there was none, or no answer. */
  why: text.exactOptional(),
});

/** How consistent the data is. Each value is a reason of the condition Consistent. */
const outcome = z.enum([
  'Quiesced',
  'QuiesceDisturbed',
  'QuiesceExpired',
  'QuiesceFailed',
  'QuiesceInterrupted',
]);

const hooks = z.object({
  /** Hash of the hooks. Changed hooks start anew. */
  of: text,
  /** Number of freezes that were begun. */
  tries: z.number(),
  quiesce: quiesce.exactOptional(),
  outcome: outcome.exactOptional(),
  /** Why the last quiesce failed. */
  message: text.exactOptional(),
  /** Allocation that could not be thawed and is not tried any more, and why. */
  unthawed: text.exactOptional(),
});

const taken = z.object({
  /** The plugin's ID of the snapshot. */
  id: text,
  pluginID: text,
  /** The scheduler's ID of the volume that the snapshot was taken of. */
  volumeID: z.string().exactOptional(),
  /** The plugin's ID of the disk that the volume was recorded on. Absent: not known. */
  disk: text.exactOptional(),
  /** The plugin's ID of the disk that the snapshot was taken of, as told when it was taken. Absent: nothing was told. */
  source: text.exactOptional(),
  /** Unix seconds, as listed once the snapshot was ready. Another snapshot with the same ID has another time. */
  takenAt: z.number().exactOptional(),
  /** As last reported. */
  ready: z.boolean(),
  hooks: hooks.exactOptional(),
});

/** Before the snapshot is taken. */
const untaken = z.strictObject({ hooks });

const own = z.union([taken, untaken]);

export type Own = Readonly<z.infer<typeof own>>;
export type Taken = Readonly<z.infer<typeof taken>>;
export type HooksOwn = Readonly<z.infer<typeof hooks>>;
export type Quiesce = Readonly<z.infer<typeof quiesce>>;
export type Outcome = z.infer<typeof outcome>;

/** @returns `undefined` if it can't be read: then nothing is known to be ours */
export const parseOwn = (raw: unknown): Own | undefined => own.safeParse(raw).data;

/** `undefined`: no snapshot is recorded. */
export const takenIn = (recorded: Own | undefined): Taken | undefined =>
  recorded && 'id' in recorded ? recorded : undefined;
