// Reads the fields of a request as leniently as the real services: numbers and flags may be strings, durations are
// seconds or `1h30m`. Errors never quote a value, which may be a secret.
import { parseBoolean, parseDurationMs } from '../../http/query.ts';
import { mistake } from './mistake.ts';

const textLengthMax = 64 * 1024;
const listLengthMax = 1_000;
const fieldLengthShown = 100;

export class RequestFields {
  readonly #fields: ReadonlyMap<string, unknown>;
  readonly #asked = new Set<string>();

  /** @throws Refusal 400 if the body is not an object */
  constructor(body: unknown) {
    if (body === null || typeof body !== 'object' || Array.isArray(body)) {
      throw mistake('failed to decode JSON input: expected an object');
    }
    this.#fields = new Map(Object.entries(body).filter(([, value]) => value !== null));
  }

  /** Whether the field is given. null counts as omitted. */
  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  /** The names of fields that were not read, sorted. */
  ignored(): readonly string[] {
    const names = [...this.#fields.keys()].filter((name) => !this.#asked.has(name));
    return names.map((name) => name.slice(0, fieldLengthShown)).toSorted();
  }

  #value(name: string): unknown {
    this.#asked.add(name);
    return this.#fields.get(name);
  }

  text(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string') throw wrong(name, 'a string');
    if (text.length > textLengthMax) throw wrong(name, `at most ${textLengthMax} characters`);
    return text;
  }

  flag(name: string): boolean | undefined {
    const value = this.#value(name);
    if (value === undefined || typeof value === 'boolean') return value;
    const flag = typeof value === 'string' ? parseBoolean(value) : undefined;
    if (flag === undefined) throw wrong(name, 'a boolean');
    return flag;
  }

  /** A whole number of at least 0. */
  count(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
      throw wrong(name, 'a whole number of at least 0');
    }
    return number;
  }

  /** Whole seconds, from a number, `90` or `1m30s`. */
  seconds(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const seconds = typeof value === 'number' ? value : secondsOf(value);
    if (seconds === undefined || !Number.isSafeInteger(Math.trunc(seconds)) || seconds < 0) {
      throw wrong(name, 'a duration of at least 0');
    }
    return Math.trunc(seconds);
  }

  /** A whole number, which may be negative. */
  integer(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    if (!Number.isSafeInteger(number)) throw wrong(name, 'a whole number');
    return Number(number);
  }

  /** As `seconds`, but possibly negative. */
  signedSeconds(name: string): number | undefined {
    const value = this.#value(name);
    const isNegative = typeof value === 'string' ? value.startsWith('-') : Number(value) < 0;
    if (!isNegative) return this.seconds(name);
    const seconds = typeof value === 'string' ? secondsOf(value.slice(1)) : -Number(value);
    if (seconds === undefined || !Number.isSafeInteger(Math.trunc(seconds))) throw wrong(name, 'a duration');
    return -Math.trunc(seconds);
  }

  list(name: string): readonly string[] | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const list = typeof value === 'string' ? value.split(',') : value;
    if (!isList(list) || !list.every((one) => isPlain(one))) throw wrong(name, 'a list of strings');
    if (list.length > listLengthMax) throw wrong(name, `at most ${listLengthMax} entries`);
    return list.map((one) => String(one).trim()).filter((one) => one !== '');
  }

  map(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (!isMap(value)) throw wrong(name, 'a map');
    if (JSON.stringify(value).length > textLengthMax)
      throw wrong(name, `at most ${textLengthMax} characters`);
    return value;
  }

  /** A map of texts: an object, or a list of `key=value`. */
  pairs(name: string): Readonly<Record<string, string>> | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const entries = isList(value) || typeof value === 'string' ? this.#assigned(name) : this.map(name);
    return Object.fromEntries(
      Object.entries(entries ?? {}).map(([key, held]) => {
        if (!isPlain(held)) throw wrong(name, 'a map of strings');
        return [key, String(held)];
      }),
    );
  }

  #assigned(name: string): Readonly<Record<string, string>> {
    const pairs = (this.list(name) ?? []).map((one): [string, string] => {
      const cut = one.indexOf('=');
      if (cut < 1) throw wrong(name, 'key=value');
      return [one.slice(0, cut).trim(), one.slice(cut + 1).trim()];
    });
    return Object.fromEntries(pairs);
  }

  texts(name: string): readonly string[] {
    const value = this.#value(name) ?? [];
    const list: unknown[] | undefined = Array.isArray(value) ? value : undefined;
    if (!list?.every((one) => typeof one === 'string')) throw wrong(name, 'a list of strings');
    if (list.length > listLengthMax) throw wrong(name, `at most ${listLengthMax} entries`);
    return list;
  }
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

function secondsOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const days = /^(\d+)d$/.exec(value)?.[1];
  if (days !== undefined) return Number(days) * 86_400;
  if (/^\d+$/.test(value)) return Number(value);
  const ms = parseDurationMs(value);
  return ms === undefined ? undefined : ms / 1_000;
}

const wrong = (name: string, expected: string) =>
  mistake(
    `error converting input for field ${JSON.stringify(name.slice(0, fieldLengthShown))}: expected ${expected}`,
  );
