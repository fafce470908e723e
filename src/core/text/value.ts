// Values of fields for people, as manifests write them: sizes and durations with units, lists as lists, secrets by their
// source. PURE.
import { isJsonMap } from '../json.ts';
import type { Json } from '../secret.ts';

const suffixes = ['', 'K', 'M', 'G', 'T', 'P'] as const;

/** A number of bytes with the shortest exact unit: `10Gi`, `500G`. */
export function sizeText(bytes: number): string {
  const [binary, decimal] = [suffixed(bytes, 1024, 'i'), suffixed(bytes, 1000, '')];
  return decimal.length < binary.length ? decimal : binary;
}

function suffixed(bytes: number, step: number, ending: string): string {
  let [value, at] = [bytes, 0];
  while (value > 0 && value % step === 0 && at < suffixes.length - 1) [value, at] = [value / step, at + 1];
  const suffix = at === 1 && ending === '' ? 'k' : suffixes[at];
  return at === 0 ? String(value) : `${value}${suffix}${ending}`;
}

/** A number of seconds with the largest exact unit: `24h`, `90s`. A number that is no duration stays as it is. */
export function spanText(seconds: number): string {
  if (!Number.isInteger(seconds) || seconds <= 0) return String(seconds);
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

/** Services take sizes in bytes and durations in seconds, and so they are compared and stored. */
const isSize = (path: string): boolean => /\/capacity(?:\/|$)/.test(path);
const isDuration = (path: string): boolean => /\/\w*(?:Period|Timeout|TTL|Leeway|maxAge)\/?$/.test(path);

/** @param path path of the field */
export function valueText(value: Json, path: string): string {
  if (typeof value === 'number') {
    if (isSize(path)) return sizeText(value);
    return isDuration(path) ? spanText(value) : String(value);
  }
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (Array.isArray(value)) return `[${value.map((item) => valueText(item, path)).join(', ')}]`;
  if (!isJsonMap(value)) return JSON.stringify(value);
  const { $secret: source, version } = value;
  // Long versions are keyed hashes; a prefix distinguishes two versions.
  if (typeof source === 'string')
    return `secret ${source}${typeof version === 'string' && version !== '' ? ` (version ${version.slice(0, 8)})` : ''}`;
  const entries = Object.entries(value).map(([name, held]) => `${name}: ${valueText(held, path)}`);
  return `{${entries.join(', ')}}`;
}
