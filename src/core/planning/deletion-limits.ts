// The deletion limits: how much of one connection may go before a person has to say yes. PURE.
import type { DeletionLimits } from '../connection.ts';
import { shortHash } from '../hash.ts';

/** One that goes: an object that leaves its source, or one whose external object is about to be replaced. */
export interface Going {
  readonly key: string;
  /** Names this going and no other: another day, the same object goes under another ID. */
  readonly id: string;
  readonly how: 'leaves' | 'is replaced';
  readonly approved: boolean;
}

export interface Departures {
  /** Keys of all declared objects of the connection, those that are leaving included. */
  readonly declared: ReadonlySet<string>;
  readonly going: readonly Going[];
  /** Keys of those that went within the last hour without having been approved. */
  readonly gone: readonly string[];
}

export type DeletionVerdict =
  | { readonly is: 'within' }
  | {
      readonly is: 'beyond';
      /** What a person approves: exactly this set. */
      readonly digest: string;
      readonly message: string;
    };

const percentAppliesFrom = 6;

/** Names one leaving: an object that is declared again and leaves again has another generation, or another UID. */
export const leavingID = ({
  uid,
  generation,
}: {
  readonly uid: string;
  readonly generation: number;
}): string => `${uid} ${generation} leaves`;

/** Names one set; another set has another digest. */
const digestOf = (going: readonly Going[]): string =>
  shortHash(going.map(({ key, id }) => `${key} ${id}`).toSorted());

/**
 * Whether what goes may go on its own. The whole set waits or none of it: going up to the limit and stopping then would be
 * half a mistake.
 */
export function withinLimits(departures: Departures, limits: DeletionLimits): DeletionVerdict {
  const waiting = departures.going.filter((one) => !one.approved);
  const rule = brokenRule(departures, waiting, limits);
  if (rule === undefined) return { is: 'within' };
  const digest = digestOf(waiting);
  const of = `${waiting.length} of ${departures.declared.size} objects ${said(waiting)}`;
  return { is: 'beyond', digest, message: `${of}: ${rule}; to let them go: holdfast approve ${digest}` };
}

function said(waiting: readonly Going[]): string {
  const replaced = waiting.filter(({ how }) => how === 'is replaced').length;
  if (replaced === 0) return 'are leaving';
  return replaced === waiting.length ? 'would be replaced' : `are leaving or would be replaced (${replaced})`;
}

/** Those that went within the hour count too: one after the other is no different from all at once. */
function brokenRule(
  { declared, going, gone }: Departures,
  waiting: readonly Going[],
  limits: DeletionLimits,
): string | undefined {
  if (waiting.length === 0) return undefined;
  const total = new Set([...declared, ...gone]).size;
  const count = waiting.length + gone.length;
  if (total >= 2 && going.length === declared.size) return 'the connection would lose all its objects';
  const { percent, perHour } = limits;
  if (total >= percentAppliesFrom && count * 100 > percent * total)
    return `more than ${percent} % within an hour`;
  if (count > perHour) return `more than ${perHour} an hour`;
  return undefined;
}

/** What both allow. */
export const stricter = (a: DeletionLimits, b: DeletionLimits): DeletionLimits => ({
  perHour: Math.min(a.perHour, b.perHour),
  percent: Math.min(a.percent, b.percent),
});
