// What the API server does with a CustomResourceDefinition, as far as these schemas need it: is the schema structural,
// and does it admit an object. Written from the Kubernetes documentation, not from src/schema, so that both can be compared.
import { compile } from '../../src/schema/cel.ts';
import type { Rule } from '../../src/schema/declaration.ts';

export type Node = Readonly<Record<string, unknown>>;
export const isNode = (value: unknown): value is Node =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

type Step = string | number;

function valueAt(root: unknown, path: readonly Step[]): unknown {
  return path.reduce(
    (node: unknown, step) =>
      Array.isArray(node) ? (node[Number(step)] as unknown) : isNode(node) ? node[step] : undefined,
    root,
  );
}

/** Walks by keys and positions; fails where there is nothing. */
export function at(root: unknown, ...path: readonly Step[]): Node {
  const node = valueAt(root, path);
  if (!isNode(node)) throw new Error(`nothing at ${path.join('.')}`);
  return node;
}

export function listAt(root: unknown, ...path: readonly Step[]): readonly Node[] {
  const list = valueAt(root, path);
  if (!Array.isArray(list)) throw new Error(`no list at ${path.join('.')}`);
  return list.filter(isNode);
}

const intOrString = 'x-kubernetes-int-or-string';
const preserve = 'x-kubernetes-preserve-unknown-fields';
const validations = 'x-kubernetes-validations';

const allowed = new Set([
  'type',
  'nullable',
  'format',
  'description',
  'enum',
  'required',
  'pattern',
  'properties',
  'additionalProperties',
  'items',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'anyOf',
  'default',
  intOrString,
  preserve,
  validations,
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
]);

/** Children with their paths. */
function* childrenOf(node: Node, place: string): Generator<readonly [string, Node]> {
  const { properties, items, additionalProperties } = node;
  if (isNode(properties))
    for (const [key, child] of Object.entries(properties))
      if (isNode(child)) yield [`${place}.${key}`, child];
  if (isNode(items)) yield [`${place}[]`, items];
  if (isNode(additionalProperties)) yield [`${place}{}`, additionalProperties];
}

/** What keeps a schema from being structural and bounded (kubernetes.io: "Specifying a structural schema"). */
export function structuralFaults(node: Node, place = ''): readonly string[] {
  const faults: string[] = [];
  const fault = (text: string): void => void faults.push(`${place}: ${text}`);
  for (const key of Object.keys(node)) if (!allowed.has(key)) fault(`${key} is not allowed`);
  // Null is dropped where it is not allowed; elsewhere a parser refuses it.
  if ((node['nullable'] === true) !== (node[preserve] === true)) fault('nullable goes with any value, only');
  const free = node[intOrString] === true || node[preserve] === true;
  if (node['type'] === undefined && !free) fault('no type');
  if (node[intOrString] === true && node['type'] !== undefined) fault('int-or-string with a type');
  if (
    node['anyOf'] !== undefined &&
    JSON.stringify(node['anyOf']) !== '[{"type":"integer"},{"type":"string"}]'
  ) {
    fault('anyOf that is not that of int-or-string');
  }
  if (node['properties'] !== undefined && node['additionalProperties'] !== undefined)
    fault('properties and a map');
  if (typeof node['additionalProperties'] === 'boolean') fault('additionalProperties is not a schema');
  faults.push(...boundFaults(node).map((text) => `${place}: ${text}`));
  const required = Array.isArray(node['required']) ? node['required'] : [];
  for (const key of required)
    if (!isNode(node['properties']) || !(String(key) in node['properties'])) fault(`requires ${key}`);
  for (const [path, child] of childrenOf(node, place)) faults.push(...structuralFaults(child, path));
  return faults;
}

function boundFaults(node: Node): readonly string[] {
  const faults: string[] = [];
  const has = (key: string): boolean => node[key] !== undefined;
  const bound = has('maxLength') || has('enum') || node['format'] === 'date-time';
  if (node['type'] === 'string' && !bound) faults.push('text without a bound');
  if (node['type'] === 'array' && !(has('maxItems') && has('items'))) faults.push('list without a bound');
  if (has('additionalProperties') && !has('maxProperties')) faults.push('map without a bound');
  if (node['type'] === 'integer' && node['format'] !== 'int64') faults.push('integer that is not int64');
  if (has('pattern') && /\(\?|\\[1-9]/.test(String(node['pattern'])))
    faults.push('pattern that RE2 does not know');
  if (node['x-kubernetes-list-type'] === 'map' && !has('x-kubernetes-list-map-keys'))
    faults.push('list map without keys');
  return faults;
}

/** Every described place of a schema without a description. */
export function undescribed(node: Node, place = ''): readonly string[] {
  const own = typeof node['description'] === 'string' && node['description'].length > 3 ? [] : [place];
  return [...own, ...[...childrenOf(node, place)].flatMap(([path, child]) => undescribed(child, path))];
}

/** Whether a strict API server would take this object: shape, unknown fields, and rules at every level. */
export function admits(node: Node, value: unknown, old?: unknown): boolean {
  return fits(node, value) && keepsRules(node, value, old);
}

/** Elements and entries, each with the schema that it has to fit: none for an unknown field. */
function partsOf(node: Node, value: unknown): readonly (readonly [Node | undefined, unknown])[] {
  const { items, properties, additionalProperties } = node;
  if (Array.isArray(value)) return value.map((held: unknown) => [isNode(items) ? items : undefined, held]);
  if (!isNode(value)) return [];
  return Object.entries(value).map(([key, held]) => {
    if (isNode(additionalProperties)) return [additionalProperties, held];
    const child = isNode(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return [isNode(child) ? child : undefined, held];
  });
}

function fits(node: Node, value: unknown): boolean {
  const type = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  const typed = node[intOrString] === true ? ['integer', 'string'].includes(type) : type === node['type'];
  return (
    value !== null &&
    typed &&
    keepsBounds(node, value) &&
    partsOf(node, value).every(([child, held]) => child !== undefined && fits(child, held))
  );
}

function keepsBounds(node: Node, value: unknown): boolean {
  const number = (key: string, otherwise: number): number => Number(node[key] ?? otherwise);
  const within = (size: number, what: string): boolean =>
    size >= number(`min${what}`, 0) && size <= number(`max${what}`, Infinity);
  if (Array.isArray(node['enum']) && !node['enum'].includes(value)) return false;
  if (typeof value === 'number') {
    return value >= number('minimum', -Infinity) && value <= number('maximum', Infinity);
  }
  if (typeof value === 'string') {
    const pattern = typeof node['pattern'] === 'string' ? node['pattern'] : '';
    return within(Array.from(value).length, 'Length') && new RegExp(pattern, 'u').test(value);
  }
  if (Array.isArray(value)) return within(value.length, 'Items');
  if (!isNode(value)) return true;
  const required = Array.isArray(node['required']) ? node['required'] : [];
  return (
    within(Object.keys(value).length, 'Properties') &&
    required.every((key) => Object.hasOwn(value, String(key)))
  );
}

const isRule = (value: unknown): value is Rule => isNode(value) && typeof value['rule'] === 'string';

/** `oldSelf` exists at the top and in the spec only: none of these schemas has a transition rule further down. */
function keepsRules(node: Node, value: unknown, old?: unknown): boolean {
  const rules = Array.isArray(node[validations]) ? node[validations].filter(isRule) : [];
  return (
    compile(rules)(value, old).length === 0 &&
    partsOf(node, value).every(
      ([child, held]) =>
        child !== undefined &&
        keepsRules(
          child,
          held,
          isNode(value) && isNode(old) && held === value['spec'] ? old['spec'] : undefined,
        ),
    )
  );
}
