// Short, stable names from values. FNV-1a, 64 bits: for identity, never for secrets.
import type { Json } from './secret.ts';

/** JSON with sorted keys: equal values have equal texts. */
export function canonical(value: Json | undefined): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'absent';
  return (
    JSON.stringify(value, (_, held: unknown) =>
      held !== null && typeof held === 'object' && !Array.isArray(held)
        ? Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : held,
    ) ?? 'absent'
  );
}

/** Eight characters [0-9a-z] that differ when the values do. */
export function shortHash(value: Json): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(canonical(value))) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(36).padStart(13, '0').slice(-8);
}
