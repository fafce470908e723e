// Conversion between a spec and the wire, for kinds that convert each field on its own. PURE.
import type { Have, Want } from '../core/planning/diff.ts';
import type { Resolved } from '../core/resource.ts';
import type { Json, Sealed } from '../core/secret.ts';

/** A managed field. `declared` and `seen` return equal values if these mean the same. */
export interface Row<P extends string, Spec, Live> {
  readonly path: P;
  /** The service's name for the field. */
  readonly field: string;
  readonly declared: (spec: Spec, resolved: Resolved) => Sealed | undefined;
  /** Absent: the service never returns it. */
  readonly seen?: (live: Live) => Json | undefined;
}

export function declaredIn<P extends string, Spec, Live>(
  rows: readonly Row<P, Spec, Live>[],
  spec: Spec,
  resolved: Resolved,
): Want<P> {
  const found: { -readonly [Q in P]?: Sealed } = {};
  for (const { path, declared } of rows) {
    const value = declared(spec, resolved);
    if (value !== undefined) found[path] = value;
  }
  return found;
}

export function seenIn<P extends string, Spec, Live>(
  rows: readonly Row<P, Spec, Live>[],
  live: Live,
): Have<P> {
  const found: { -readonly [Q in P]?: Json } = {};
  for (const { path, seen } of rows) {
    const value = seen?.(live);
    if (value !== undefined) found[path] = value;
  }
  return found;
}

const shownMax = 1_024;

/** Fields by name, for a status, without values that are too long. */
export const shownOf = (have: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(have)
      .filter(([, value]) => JSON.stringify(value).length <= shownMax)
      .map(([path, value]) => [path.slice(1), value]),
  );
