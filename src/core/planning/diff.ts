// Three-way comparison of the declared, the last written and the observed value of each managed field. PURE. It tells an
// edit (the declaration changed) from drift (the external object changed).
import { canonical } from '../hash.ts';
import type { FieldChange } from '../status/status.ts';
import { isSameDN } from '../text/dn.ts';
import { holdsSecret, publicOf, type Json, type Sealed } from '../secret.ts';

/**
 * How a field behaves. Each kind defines it once, in its schema.ts, for the diff, the policies, the CEL rules and the
 * reference documentation.
 */
export interface Field {
  /**
   * in-place: the service can change it. replace: only a new external object can have another value. identity: it never
   * changes. creation: it is sent with a create and not compared later.
   */
  readonly change: 'in-place' | 'replace' | 'identity' | 'creation';
  readonly compare?: 'exact' | 'set' | 'at-least' | 'dn';
  /**
   * always: the service never returns it, or redacts it, so it is compared with the last written value. So are secrets, unless
   * they are `when-absent`. when-absent: some servers don't return it.
   */
  readonly unreadable?: 'always' | 'when-absent';
  /** The value to write when the field is no longer declared. Absent: it can't be unset, and keeps its value. */
  readonly unset?: Json;
}

export type FieldTable<F extends string = string> = Readonly<Record<F, Field>>;
export type Want<F extends string> = { readonly [P in F]?: Sealed };
export type Have<F extends string> = { readonly [P in F]?: Json };
export type Applied = Readonly<Record<string, Json>>;

const asSet = (value: Json | undefined): string =>
  Array.isArray(value) ? [...new Set(value.map(canonical))].toSorted().join() : canonical(value);

/** Whether two values of a field mean the same. */
export function same(rule: Field, desired: Json | undefined, live: Json | undefined): boolean {
  switch (rule.compare ?? 'exact') {
    case 'exact':
      return alike(canonical, desired, live);
    case 'set':
      return alike(asSet, desired, live);
    case 'at-least':
      return typeof desired === 'number' && typeof live === 'number' && live >= desired;
    case 'dn':
      return alike(canonical, desired, live) || isSameDN(desired, live);
  }
}

/** Values are compared first, because comparing texts is slow. */
function alike(textOf: typeof canonical, a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  return textOf(a) === textOf(b);
}

export function publicFields<F extends string>(want: Want<F>): Applied {
  const shown: [string, Json][] = [];
  for (const [path, value] of Object.entries<Sealed | undefined>(want)) {
    if (value !== undefined) shown.push([path, publicOf(value)]);
  }
  return Object.fromEntries(shown);
}

/**
 * The fields that differ, in the order of the table.
 * @param adopting the object was never written here: unreadable fields are trusted and not overwritten
 */
export function diff<F extends string>(
  table: FieldTable<F>,
  want: Want<F>,
  have: Have<F>,
  applied: Applied,
  adopting: boolean,
): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  // oxlint-disable-next-line no-unsafe-type-assertion -- Object.entries forgets the keys of a record that has no others
  for (const [path, rule] of Object.entries<Field>(table) as [F, Field][]) {
    const change = compare(path, rule, want[path], have[path], applied[path], adopting);
    if (change) changes.push(change);
  }
  return changes;
}

function compare(
  path: string,
  rule: Field,
  wanted: Sealed | undefined,
  read: Json | undefined,
  before: Json | undefined,
  adopting: boolean,
): FieldChange | undefined {
  if (rule.change === 'creation') return undefined;
  if (wanted === undefined && (before === undefined || rule.unset === undefined)) return undefined;
  const desired = wanted === undefined ? rule.unset : publicOf(wanted);
  const blind =
    rule.unreadable === 'always' ||
    (rule.unreadable === 'when-absent' && read === undefined) ||
    (rule.unreadable === undefined && wanted !== undefined && holdsSecret(wanted));
  if (blind && adopting) return undefined;
  const live = blind ? before : read;
  if (same(rule, desired, live)) return undefined;
  // The declaration changed since it was last written: an edit. Otherwise, the external object drifted.
  const edited = !same(rule.compare === 'at-least' ? { ...rule, compare: 'exact' } : rule, desired, before);
  return {
    path,
    ...(desired !== undefined && { desired }),
    ...(live !== undefined && !blind && { live }),
    cause: edited ? 'edit' : 'drift',
  };
}
