// What a case of the corpus is, and how tables of values become cases.

import { labelOf } from './documents.ts';

export type Document = Readonly<Record<string, unknown>>;

/** The directory's parser, the packages of the API server without a cluster, and a real API server. */
type Judge = 'parser' | 'referee' | 'server';

export interface Case {
  readonly title: string;
  readonly document: Document;
  /** What was declared before: the document is an edit of it. */
  readonly old?: Document;
  readonly valid: boolean;
  /** Who judges otherwise, and why. */
  readonly otherwise?: Readonly<Partial<Record<Judge, string>>>;
}

/** Both judges on a cluster. */
export const cluster = (because: string): NonNullable<Case['otherwise']> => ({
  referee: because,
  server: because,
});

const isMap = (value: unknown): value is Document =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** In the place of a value: the field is taken out. */
export const absent = Symbol('absent');

/** A copy with one value at a pointer. */
export const put = (document: Document, pointer: string, value: unknown): Document => {
  const changed = changedAt(document, pointer.split('/').slice(1).map(unescaped), value);
  if (!isMap(changed)) throw new Error(`${pointer}: no place in a document`);
  return changed;
};

function changedAt(held: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(held)) {
    return held.map((item: unknown, i) => (String(i) === step ? changedAt(item, rest, value) : item));
  }
  const { [step]: below, ...others } = isMap(held) ? held : {};
  const changed = changedAt(below, rest, value);
  return changed === absent ? others : { ...others, [step]: changed };
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

export function shown(value: unknown): string {
  if (value === absent) return 'absent';
  const text = JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 150)}… (${text.length})` : text;
}

interface Values {
  readonly valid?: readonly unknown[];
  readonly invalid?: readonly unknown[];
}

/** One case per value of one field. */
export function valuesOf(
  base: Document,
  pointer: string,
  { valid = [], invalid = [] }: Values,
): readonly Case[] {
  const casesOf = (values: readonly unknown[], isValid: boolean) =>
    values.map((value) => ({
      title: `${labelOf(base)} ${pointer}: ${shown(value)}`,
      document: put(base, pointer, value),
      valid: isValid,
    }));
  return [...casesOf(valid, true), ...casesOf(invalid, false)];
}

/** Values of one field that the judges see differently. */
export const disputed = (
  base: Document,
  pointer: string,
  values: readonly unknown[],
  valid: boolean,
  otherwise: NonNullable<Case['otherwise']>,
): readonly Case[] =>
  valuesOf(base, pointer, valid ? { valid: values } : { invalid: values }).map((row) => ({
    ...row,
    otherwise,
  }));
