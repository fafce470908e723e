// What one document of the tree came to: what it declares, or problems with their places.
import { SpecError, type Place } from '../../core/errors.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { check, keyIn, meaningOf, type Meaning } from './document.ts';
import type { Finding } from './pass.ts';
import type { Problem } from './problem.ts';
import type { YamlDocument } from './yaml.ts';

/** A document whose spec has not been looked at. */
export interface Unexamined {
  /** keyText, or `Installation`; `undefined` where it could not be told. */
  readonly key: string | undefined;
  readonly place: Place;
  /** @param old the spec as it was last valid, for rules about changes. */
  readonly examine: (old: unknown) => Finding;
}

export function readDocument(
  document: YamlDocument,
  origin: string,
  kinds: readonly Declaration[],
): Unexamined {
  const meaning = understand(document, origin, kinds);
  const { key } = meaning;
  const place = { file: origin, ...document.start };
  const wrong = (errors: readonly SpecError[]): Finding => ({
    is: 'wrong',
    problems: errors.map((error) => problemOf(error, document, origin, key)),
  });
  const examine = (old: unknown): Finding => {
    if (meaning.is === 'wrong') return wrong(meaning.errors);
    if (meaning.is !== 'object') return meaning;
    const checked = check(meaning.object, old);
    if ('errors' in checked) return wrong(checked.errors);
    const { object } = meaning;
    return {
      is: 'object',
      declared: { key: object.key, origin, place, requests: object.requests, ...checked },
    };
  };
  return { key, place, examine };
}

function understand(document: YamlDocument, origin: string, kinds: readonly Declaration[]): Meaning {
  const { value, fault } = document;
  if (fault === undefined) return meaningOf(value, origin, kinds);
  return { is: 'wrong', key: keyIn(value, kinds), errors: [new SpecError('/', fault, '')] };
}

function problemOf(
  { path, expected, got, message }: SpecError,
  document: YamlDocument,
  origin: string,
  key: string | undefined,
): Problem {
  // Without a value that was found, it is the field itself that is wrong, or missing.
  const { excerpt, ...position } = document.spot(path, got === '' ? 'key' : 'value');
  const place = { file: origin, ...position };
  return {
    message: document.fault ?? message,
    origin,
    place,
    error: new SpecError(path, expected, got, place),
    ...(excerpt !== undefined && { excerpt }),
    ...(key !== undefined && { key }),
  };
}
