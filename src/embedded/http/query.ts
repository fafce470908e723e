// Parses query values as Go's services do: numbers, booleans, durations (services.md#scheduler-requests).
import { Refusal } from './server.ts';

const unitMs = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Milliseconds of `1m30s`, `500ms`, `0`; `undefined` if Go would reject the text. */
export function parseDurationMs(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const rest = text.replace(/^[-+]/, '');
  if (rest === '0') return 0;
  if (!/^((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let sum = 0;
  for (const [, number, unit] of rest.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    sum += Number(number) * (unitMs.get(unit ?? '') ?? 0);
  }
  return sign * sum;
}

const yes = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const no = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

export const parseBoolean = (text: string): boolean | undefined =>
  yes.has(text) ? true : no.has(text) ? false : undefined;

/** A flag without a value is true. @throws the Refusal of `refuse` if the value is not a boolean */
export function flag(
  query: URLSearchParams,
  name: string,
  otherwise: boolean,
  refuse: (text: string) => Refusal,
): boolean {
  const text = query.get(name);
  if (text === null) return otherwise;
  const value = text === '' ? true : parseBoolean(text);
  if (value === undefined) throw refuse(text);
  return value;
}

export const notAPageSize = (): Refusal =>
  new Refusal(400, 'Expect a number for `per_page` query string parameter');

/** Items per page; 0: all. @throws Refusal 400 if it is not a number */
export function perPage(query: URLSearchParams): number {
  const text = query.get('per_page') ?? '';
  if (text === '') return 0;
  if (!/^-?\d{1,10}$/.test(text)) throw notAPageSize();
  return Math.max(0, Number(text));
}

const uuidHyphensMax = 4;

/**
 * The digits of a UUID prefix, without hyphens.
 * @param what starts the error, e.g. `alloc lookup failed`
 * @throws Refusal with `status` (services.md#prefixes)
 */
export function uuidPrefix(text: string, what: string, status: number): string {
  const hyphens = text.split('-').length - 1;
  const digits = text.replaceAll('-', '');
  const refuse = (problem: string) => new Refusal(status, `${what}: index error: ${problem}`);
  if (hyphens > uuidHyphensMax) {
    throw refuse(`UUID should have maximum of ${uuidHyphensMax} -; got ${hyphens}`);
  }
  if (digits.length % 2 !== 0) throw refuse('Input (without hyphens) must be even length');
  if (!/^[0-9a-f]*$/i.test(digits)) throw refuse('Invalid UUID: not hexadecimal');
  return digits.toLowerCase();
}

const uuidLength = 36;

/** @throws Refusal with `status` */
export function wholeUuid(text: string, what: string, status: number): string {
  if (text.length === uuidLength && text.split('-').length - 1 === uuidHyphensMax) return text.toLowerCase();
  throw new Refusal(status, `${what}: index error: UUID must be ${uuidLength} characters`);
}

export const hasUuidPrefix = (id: string, digits: string): boolean =>
  id.replaceAll('-', '').startsWith(digits);
