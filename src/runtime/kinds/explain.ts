// Explains the fields of a kind by its schema, for `holdfast explain` and JSON Schemas.
import type { Field } from '../../core/planning/diff.ts';
import { isJsonMap } from '../../core/json.ts';
import type { Json } from '../../core/secret.ts';
import { crd } from '../../schema/crd/crd.ts';
import { rulesOf } from '../../schema/cel.ts';
import { isSchema, type Schema } from '../../schema/crd/lower.ts';
import type { ReferenceRule } from '../../schema/references.ts';
import { declarationOf } from './lookup.ts';

export interface Explained {
  readonly kind: string;
  /** Names from the root of the document; `*` stands for every key, and items of lists have no step. */
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** How a change of the field takes effect. Absent: the fields below say so, or a change has no effect outside. */
  readonly field?: Field;
  readonly refersTo?: ReferenceRule;
  readonly rules: readonly string[];
  /** The fields below this one, in the order of the schema. */
  readonly fields: readonly Explained[];
}

export function explained(kind: string): Explained | undefined {
  const declaration = declarationOf.get(kind);
  return declaration && within(kind, [], objectSchemaOf(kind), true, undefined);
}

/** The schema of a kind's documents, as the API server has it. @throws Error for an unknown kind */
export function objectSchemaOf(kind: string): Schema {
  const declaration = declarationOf.get(kind);
  const { spec } = declaration ? crd(declaration) : {};
  const [served] = isSchema(spec) && Array.isArray(spec['versions']) ? spec['versions'] : [];
  const schema = at(at(served, 'schema'), 'openAPIV3Schema');
  if (isSchema(schema)) return schema;
  throw new Error(`${kind} has no schema`);
}

const at = (value: Json | undefined, name: string): Json | undefined =>
  isJsonMap(value) ? value[name] : undefined;

function within(
  kind: string,
  path: readonly string[],
  schema: Schema,
  isRequired: boolean,
  /** Of the enclosing field. */
  around: Field | undefined,
): Explained {
  const declaration = declarationOf.get(kind);
  const pointer = `/${path.slice(1).join('/')}`;
  const isInSpec = path[0] === 'spec';
  const field = (isInSpec ? declaration?.fields[pointer] : undefined) ?? around;
  const refersTo = isInSpec ? declaration?.references.find((one) => one.field === pointer) : undefined;
  const dotted = `.${path.slice(1).join('.')}`;
  const rules =
    isInSpec && declaration ? rulesOf(declaration).filter(({ fieldPath = '.' }) => fieldPath === dotted) : [];
  const items = at(schema, 'items');
  const holder = isSchema(items) ? items : schema;
  const [properties, others] = [at(holder, 'properties'), at(holder, 'additionalProperties')];
  const required = at(holder, 'required');
  const fields = Object.entries(isJsonMap(properties) ? properties : {}).flatMap(([name, held]) =>
    isSchema(held)
      ? [within(kind, [...path, name], held, Array.isArray(required) && required.includes(name), field)]
      : [],
  );
  return {
    kind,
    path,
    schema,
    isRequired,
    ...(field && { field }),
    ...(refersTo && { refersTo }),
    rules: rules.map(({ message }) => message),
    fields: isSchema(others) ? [...fields, within(kind, [...path, '*'], others, false, field)] : fields,
  };
}
