// Makes JSON Schemas of the kinds, for editors. They hold what the API server checks, in draft-07, which
// yaml-language-server reads. CEL rules can't be expressed; `holdfast validate` checks them.
import type { Json } from '../../core/secret.ts';
import { isSchema, type Schema } from '../../schema/crd/lower.ts';
import { objectSchemaOf } from './explain.ts';
import { apiVersion, kinds } from './lookup.ts';

const draft = 'http://json-schema.org/draft-07/schema#';

/** File name → text: one file per kind, and one for manifests with several kinds. */
export function jsonSchemaFiles(): ReadonlyMap<string, string> {
  const all = [...kinds.keys()];
  const either = { $schema: draft, oneOf: [...all.map((kind) => ({ $ref: fileOf(kind) })), beside] };
  const files: readonly (readonly [string, Json])[] = [
    ...all.map((kind) => [fileOf(kind), jsonSchemaOf(kind)] as const),
    ['holdfast.json', either],
  ];
  return new Map(files.map(([name, schema]) => [name, `${JSON.stringify(schema, undefined, 2)}\n`]));
}

/** What stands beside objects in a directory, and is checked by `validate` alone. */
const beside = { properties: { kind: { enum: ['Installation', 'Secret', 'List'] } }, required: ['kind'] };

const fileOf = (kind: string): string => `${kind.toLowerCase()}.json`;

export function jsonSchemaOf(kind: string): Schema {
  const { description = '', properties } = objectSchemaOf(kind);
  const { spec } = isSchema(properties) ? properties : {};
  return {
    $schema: draft,
    title: kind,
    description,
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: kind },
      metadata: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      spec: isSchema(spec) ? closed(spec) : {},
      status: {
        type: 'object',
        description: 'Written by Holdfast. In a manifest that a person writes, it is refused.',
      },
    },
    additionalProperties: false,
  };
}

/** Drops what only the API server understands, and rejects undeclared fields, as the API server does. */
function closed(schema: Schema): Schema {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const kept = Object.entries(schema).filter(([name]) => !name.startsWith('x-') && name !== 'format');
  const within = kept.map(([name, value]) => [name, name === 'properties' ? each(value) : below(value)]);
  const isObject = isSchema(schema['properties']) && schema['additionalProperties'] === undefined;
  return { ...Object.fromEntries(within), ...(isObject && !isOpen && { additionalProperties: false }) };
}

const below = (value: Json): Json => {
  if (typeof value === 'string') return value.replaceAll(String.raw`\P{Cc}`, anyButControl);
  return isSchema(value) ? closed(value) : value;
};

/** An equal pattern for checkers that do not read patterns as Unicode. */
const anyButControl = String.raw`[^\u0000-\u001f\u007f-\u009f]`;

const each = (properties: Json): Json =>
  isSchema(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, below(schema)]))
    : properties;
