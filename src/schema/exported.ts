// Converts an observed external object to the spec that declares it. PURE.
import type { FieldTable, Have } from '../core/planning/diff.ts';
import { canonical } from '../core/hash.ts';
import type { Json } from '../core/secret.ts';
import { spanText } from '../core/text/value.ts';

type Tree = { [name: string]: Json | Tree };

/**
 * The spec that declares the observed fields, without those that are empty or have the value `unset`.
 * @param written how a spec writes a field, if a service writes it differently
 */
export function specOf<P extends string>(
  fields: FieldTable<P>,
  have: Have<P>,
  written: { readonly [Q in P]?: (held: Json) => Json } = {},
): Readonly<Record<string, Json>> {
  const spec: Tree = {};
  // oxlint-disable-next-line no-unsafe-type-assertion -- Object.entries forgets the keys of a record that has no others
  for (const [path, held] of Object.entries<Json | undefined>(have) as [P, Json | undefined][]) {
    if (held === undefined || isEmpty(held) || canonical(held) === canonical(fields[path].unset)) continue;
    put(spec, path.slice(1).split('/'), written[path]?.(held) ?? held);
  }
  return spec;
}

function isEmpty(held: Json): boolean {
  if (held === null || held === '') return true;
  return typeof held === 'object' && Object.keys(held).length === 0;
}

function put(tree: Tree, [name = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) tree[name] = value;
  // oxlint-disable-next-line no-unsafe-type-assertion -- no field of a table is below another one
  else put((tree[name] ??= {}) as Tree, rest, value);
}

/** Seconds as a duration, as manifests write it. */
export const durationText = (seconds: Json): Json =>
  typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0 ? spanText(seconds) : seconds;

/** For a field whose value can't be read: a reference to a Secret that a person must create. */
export const placeholder = (name: string, key: string) => ({ name, key });
