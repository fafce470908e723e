// Stores the problems of the last scan in the state, for commands that read only the state.
import { isRecord, parseJson } from '../../../core/json.ts';
import type { Problem } from '../../../core/text/problem.ts';

/** A scan tells of 10,000 at most. All are kept, for objects are among them; the first ones keep more of their text. */
const max = { long: 200, longText: 1_024, text: 256 } as const;

/** Omits the excerpts: they may hold confidential text. */
export const noteOf = (problems: readonly Problem[]): string =>
  JSON.stringify(
    problems.map(({ message, origin, place, key }, index) => {
      const textMax = index < max.long ? max.longText : max.text;
      return {
        message: message.slice(0, textMax),
        origin: origin.slice(0, max.longText),
        ...(place && { place }),
        ...(key !== undefined && { key }),
      };
    }),
  );

/** Skips unreadable entries. */
export function notedIn(text: string): readonly Problem[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value.filter(isNoted) : [];
}

const isNoted = (value: unknown): value is Problem =>
  isRecord(value) &&
  typeof value['message'] === 'string' &&
  typeof value['origin'] === 'string' &&
  (value['key'] === undefined || typeof value['key'] === 'string') &&
  (value['place'] === undefined || isPlace(value['place']));

const isPlace = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['file'] === 'string' &&
  Number.isInteger(value['line']) &&
  Number.isInteger(value['column']);
