// Type guards for JSON values, a parser that returns `undefined` instead of throwing, and memory for values by the thousand.
import type { Json } from './secret.ts';

export type JsonMap = Readonly<Record<string, Json>>;
export const isJsonMap = (value: Json | undefined): value is JsonMap =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((held) => typeof held === 'string');

/** @returns `undefined` if the text is not JSON */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** Enough for what objects have in common. Names and times, which they don't, push the rest out now and then. */
const knownMax = 4_096;
const longest = 64;
const known = new Map<string, string>();
const noItems: readonly never[] = Object.freeze([]);
const noFields = Object.freeze({});

/**
 * For what is kept of thousands of objects: equal texts in it become one in memory, and so do empty lists and maps, which are
 * frozen.
 * @param value JSON that nobody else has yet: it is changed in place
 */
export function shareParts(value: unknown): void {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = sharedPart(value[at]);
  } else if (isFields(value)) {
    // `in`, and no write of what is the same already: anything else takes V8 several times as long.
    for (const name in value) {
      const part = sharedPart(value[name]);
      if (typeof part === 'string' || part !== value[name]) value[name] = part;
    }
  }
}

const isFields = (value: unknown): value is Record<string, unknown> => isRecord(value);

function sharedPart(part: unknown): unknown {
  if (typeof part === 'string') return part.length > longest ? part : sharedText(part);
  if (typeof part !== 'object' || part === null) return part;
  if (isEmpty(part)) return Array.isArray(part) ? noItems : noFields;
  shareParts(part);
  return part;
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

function sharedText(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size === knownMax) known.clear();
  known.set(text, text);
  return text;
}
