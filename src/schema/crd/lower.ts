// Converts a zod schema to the structural subset of OpenAPI that a CustomResourceDefinition allows. Anything
// unsupported, unbounded or undescribed is an error, so that nothing is lost unnoticed.
import * as z from 'zod';
import type { Json } from '../../core/secret.ts';

export type Schema = Readonly<Record<string, Json>>;

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
export const isSchema = (value: Json | undefined): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** @throws Error that names the place and the obstacle */
export function lower(schema: z.ZodType, root: string): Schema {
  const open: Json = JSON.parse(
    JSON.stringify(
      z.toJSONSchema(schema, {
        target: 'openapi-3.0',
        io: 'input',
        unrepresentable: 'throw',
        override: ({ zodSchema, path }) => refuseSilentLoss(zodSchema, [root, ...path].join('/')),
      }),
    ),
  );
  if (!isSchema(open)) throw new Error(`${root}: not a schema`);
  return lowered(open, root);
}

/** zod silently omits these from a JSON Schema. Maps are exempt: they repeat their check for the CRD. */
function refuseSilentLoss({ _zod: { def } }: z.core.$ZodTypes, at: string): void {
  if (def.type === 'pipe' || def.type === 'transform') throw new Error(`${at}: a transform can't be carried`);
  const refined = def.checks?.some(({ _zod: check }) => check.def.check === 'custom') ?? false;
  if (refined && def.type !== 'record' && def.type !== 'any') {
    throw new Error(`${at}: a refinement can't be carried; make it a CEL rule`);
  }
}

const kept = new Set([
  'type',
  'description',
  'enum',
  'required',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'format',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
]);

function lowered(node: Schema, at: string): Schema {
  if (node['description'] === undefined) throw new Error(`${at}: no description`);
  if (node['x-kubernetes-int-or-string'] === true) return intOrString(node, at);
  if (node['x-kubernetes-preserve-unknown-fields'] === true) return node;
  const out: Record<string, Json> = {};
  for (const [key, held] of Object.entries(node)) {
    if (kept.has(key)) out[key] = held;
    else if (key === 'properties' && isSchema(held)) out[key] = each(held, at);
    else if (key === 'items' && isSchema(held)) out[key] = lowered(held, `${at}/*`);
    else if (key === 'additionalProperties' && isSchema(held)) out[key] = lowered(held, `${at}/*`);
    // Structural schemas are always closed: unknown fields are pruned, or refused under strict validation.
    else if (key !== 'additionalProperties' || held !== false) {
      throw new Error(`${at}: ${key} can't be carried into a structural schema`);
    }
  }
  return bounded(out, at);
}

const each = (properties: Schema, at: string): Schema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, child]) => {
      if (!isSchema(child)) throw new Error(`${at}/${name}: not a schema`);
      return [name, lowered(child, `${at}/${name}`)];
    }),
  );

/** The bounds that each type needs. An enum needs none. */
const bounds: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['string', ['maxLength']],
  ['array', ['items', 'maxItems']],
  ['integer', ['minimum', 'maximum']],
  ['boolean', []],
  ['object', []],
]);

function bounded(out: Schema, at: string): Schema {
  const type = out['type'];
  const required = bounds.get(type);
  if (typeof type !== 'string' || !required) {
    throw new Error(`${at}: ${JSON.stringify(type)} is not a type that specs may have`);
  }
  const missing = required.find((bound) => out[bound] === undefined);
  if (missing !== undefined && out['enum'] === undefined) {
    throw new Error(`${at}: ${type} without ${missing}`);
  }
  if (out['additionalProperties'] !== undefined && out['maxProperties'] === undefined) {
    throw new Error(`${at}: map without maxProperties`);
  }
  return type === 'integer' ? { ...out, format: 'int64' } : out;
}

/** The only union in structural schemas. The bounds of each branch are placed beside it. */
function intOrString(node: Schema, at: string): Schema {
  const branches = isList(node['anyOf']) ? node['anyOf'].filter(isSchema) : [];
  const [whole, text] = ['integer', 'string'].map((type) => branches.find((b) => b['type'] === type));
  if (branches.length !== 2 || !whole || !text) throw new Error(`${at}: not an integer or a string`);
  const { type: _whole, ...range } = bounded(whole, at);
  const { type: _text, ...form } = bounded(text, at);
  const { format: _format, ...numbers } = range;
  return {
    description: node['description'] ?? '',
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    ...numbers,
    ...form,
  };
}
