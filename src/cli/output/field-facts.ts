// Facts about a field, for `holdfast explain` and the reference.
import type { Field } from '../../core/planning/diff.ts';
import type { Json } from '../../core/secret.ts';
import type { Explained } from '../../runtime/kinds/explain.ts';

/** The type in kubectl's notation. */
export function typeOf(schema: Explained['schema']): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any';
  if (type === 'array') return `[]${typeOf(schemaIn(schema['items']))}`;
  if (type !== 'object' || schema['additionalProperties'] === undefined) return type;
  return `map of ${typeOf(schemaIn(schema['additionalProperties']))}`;
}

const schemaIn = (value: Json | undefined): Explained['schema'] =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};

/** The default that the description states. Schemas have no defaults: nothing is written into declared objects. */
export function defaultOf({ schema }: Explained): string | undefined {
  const text = typeof schema['description'] === 'string' ? schema['description'] : '';
  return /\bDefault: (.+?)\.(?=\s|$)/.exec(text)?.[1];
}

export const valuesOf = (schema: Explained['schema']): string | undefined => {
  const values = schema['enum'] ?? schemaIn(schema['items'])['enum'];
  return Array.isArray(values) ? values.join(', ') : undefined;
};

/** Longer patterns are not shown. */
const patternMax = 60;

const limitNames = {
  minimum: 'at least',
  maximum: 'at most',
  maxLength: 'characters: at most',
  minItems: 'items: at least',
  maxItems: 'items: at most',
  maxProperties: 'entries: at most',
  pattern: 'form:',
} as const;

export function limitsOf(schema: Explained['schema']): string | undefined {
  const isSaidInWords = schema['enum'] !== undefined || schema['x-kubernetes-int-or-string'] === true;
  if (isSaidInWords) return undefined;
  const limits = Object.entries(limitNames).flatMap(([name, text]) => {
    const limit = schema[name];
    if (typeof limit === 'number') return limit === Number.MAX_SAFE_INTEGER ? [] : [`${text} ${limit}`];
    return typeof limit === 'string' && limit.length <= patternMax ? [`${text} ${limit}`] : [];
  });
  return limits.length === 0 ? undefined : limits.join('; ');
}

const changes = {
  'in-place': 'is made in place',
  replace: 'needs a replacement: replacePolicy decides whether there may be one',
  identity: 'is refused: it identifies the external object; declare another object instead',
  creation: 'has no effect: it is read only when the external object is created',
} as const satisfies Record<Field['change'], string>;

export function changeOf(field: Field | undefined): string | undefined {
  if (!field) return undefined;
  const unread = field.unreadable === 'always' ? '; the service never shows it, so drift is not seen' : '';
  const atLeast = field.compare === 'at-least' ? '; more than is declared counts as in sync' : '';
  return changes[field.change] + unread + atLeast;
}

export function refersTo({ refersTo: to }: Explained): string | undefined {
  if (!to) return undefined;
  return to.to === 'object' ? `a ${to.kind}` : 'an entry of a Secret';
}
