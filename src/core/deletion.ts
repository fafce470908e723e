// The deletion budget: how many objects of one connection may leave before a person has to say yes. PURE.
import type { DeletionLimits } from './connection.ts';
import { shortHash } from './hash.ts';

/** One object of a connection, as far as deletion is concerned. */
export interface Leaver {
  readonly key: string;
  readonly uid: string;
  readonly approved: boolean;
}

export interface Departures {
  /** All declared objects of the connection, those that are leaving included. */
  readonly total: number;
  readonly leaving: readonly Leaver[];
  /** How many left within the last hour without having been approved. */
  readonly leftLastHour: number;
}

export type DeletionVerdict =
  | { readonly is: 'within' }
  | {
      readonly is: 'beyond';
      /** What a person approves: exactly this set of objects. */
      readonly digest: string;
      readonly message: string;
    };

const percentAppliesFrom = 6;

/** Names one set of leaving objects; another set has another digest. */
const deletionDigest = (leaving: readonly Leaver[]): string =>
  shortHash(leaving.map((l) => `${l.key}#${l.uid}`).toSorted());

/**
 * Whether a connection's objects that are leaving may go on their own. The whole set waits or none of it:
 * deleting up to the limit and stopping then would be half a mistake.
 */
export function withinLimits(departures: Departures, limits: DeletionLimits): DeletionVerdict {
  const waiting = departures.leaving.filter((l) => !l.approved);
  const rule = brokenRule(departures, waiting.length, limits);
  if (rule === undefined) return { is: 'within' };
  const digest = deletionDigest(waiting);
  const of = `${waiting.length} of ${departures.total} objects are leaving`;
  return { is: 'beyond', digest, message: `${of}: ${rule}; to let them go: holdfast approve ${digest}` };
}

/** Those that left within the hour count too: one after the other is no different from all at once. */
function brokenRule(d: Departures, waiting: number, limits: DeletionLimits): string | undefined {
  if (waiting === 0) return undefined;
  const total = d.total + d.leftLastHour;
  const going = waiting + d.leftLastHour;
  if (total >= 2 && d.leaving.length === d.total) return 'the connection would lose all its objects';
  const { percent, perHour } = limits;
  if (total >= percentAppliesFrom && going * 100 > percent * total)
    return `more than ${percent} % within an hour`;
  if (going > perHour) return `more than ${perHour} an hour`;
  return undefined;
}
