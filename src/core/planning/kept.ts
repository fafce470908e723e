// Fields that stay as they were although they are declared otherwise, or no longer. PURE.
import { canonical } from '../hash.ts';
import { holdsSecret, publicOf, type Json, type Sealed } from '../secret.ts';
import type { Status } from '../status/status.ts';
import type { Applied, Field, FieldTable, Want } from './diff.ts';

/** A field that was not declared when the object was made. Kubernetes drops what is null. */
const none = '';

/** @returns the values that they keep, as far as they were written or adopted here */
export function keptOf<F extends string>(
  table: FieldTable<F>,
  want: Want<F>,
  { applied, kept = {}, externalRef }: Pick<Status<unknown>, 'applied' | 'kept' | 'externalRef'>,
): Applied {
  const wanted: Readonly<Record<string, Sealed | undefined>> = want;
  return Object.fromEntries(
    Object.entries<Field>(table).flatMap(([path, rule]) => {
      const before = kept[path] ?? applied[path] ?? (externalRef ? none : undefined);
      return before !== undefined && isKept(rule, wanted[path], before) ? [[path, before]] : [];
    }),
  );
}

function isKept(rule: Field, wanted: Sealed | undefined, before: Json): boolean {
  if (wanted === undefined) return rule.unset === undefined && before !== none;
  if (holdsSecret(wanted)) return false; // another version of it is no edit
  const desired = publicOf(wanted);
  if (rule.change === 'creation') return canonical(desired) !== canonical(before);
  const shrinks = typeof desired === 'number' && typeof before === 'number' && desired < before;
  return rule.compare === 'at-least' && shrinks;
}
