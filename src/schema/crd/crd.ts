// The CustomResourceDefinition of a declaration: the parser's shape and rules, for the API server.
import type { Json } from '../../core/secret.ts';
import { fieldsRead, objectRulesOf, rulesOf } from '../cel.ts';
import { group, version, type Column, type Declaration, type Rule } from '../declaration.ts';
import { isSchema, lower, type Schema } from './lower.ts';
import { statusOf } from './status.ts';

const condition = (type: string, field: string): string =>
  `.status.conditions[?(@.type=="${type}")].${field}`;

const ready: Column = { name: 'Ready', type: 'string', jsonPath: condition('Ready', 'status') };
const synced: Column = { name: 'Synced', type: 'string', jsonPath: condition('Synced', 'status') };
const drift: Column = { name: 'Drift', type: 'string', jsonPath: '.status.drift.summary' };
const reason: Column = {
  name: 'Reason',
  type: 'string',
  jsonPath: condition('Ready', 'reason'),
  priority: 1,
};
const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Fields for `kubectl get --field-selector`, in kinds that have them. */
const selectable = [['connectionRef', 'name'], ['configRef', 'name'], ['pluginID']];

/** @throws Error if a CustomResourceDefinition can't express the declaration */
export function crd(declaration: Declaration): Schema {
  const { kind, plural, shortNames, scope } = declaration;
  const names = { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() };
  const spec = specSchema(declaration);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(declaration) },
    spec: {
      group,
      scope,
      names: { ...names, shortNames: [...shortNames], categories: ['holdfast'] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          ...selectableFields(spec),
          additionalPrinterColumns: columnsOf(declaration, spec).map((column) => ({ ...column })),
          schema: { openAPIV3Schema: objectSchema(declaration, spec) },
        },
      ],
    },
  };
}

/** Only kinds with a drift policy show drift; connections have none. */
const columnsOf = ({ columns }: Declaration, spec: Schema): readonly Column[] => [
  ready,
  synced,
  ...(fieldAt(spec, ['drift']) ? [drift] : []),
  ...columns,
  reason,
  age,
];

function selectableFields(spec: Schema): Schema {
  const paths = selectable.filter((path) => fieldAt(spec, path)?.['type'] === 'string');
  if (paths.length === 0) return {};
  return { selectableFields: paths.map((path) => ({ jsonPath: ['.spec', ...path].join('.') })) };
}

export const crdName = ({ plural }: Pick<Declaration, 'plural'>): string => `${plural}.${group}`;

function objectSchema(declaration: Declaration, spec: Schema): Schema {
  const { description, scope } = declaration;
  const rules = objectRulesOf(declaration);
  const named = { properties: { name: {} } };
  for (const rule of rules) mustFit(rule, { properties: { metadata: named, spec } });
  return {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec,
      status: statusOf(scope),
    },
    'x-kubernetes-validations': [
      // References and directories need names that are DNS labels. Kubernetes alone would allow more.
      {
        rule: "self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",
        message: 'metadata.name: expected a DNS label of up to 63 characters',
      },
      ...rules.map((rule): Json => ({ ...rule })),
    ],
  };
}

function specSchema(declaration: Declaration): Schema {
  const schema = lower(declaration.spec, '/spec');
  const rules = rulesOf(declaration);
  for (const rule of rules) mustFit(rule, schema);
  return { ...schema, 'x-kubernetes-validations': rules.map((rule): Json => ({ ...rule })) };
}

/** Kubernetes escapes these names in rules as `__name__`; other evaluators do not. So rules must not use them. */
const reserved = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true'.split(
    ' ',
  ),
);

/** The API server compiles rules against the schema, and refuses a definition whose rules name unknown fields. */
function mustFit({ rule, fieldPath }: Rule, schema: Schema): void {
  const paths = fieldsRead(rule);
  for (const path of fieldPath === undefined ? paths : [...paths, fieldPath.split('.').slice(1)]) {
    if (!fieldAt(schema, path)) throw new Error(`rule ${rule}: there is no field ${path.join('.')}`);
    const word = path.find((name) => reserved.has(name));
    if (word !== undefined) throw new Error(`rule ${rule}: ${word} is a reserved word`);
  }
}

function fieldAt(schema: Schema, path: readonly string[]): Schema | undefined {
  let at: Schema = schema;
  for (const name of path) {
    const properties = at['properties'];
    const next = isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isSchema(next)) return undefined;
    at = next;
  }
  return at;
}
