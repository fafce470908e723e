// The CustomResourceDefinition of a declaration: the parser's shape and rules, for the API server.
import type { Json } from '../core/secret.ts';
import { fieldsRead, rulesOf } from './cel.ts';
import { group, version, type Column, type Declaration, type Rule } from './declaration.ts';
import { isSchema, lower, type Schema } from './lower.ts';
import { status } from './status.ts';

const ready = `.status.conditions[?(@.type=="Ready")]`;
const commonColumns: readonly Column[] = [
  { name: 'Ready', type: 'string', jsonPath: `${ready}.status` },
  { name: 'Reason', type: 'string', jsonPath: `${ready}.reason` },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/** @throws Error if a CustomResourceDefinition can't express the declaration */
export function crd(declaration: Declaration): Schema {
  const { kind, plural, shortNames, scope, description } = declaration;
  const names = { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() };
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
          additionalPrinterColumns: [...declaration.columns, ...commonColumns].map((column) => ({
            ...column,
          })),
          schema: { openAPIV3Schema: objectSchema(description, specSchema(declaration)) },
        },
      ],
    },
  };
}

export const crdName = ({ plural }: Pick<Declaration, 'plural'>): string => `${plural}.${group}`;

const objectSchema = (description: string, spec: Schema): Schema => ({
  type: 'object',
  description,
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec,
    status,
  },
  'x-kubernetes-validations': [
    // References and directories need names that are DNS labels; Kubernetes alone would allow more.
    {
      rule: "self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",
      message: 'metadata.name: expected a DNS label of up to 63 characters',
    },
  ],
});

function specSchema(declaration: Declaration): Schema {
  const schema = lower(declaration.spec, '/spec');
  const rules = rulesOf(declaration);
  for (const rule of rules) mustFit(rule, schema);
  return { ...schema, 'x-kubernetes-validations': rules.map((rule): Json => ({ ...rule })) };
}

/** In rules, Kubernetes writes these names as `__name__`; other evaluators don't. Rules must not use them. */
const reserved = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true'.split(
    ' ',
  ),
);

/** The API server compiles rules against the schema, and refuses a definition whose rules name unknown fields. */
function mustFit({ rule, fieldPath }: Rule, schema: Schema): void {
  const paths = fieldsRead(rule);
  for (const path of fieldPath === undefined ? paths : [...paths, fieldPath.split('.').slice(1)]) {
    let at: Schema = schema;
    for (const name of path) {
      const properties = at['properties'];
      const next = isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!isSchema(next)) throw new Error(`rule ${rule}: there is no field ${path.join('.')}`);
      if (reserved.has(name)) throw new Error(`rule ${rule}: ${name} is a reserved word`);
      at = next;
    }
  }
}
