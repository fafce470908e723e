// JSON that is kept of thousands of objects: equal parts of it become one in memory.
import { isRecord, parseJson } from './json.ts';

/** A copy as long as what it holds: V8 gives a list that grows room for 17 items, and thousands of lists hold one. */
export const trimmed = <T>(items: readonly T[]): readonly T[] => items.slice();

/** Enough for what objects have in common. Names and times, which they don't, push the rest out now and then. */
const knownMax = 4_096;
const longest = 64;
const knownTexts = new Map<string, string>();
/** By their JSON. */
const knownParts = new Map<string, object>();
const fieldsMax = 2;
const itemsMax = 8;
const noItems: readonly never[] = Object.freeze([]);
const noFields = Object.freeze({});

/**
 * For what is kept of thousands of objects: equal texts in it become one in memory, and so do equal small lists and maps, which
 * are frozen.
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
  if (Object.isFrozen(part)) return part;
  shareParts(part);
  return isShareable(part) ? remembered(knownParts, JSON.stringify(part), Object.freeze(part)) : part;
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** Whether it is small and holds nothing but single values and what is shared itself. */
function isShareable(part: object): boolean {
  let left = Array.isArray(part) ? itemsMax : fieldsMax;
  for (const name in part) if (left-- === 0 || !isShared(Reflect.get(part, name))) return false;
  return true;
}

const isShared = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Object.isFrozen(value);

const wholeMax = 1_024;
const knownWhole = new Map<string, object>();

/**
 * Parses what many objects have in common as a whole, such as a spec: equal ones become one in memory, which is frozen.
 * @returns `undefined` if the text is not JSON
 */
export function parseShared(text: string): unknown {
  const before = knownWhole.get(text);
  if (before) return before;
  const json = parseJson(text);
  shareParts(json);
  if (typeof json !== 'object' || json === null || text.length > wholeMax) return json;
  return remembered(knownWhole, text, Object.freeze(json));
}

/** The same text, and the same one in memory for all who have it. */
export const sharedText = (text: string): string => remembered(knownTexts, text, text);

function remembered<T>(known: Map<string, T>, text: string, value: T): T {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size === knownMax) known.clear();
  known.set(text, value);
  return value;
}
