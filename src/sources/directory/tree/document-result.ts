// What one document of the tree came to: what it declares, or problems with their places.
import { SpecError, type Place } from '../../../core/errors.ts';
import type { Declaration } from '../../../schema/declaration.ts';
import { check, keyIn, meaningOf, type Meaning } from './document.ts';
import type { Finding } from './scan.ts';
import type { Problem } from '../../../core/problem.ts';
import type { Pointed, Spot, YamlDocument } from '../yaml/documents.ts';

/** A document whose spec has not been looked at. */
export interface Unexamined {
  /** keyText, or `Installation`; `undefined` where it could not be told. */
  readonly key: string | undefined;
  readonly place: Place;
  /**
   * @param old the spec as it was last valid, for rules about changes.
   * @returns what it is, or what is wrong with it.
   */
  readonly examine: (old: unknown) => Right | readonly SpecError[];
}

type Right = Exclude<Finding, { readonly is: 'wrong' }>;

export function readDocument(
  document: YamlDocument,
  origin: string,
  kinds: readonly Declaration[],
): Unexamined {
  const meaning = understand(document, origin, kinds);
  const { key } = meaning;
  const place = { file: origin, ...document.start };
  const examine = (old: unknown): Right | readonly SpecError[] => {
    if (meaning.is === 'wrong') return meaning.errors;
    if (meaning.is !== 'object') return meaning;
    const checked = check(meaning.object, old);
    if ('errors' in checked) return checked.errors;
    const { object } = meaning;
    return {
      is: 'object',
      declared: { key: object.key, origin, place, requests: object.requests, ...checked },
    };
  };
  return { key, place, examine };
}

function understand({ value, fault }: YamlDocument, origin: string, kinds: readonly Declaration[]): Meaning {
  if (fault === undefined) return meaningOf(value, origin, kinds);
  return { is: 'wrong', key: keyIn(value, kinds), errors: [new SpecError('/', fault.message, '')] };
}

/** What a person is pointed to. */
export const pointedBy = ({ path, got }: SpecError): Pointed => ({
  pointer: path,
  of: got === '' ? 'key' : 'value', // without a value that was found, it is the field itself that is wrong, or missing
});

/** @param spot where `pointedBy` of it stands. */
export function problemOf(
  { path, expected, got, message }: SpecError,
  { fault }: YamlDocument,
  { excerpt, ...position }: Spot,
  { key, place: { file } }: Unexamined,
): Problem {
  const place = { file, ...position };
  return {
    message: fault?.message ?? message,
    origin: file,
    place,
    error: new SpecError(path, expected, got, place),
    ...(excerpt !== undefined && { excerpt }),
    ...(key !== undefined && { key }),
  };
}
