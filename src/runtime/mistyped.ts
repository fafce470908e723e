// What looks mistyped in manifests that are valid: nothing fails before a service refuses it, or a reconcile waits for ever.
import { nearest } from '../core/text/nearest.ts';
import { pointerTo } from '../schema/problems.ts';
import type { Pointing } from '../sources/directory/tree/locate.ts';
import type { Declared, Scan } from '../sources/directory/tree/scan.ts';
import { keyText, type Key } from '../core/resource.ts';

/** As word processors and web pages put them. */
export const isCurlyQuoted = (text: string): boolean => /^[“”„‘’‚].*[“”‘’]$/s.test(text);

export const curlyQuotes = 'the curly quotes are part of the value: YAML knows " and \' only';

/** Warns of values between curly quotes. */
export const curlyQuoted = (object: Declared): readonly Pointing[] =>
  pathsOfTexts(object.spec, isCurlyQuoted).map((path) => {
    const pointer = pointerTo('/spec', path);
    return { object, pointer, message: `${pointer}: ${curlyQuotes}`, key: keyText(object.key) };
  });

function pathsOfTexts(value: unknown, matches: (text: string) => boolean): readonly (readonly string[])[] {
  if (typeof value === 'string') return matches(value) ? [[]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([step, held]) =>
    pathsOfTexts(held, matches).map((path) => [step, ...path]),
  );
}

/**
 * The Secret of the tree that a reference to another, missing one means: of that name in another namespace, or of nearly that
 * name. One that something refers to is not meant.
 */
export function meantSecret(
  { namespace, name }: Key,
  secrets: Scan['secrets'],
  isReferred: (text: string) => boolean,
): string | undefined {
  const spare = [...secrets].filter(([text]) => !isReferred(text));
  const near = nearest(
    name,
    spare.flatMap(([, secret]) => (secret.namespace === namespace ? [secret.name] : [])),
  );
  return spare.find(([, secret]) =>
    secret.namespace === namespace ? secret.name === near : near === undefined && secret.name === name,
  )?.[0];
}
