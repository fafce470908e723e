// Converts YAML nodes to plain JSON, and finds the node of a JSON pointer. It refuses what JSON can't express and what
// can't be intended: duplicate and merge keys, tags, aliases that multiply, numbers that would lose digits, and scalars
// that kubectl would read differently.
import { isAlias, isCollection, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Document, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isJsonMap } from '../../../core/json.ts';
import type { Json } from '../../../core/secret.ts';
import { misreadKey, misreadValue } from './kubectl.ts';

export const limits = { depth: 64, values: 100_000 };
const coreTag = /^(!|tag:yaml\.org,2002:(str|int|float|bool|null|map|seq))$/;

/** Whether a value is a v1 List, as kubectl prints several objects. Its items are documents. */
export const isList = (value: Json): value is { readonly items: readonly Json[] } =>
  isJsonMap(value) &&
  value['apiVersion'] === 'v1' &&
  value['kind'] === 'List' &&
  Array.isArray(value['items']);

/** The node can't be converted; `offset` is its place in the text. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
  readonly offset: number;
  constructor(message: string, at: ParsedNode) {
    super(message);
    this.offset = at.range[0];
  }
}

export const plainOf = (root: ParsedNode): Json => new Converter().value(root, 0);

class Converter {
  readonly #anchors = new Map<string, ParsedNode>();
  #left = limits.values;

  value(node: ParsedNode, depth: number): Json {
    this.#left -= 1;
    if (this.#left < 0) throw new Unfit(`more than ${limits.values} values, those of aliases included`, node);
    if (depth > limits.depth) throw new Unfit(`nested more than ${limits.depth} levels deep`, node);
    if (isAlias(node)) return this.value(this.#aliased(node), depth + 1);
    if (node.tag !== undefined && !coreTag.test(node.tag)) throw new Unfit('tags are not supported', node);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return scalar(node);
    return isMap(node) ? this.#map(node, depth) : this.#list(node, depth);
  }

  /** The latest node above with this anchor, as in YAML. The depth limit stops an alias inside its own anchor. */
  #aliased(alias: Alias.Parsed): ParsedNode {
    const node = this.#anchors.get(alias.source);
    if (node === undefined) throw new Unfit('alias without an anchor above it', alias);
    return node;
  }

  #list(list: YAMLSeq.Parsed, depth: number): Json {
    return list.items.map((item) => this.value(item, depth + 1));
  }

  #map(map: YAMLMap.Parsed, depth: number): Json {
    const result: Record<string, Json> = {};
    for (const { key, value } of map.items) {
      const name = keyOf(key);
      if (Object.hasOwn(result, name)) throw new Unfit(twice(name, depth), key);
      result[name] = value === null ? null : this.value(value, depth + 1);
    }
    return result;
  }
}

/** Two objects of which the second begins without a line `---` are one map. */
const twice = (name: string, depth: number): string =>
  depth === 0 && ['apiVersion', 'kind'].includes(name)
    ? 'duplicate key; perhaps a line --- is missing between two objects'
    : 'duplicate key';

function keyOf(key: ParsedNode): string {
  if (!isScalar(key) || typeof key.value !== 'string') throw new Unfit('a key has to be text', key);
  if (key.value === '__proto__') throw new Unfit('__proto__ is not allowed as a key', key);
  if (key.value === '<<') throw new Unfit('merge keys (<<) are not supported', key);
  const misread = isResolved(key) ? misreadKey(key.value) : undefined;
  if (misread !== undefined) throw new Unfit(misread, key);
  return key.value;
}

function scalar(node: Scalar.Parsed): Json {
  const { value, source } = node;
  const misread = isResolved(node) ? misreadValue(source, value) : undefined;
  if (misread !== undefined) throw new Unfit(misread, node);
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new Unfit('not a JSON number', node);
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new Unfit('a number this large loses digits: put it in quotes', node);
  }
  return value;
}

/** Whether the scalar's type follows from its text: it is neither quoted nor tagged as text. */
const isResolved = ({ type, tag }: Scalar.Parsed): boolean =>
  type === 'PLAIN' && (tag === undefined || !/^(!|.*:str)$/.test(tag));

/**
 * Offset of a JSON pointer (RFC 6901), or of the nearest existing place above it. For a list or map it is the offset of
 * its key, because the content begins on another line.
 */
export function offsetOf(document: Document.Parsed, pointer: string, of: 'key' | 'value'): number {
  let node: ParsedNode | null = document.contents;
  let key: ParsedNode | undefined;
  for (const step of pointer.split('/').slice(1)) {
    const found = child(document, node, step.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (found === undefined) return startOf(key ?? node);
    ({ key, node } = found);
  }
  const atKey = of === 'key' || node === null || isCollection(node) || node.range[0] === node.range[1];
  return startOf(atKey ? (key ?? node) : node);
}

const startOf = (node: ParsedNode | null): number => node?.range[0] ?? 0;

interface Child {
  readonly key: ParsedNode | undefined;
  readonly node: ParsedNode | null;
}

function child(document: Document.Parsed, parent: ParsedNode | null, step: string): Child | undefined {
  const held = isAlias(parent) ? parent.resolve(document) : parent;
  if (isMap<ParsedNode, ParsedNode | null>(held)) {
    const pair = held.items.find(({ key }) => isScalar(key) && key.value === step);
    return pair && { key: pair.key, node: pair.value };
  }
  if (isSeq<ParsedNode>(held)) {
    const node = /^\d+$/.test(step) ? held.items[Number(step)] : undefined;
    return node && { key: undefined, node };
  }
  return undefined;
}
