// The result of one document of the tree: what it declares, or its problems with their places.
import { SpecError, type Place } from '../../../core/errors.ts';
import type { Declaration } from '../../../schema/declaration.ts';
import { check, keyIn, meaningOf, type Meaning } from './document.ts';
import type { DeclaredSecret } from '../secrets/document.ts';
import type { Finding } from './scan.ts';
import type { Problem } from '../../../core/text/problem.ts';
import type { Pointed, Spot, YamlDocument } from '../yaml/documents.ts';

export interface Unexamined {
  /** keyText, or `Installation`; `undefined` if unknown. */
  readonly key: string | undefined;
  readonly place: Place;
  readonly secret?: DeclaredSecret;
  /**
   * @param old the last valid spec, for transition rules
   * @returns the meaning, or the problems
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
    const { requests, labels } = object;
    return {
      is: 'object',
      declared: { key: object.key, origin, place, requests, ...(labels && { labels }), ...checked },
    };
  };
  return { key, place, examine, ...(meaning.is === 'secret' && { secret: meaning.secret }) };
}

function understand({ value, fault }: YamlDocument, origin: string, kinds: readonly Declaration[]): Meaning {
  if (fault === undefined) return meaningOf(value, origin, kinds);
  return { is: 'wrong', key: keyIn(value, kinds), errors: [new SpecError('/', fault.message, '')] };
}

/** Which value of the document to locate for a problem. */
export const pointedBy = ({ path, got }: SpecError): Pointed => ({
  pointer: path,
  of: got === '' ? 'key' : 'value', // without a found value, the field itself is wrong or missing
});

/** @param spot the place found for `pointedBy` */
export function problemOf(
  { path, expected, got, message }: SpecError,
  { fault }: YamlDocument,
  { excerpt, caret, ...position }: Spot,
  { key, place: { file } }: Unexamined,
): Problem {
  const place = { file, ...position };
  return {
    message: fault?.message ?? message,
    origin: file,
    place,
    error: new SpecError(path, expected, got, place),
    ...(excerpt !== undefined && { excerpt }),
    ...(caret !== undefined && { caret }),
    ...(key !== undefined && { key }),
    ...(fault && { unparsed: true }),
  };
}
