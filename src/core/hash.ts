// Short, stable IDs derived from values. FNV-1a with 64 bits is no cryptographic hash, so it is never used for secrets.
import type { Json } from './secret.ts';

export function canonical(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join()}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).toSorted()) {
    if (value[key] !== undefined) members.push(`${JSON.stringify(key)}:${canonical(value[key])}`);
  }
  return `{${members.join()}}`;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const prime = 0x1b3; // the prime's high part, 2 ** 40, is added in the loop
const word = 2 ** 32;

/** A hash of eight characters [0-9a-z], about 41 bits. */
export function shortHash(value: Json): string {
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (const byte of new TextEncoder().encode(canonical(value))) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * prime;
    high = (high * prime + Math.floor(product / word) + ((mixed << 8) >>> 0)) % word;
    low = product % word;
  }
  const hash = (BigInt(high) << 32n) | BigInt(low);
  return hash.toString(36).padStart(13, '0').slice(-8);
}
