// Parses ordinary documents into plain JSON in a tenth of the time. Wrong or unusual documents are left to the careful
// parser (documents.ts), which keeps places and has messages. For all others, both parsers must agree.
import {
  CORE_SCHEMA,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
  type Event,
  type ScalarEvent,
} from 'js-yaml';
import type { Json } from '../../../core/secret.ts';
import { misreadKey, misreadValue } from './kubectl.ts';
import { isList, limits } from './plain.ts';

export interface Ordinary {
  /** A map, or `null` for an empty document. */
  readonly value: Json;
  /** The offset of the first key. */
  readonly start: number;
}

class Unusual extends Error {
  override readonly name = 'Unusual';
}

/**
 * A tab indents for some parsers only, a byte order mark shifts offsets, and parsers differ on where documents begin or
 * end.
 */
const unusualText = /[\t\uFEFF]|^ *\.\.\.|^ +---/m;
const unusualKeys: ReadonlySet<string> = new Set(['__proto__', '<<']);

/** @returns `undefined`: the text is anything but one map of ordinary values */
export function ordinary(text: string): Ordinary | undefined {
  if (unusualText.test(text)) return undefined;
  try {
    const events = parseEvents(text, { maxDepth: limits.depth });
    if (events.length === 0) return { value: null, start: 0 };
    const [document, root] = events;
    if (document?.type !== EVENT_ID.DOCUMENT || document.explicitEnd || document.directives.length > 0)
      return;
    if (root?.type !== EVENT_ID.MAPPING || events.length > limits.values) return;
    const builder = new Builder(text, events);
    const value = builder.value(0);
    return builder.isAtEnd && !isList(value) ? { value, start: root.start } : undefined;
  } catch (error) {
    if (error instanceof YAMLException || error instanceof Unusual) return undefined;
    throw error;
  }
}

class Builder {
  readonly #text: string;
  readonly #events: readonly Event[];
  #at = 1;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#events.length - 1 && this.#endsHere();
  }

  value(depth: number): Json {
    const event = this.#next(depth);
    if (event.type === EVENT_ID.SCALAR) return this.#scalar(event);
    if (event.type === EVENT_ID.SEQUENCE) return this.#list(depth);
    if (event.type === EVENT_ID.MAPPING) return this.#map(depth);
    throw new Unusual();
  }

  #next(depth: number): Event {
    const event = this.#events[this.#at++];
    if (!event || depth > limits.depth) throw new Unusual();
    const isNode = 'tagStart' in event;
    if (isNode && (event.tagStart !== -1 || event.anchorStart !== -1)) throw new Unusual();
    return event;
  }

  #endsHere(): boolean {
    return this.#events[this.#at]?.type === EVENT_ID.POP;
  }

  #list(depth: number): Json {
    const items: Json[] = [];
    while (!this.#endsHere()) items.push(this.value(depth + 1));
    this.#at += 1;
    return items;
  }

  #map(depth: number): Json {
    const map: Record<string, Json> = {};
    while (!this.#endsHere()) {
      const key = this.#next(depth);
      if (key.type !== EVENT_ID.SCALAR) throw new Unusual();
      const name = getScalarValue(this.#text, key);
      const isMisread = key.style === SCALAR_STYLE.PLAIN && misreadKey(name) !== undefined;
      if (isMisread || unusualKeys.has(name) || Object.hasOwn(map, name)) throw new Unusual();
      map[name] = this.value(depth + 1);
    }
    this.#at += 1;
    return map;
  }

  #scalar(event: ScalarEvent): Json {
    const text = getScalarValue(this.#text, event);
    if (event.style !== SCALAR_STYLE.PLAIN) return text;
    const { value } = CORE_SCHEMA.resolveImplicitScalarTag(text);
    if (misreadValue(text, value) !== undefined) throw new Unusual();
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    const isExact =
      typeof value === 'number' &&
      Number.isFinite(value) &&
      !(Number.isInteger(value) && !Number.isSafeInteger(value));
    if (!isExact) throw new Unusual();
    return value;
  }
}
