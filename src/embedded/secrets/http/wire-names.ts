// Translates names of fields and values between the dialect and the neutral names, by the client's table.
import type { SecretsDialect } from '../../../api/dialects.ts';

export const wireField = (dialect: SecretsDialect, name: string): string =>
  (Object.hasOwn(dialect.fields, name) ? dialect.fields[name] : undefined) ?? name;

export function wireValue(dialect: SecretsDialect, field: string, neutral: string): string {
  const values = Object.hasOwn(dialect.values, field) ? dialect.values[field] : undefined;
  return (values && Object.hasOwn(values, neutral) ? values[neutral] : undefined) ?? neutral;
}

/** `undefined` for a neutral value that this dialect renames. */
export function neutralValue(dialect: SecretsDialect, field: string, wire: string): string | undefined {
  const values = (Object.hasOwn(dialect.values, field) ? dialect.values[field] : undefined) ?? {};
  const [neutral] = Object.entries(values).find(([, named]) => named === wire) ?? [];
  return neutral ?? (Object.hasOwn(values, wire) ? undefined : wire);
}

/** `undefined` for a neutral field that this dialect renames. */
export function neutralField({ fields }: SecretsDialect, wire: string): string | undefined {
  const [neutral] = Object.entries(fields).find(([, named]) => named === wire) ?? [];
  return neutral ?? (Object.hasOwn(fields, wire) ? undefined : wire);
}
