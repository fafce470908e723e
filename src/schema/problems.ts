// The problems of a value, in plain words: each with its place, limited in number and length.
import * as z from 'zod';
import { SpecError } from '../core/errors.ts';
import { nearest } from '../core/text/nearest.ts';

/** Nobody would read more. */
export const problemsMax = 20;
const shownMax = 80;
/** Far above the needs of any declaration, and below what could block the process. */
const limits = { depth: 32, values: 50_000, keyLength: 512 };

type Path = readonly PropertyKey[];

/** A JSON pointer (RFC 6901) below `root`. */
export const pointerTo = (root: string, path: Path): string =>
  root + path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Hides what may be the password of a URL, up to the last `@`: one can contain slashes, though it should not. */
export const withoutPasswords = (text: string): string => text.replaceAll(/\/\/\S*@/g, '//…@');

const shortened = (text: string): string => {
  const safe = withoutPasswords(text.slice(0, 20 * shownMax));
  return JSON.stringify(safe.length > shownMax ? `${safe.slice(0, shownMax)}…` : safe);
};

/** A value for messages, without the contents of lists and maps. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return shortened(value);
  if (Array.isArray(value)) return 'a list';
  return value !== null && typeof value === 'object' ? 'a map' : String(value);
}

/**
 * Refuses what no schema should have to check: deep nesting, cycles, huge documents, and the key `__proto__`, which
 * copying an object would silently drop.
 */
export function unfit(value: unknown, root: string): SpecError | undefined {
  let left = limits.values;
  /** Builds the path only on the way back, because nearly every value is fit. */
  const visit = (held: unknown, depth: number): Misfit | undefined => {
    left -= 1;
    if (left < 0) return { path: [], expected: `a document of at most ${limits.values} values`, got: 'more' };
    if (held === null || typeof held !== 'object') return undefined;
    if (depth === limits.depth) return { path: [], expected: `at most ${depth} levels`, got: 'more' };
    for (const [key, child] of Object.entries(held)) {
      if (key === '__proto__' || key.length > limits.keyLength) {
        return { path: [], expected: keysExpected, got: shortened(key) };
      }
      const misfit = visit(child, depth + 1);
      if (misfit) return { ...misfit, path: [key, ...misfit.path] };
    }
    return undefined;
  };
  const misfit = visit(value, 0);
  return misfit && new SpecError(pointerTo(root, misfit.path) || '/', misfit.expected, misfit.got);
}

const keysExpected = `keys of up to ${limits.keyLength} characters, not __proto__`;

interface Misfit {
  readonly path: readonly string[];
  readonly expected: string;
  readonly got: string;
}

export type Shaped<T> = { readonly value: T } | { readonly problems: readonly SpecError[] };

/** Pointers to the fields that misspelt names probably mean. The misspelling is reported, not the missing field. */
function meantBy(schema: z.ZodType, issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code !== 'unrecognized_keys') return [];
  const known = fieldsAt(schema, issue.path);
  return issue.keys
    .slice(0, problemsMax)
    .flatMap((key) => nearest(key, known) ?? [])
    .map((name) => pointerTo('', [...issue.path, name]));
}

/** A misspelling is reported first, because it says what to do. */
const isMisspelt = (issue: z.core.$ZodIssue): number => Number(issue.code === 'unrecognized_keys');

/** zod compares the `length` of any value, and throws if that is a map that can't become a number. */
function checked<S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.infer<S>> | undefined {
  try {
    return schema.safeParse(value, { reportInput: true, error: expectation });
  } catch {
    return undefined;
  }
}

/** Whether a value that a service returned is of this shape. */
export const fits = (schema: z.ZodType, value: unknown): boolean => checked(schema, value)?.success === true;

/** Parses a value, or reports its problems. `root` is the pointer to the value. */
export function shape<S extends z.ZodType>(schema: S, value: unknown, root: string): Shaped<z.infer<S>> {
  const result = checked(schema, value);
  if (!result)
    return {
      problems: [new SpecError(root || '/', 'texts, numbers, lists and maps', 'a map with a key toString')],
    };
  if (result.success) return { value: result.data };
  const misspelt = new Set(result.error.issues.flatMap((issue) => meantBy(schema, issue)));
  const issues = result.error.issues
    .filter((issue) => issue.input !== undefined || !misspelt.has(pointerTo('', issue.path)))
    .toSorted((a, b) => isMisspelt(b) - isMisspelt(a))
    .slice(0, problemsMax);
  return { problems: issues.flatMap((issue) => explain(schema, issue, root)).slice(0, problemsMax) };
}

const names: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};
const things: Readonly<Record<string, string>> = { string: 'character', array: 'entry', map: 'entry' };

const counted = (count: number | bigint, thing: string): string =>
  thing === 'entry' && count !== 1 ? `${count} entries` : `${count} ${thing}${count === 1 ? '' : 's'}`;

const amount = (bound: number | bigint, origin: string): string => {
  const thing = things[origin];
  return thing === undefined ? String(bound) : counted(bound, thing);
};

/** What was expected, if the schema does not say it. */
function expectation(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type') {
    const unquoted = typeof issue.input === 'number' || typeof issue.input === 'boolean';
    const expected = names[issue.expected] ?? issue.expected;
    return issue.expected === 'string' && unquoted ? `${expected} in quotes` : expected;
  }
  if (issue.code === 'invalid_value') {
    const [first, ...others] = issue.values.map(String);
    return others.length === 0 ? String(first) : `one of ${[first, ...others].join(', ')}`;
  }
  if (issue.code === 'too_small') return `at least ${amount(issue.minimum, issue.origin)}`;
  if (issue.code === 'too_big') return `at most ${amount(issue.maximum, issue.origin)}`;
  return 'another form';
}

function explain(schema: z.ZodType, issue: z.core.$ZodIssue, root: string): readonly SpecError[] {
  const at = pointerTo(root, issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, issue.path);
    const keys = issue.keys.slice(0, problemsMax);
    return keys.map((key) => new SpecError(pointerTo(at, [key]), unknownField(key, known), ''));
  }
  if (issue.code === 'invalid_key') {
    return [new SpecError(at, issue.issues[0]?.message ?? 'another key', shown(issue.input))];
  }
  if (issue.input === undefined) return [new SpecError(at, `is required (${issue.message})`, '')];
  return [new SpecError(at, `${issue.message}${meantValue(issue)}`, found(issue))];
}

/** `(did you mean Delete?)`, where one of several words is expected, and a text is near one. */
function meantValue(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value' || issue.values.length < 2 || typeof issue.input !== 'string') return '';
  const meant = nearest(issue.input.slice(0, shownMax), issue.values.map(String));
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

function found(issue: z.core.$ZodIssue): string {
  const { input } = issue;
  if ((issue.code === 'too_big' || issue.code === 'too_small') && things[issue.origin] !== undefined) {
    if (typeof input === 'string') return counted(input.length, 'character');
    if (typeof input === 'object' && input !== null) return counted(Object.keys(input).length, 'entry');
  }
  // A text in place of a list or a map may be a secret that should have been a reference, so it is not shown.
  const container = issue.code === 'invalid_type' && ['array', 'object', 'record'].includes(issue.expected);
  return container && typeof input === 'string' ? 'text' : shown(input);
}

/** `unknown field "capasity": did you mean "capacity"?` */
export function unknownField(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  const hint = meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${meant}"?`;
  return `unknown field ${shortened(key)}: ${hint}`;
}

function fieldsAt(schema: z.ZodType, path: Path): readonly string[] {
  let at: unknown = schema;
  for (const step of path) at = below(at, step);
  at = unwrapped(at);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

const unwrapped = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional ? schema.unwrap() : schema;

function below(schema: unknown, step: PropertyKey): unknown {
  const at = unwrapped(schema);
  if (at instanceof z.ZodObject) return at.shape[String(step)];
  if (at instanceof z.ZodArray) return at.element;
  return at instanceof z.ZodRecord ? at.valueType : undefined;
}
