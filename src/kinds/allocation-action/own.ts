// AllocationAction: the recorded result of each allocation, and what it means after a crash. PURE.
import * as z from 'zod';
import type { Situation } from '../../core/planning/situation.ts';
import type { Status } from '../../core/status/status.ts';

/** Keeps the status storable, and its first version small enough for an annotation. */
export const allocationsMax = 500;
const messageMax = 256;

const text = z.string().max(1_024);

const result = z.object({
  allocation: text,
  node: text,
  /** Started: the call is under way, or it was answered and its effect is not complete yet. */
  phase: z.enum(['Pending', 'Started', 'Succeeded', 'Failed', 'Unknown']),
  startedAt: text.exactOptional(),
  finishedAt: text.exactOptional(),
  /** Restarts of its tasks before the call (schema/scheduler/allocations.ts). */
  before: text.exactOptional(),
  answered: z.literal(true).exactOptional(),
  /** A stop was requested and not answered. */
  again: z.literal(true).exactOptional(),
  exitCode: z.number().exactOptional(),
  stdoutBytes: z.number().exactOptional(),
  stderrBytes: z.number().exactOptional(),
  message: text.exactOptional(),
});

const own = z.object({
  startedAt: text,
  /** Set once. No wave begins afterwards. */
  finishedAt: text.exactOptional(),
  /** The action did not begin in time. */
  expired: z.literal(true).exactOptional(),
  /** Why the action ended, if the results do not say so. */
  message: text.exactOptional(),
  results: z.array(result).max(allocationsMax),
});

export type Own = Readonly<Omit<z.infer<typeof own>, 'results'>> & { readonly results: readonly Result[] };
export type Result = Readonly<z.infer<typeof result>>;
export type Phase = Result['phase'];

/** @returns `undefined` if it can't be read */
export const parseOwn = (raw: unknown): Own | undefined => own.safeParse(raw).data;

export const said = (message: string): string => message.slice(0, messageMax);

export const isFinal = ({ phase }: Pick<Result, 'phase'>): boolean =>
  phase !== 'Pending' && phase !== 'Started';

export const intents = { begin: 'begin', wave: 'wave' } as const;

const lost =
  'what was done since it began is not known: its status was lost, or was not written before a crash';
const unanswered = 'its call was begun, and nobody knows what became of it';
const restored = 'what was done to it after this state was written is not known';

interface Known {
  readonly status: Pick<Status<Own>, 'own' | 'pending'>;
  readonly doubt?: Situation<never, never, never>['doubt'];
}

/**
 * The record, with calls that were begun and not recorded as answered. It is not known whether those were carried out:
 * only a stop may be requested again, once the allocation was observed.
 * @param mayRepeat the action is a stop
 */
export function remembered({ status, doubt }: Known, mayRepeat: boolean): Own | undefined {
  const { own: before, pending } = status;
  if (!before) return undefined;
  // A status that was stripped contains only that the action began.
  if (pending?.op === intents.begin && doubt === 'recalled' && !mayRepeat) return unknownFrom(before, lost);
  if (!before.results.some(isOpen)) return before;
  return { ...before, results: before.results.map((one) => (isOpen(one) ? opened(one, mayRepeat) : one)) };
}

const isOpen = ({ phase, answered }: Result): boolean => phase === 'Started' && answered !== true;

const opened = (one: Result, mayRepeat: boolean): Result =>
  mayRepeat ? { ...one, phase: 'Pending', again: true } : { ...one, phase: 'Unknown', message: unanswered };

/** What is not final becomes Unknown: whoever restored the state decides what is done again. */
export const keep = (before: Own): Own =>
  before.finishedAt === undefined ? unknownFrom(before, restored) : before;

const unknownFrom = (before: Own, message: string): Own => ({
  ...before,
  results: before.results.map((one) => (isFinal(one) ? one : { ...one, phase: 'Unknown', message })),
});
