// Stores the problems of the last scan in the state, for commands that read only the state.
import { isRecord, parseJson } from '../../../core/json.ts';
import type { Problem } from '../../../core/text/problem.ts';

/** The first problems are kept, each text in up to so many characters. */
const max = { problems: 200, text: 1_024 } as const;

/** Omits the excerpts: they may hold confidential text. */
export const noteOf = (problems: readonly Problem[]): string =>
  JSON.stringify(
    problems.slice(0, max.problems).map(({ message, origin, place, key }) => ({
      message: message.slice(0, max.text),
      origin: origin.slice(0, max.text),
      ...(place && { place }),
      ...(key !== undefined && { key }),
    })),
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
