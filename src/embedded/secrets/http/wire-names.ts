// Names by dialect, from the one table that clients use too: of fields, of values, of schemas.
import type { SecretsDialect } from '../../../api/dialects.ts';

export const wireField = (dialect: SecretsDialect, name: string): string =>
  (Object.hasOwn(dialect.fields, name) ? dialect.fields[name] : undefined) ?? name;

export function wireValue(dialect: SecretsDialect, field: string, neutral: string): string {
  const values = Object.hasOwn(dialect.values, field) ? dialect.values[field] : undefined;
  return (values && Object.hasOwn(values, neutral) ? values[neutral] : undefined) ?? neutral;
}

/** `undefined` for what is no value of this dialect: a neutral one that it calls otherwise. */
export function neutralValue(dialect: SecretsDialect, field: string, wire: string): string | undefined {
  const values = (Object.hasOwn(dialect.values, field) ? dialect.values[field] : undefined) ?? {};
  const [neutral] = Object.entries(values).find(([, named]) => named === wire) ?? [];
  return neutral ?? (Object.hasOwn(values, wire) ? undefined : wire);
}

/** `undefined` for what is no field of this dialect: a neutral one that it calls otherwise. */
export function neutralField({ fields }: SecretsDialect, wire: string): string | undefined {
  const [neutral] = Object.entries(fields).find(([, named]) => named === wire) ?? [];
  return neutral ?? (Object.hasOwn(fields, wire) ? undefined : wire);
}
