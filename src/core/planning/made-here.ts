// Whether an external object that can't be marked is the one that was made here. PURE.
import { hasUnansweredCreate } from '../status/status.ts';
import type { Situation } from './situation.ts';

/**
 * It is, if the object was held after its absence was observed, and it is as declared. After a create without a response it has to be as
 * that was sent, whatever is declared by now: what is only as declared since may be somebody else's. Both count where it is not
 * recorded what was sent, or where that may be outdated.
 * @param declared path of each field by which it is recognized → its declared value
 * @param is whether it has these values, in the same order
 */
export function isMadeHere(
  { held, doubt, status }: Pick<Situation<unknown, unknown, unknown>, 'held' | 'doubt' | 'status'>,
  declared: Readonly<Record<string, unknown>>,
  is: (...values: readonly unknown[]) => boolean,
): boolean {
  if (!held) return false;
  const isAsDeclared = is(...Object.values(declared));
  if (!hasUnansweredCreate(status)) return isAsDeclared;
  const sent = Object.keys(declared).map((path) => status.applied[path]);
  const isRecorded = sent.some((value) => value !== undefined);
  const isSure = isRecorded && doubt === undefined;
  return (isRecorded && is(...sent)) || (!isSure && isAsDeclared);
}
