// What a request to an engine gives, read as leniently as the real services do: numbers and flags may be strings,
// durations are seconds or `1h30m`. Values never appear in an error: they may be secrets.
import { parseBoolean, parseDurationMs } from '../query.ts';
import { mistake } from './replies.ts';

const textLengthMax = 64 * 1024;
const listLengthMax = 1_000;
const fieldLengthShown = 100;

export class Given {
  readonly #fields: ReadonlyMap<string, unknown>;

  /** @throws Refusal 400 unless it is an object */
  constructor(body: unknown) {
    if (body === null || typeof body !== 'object' || Array.isArray(body)) {
      throw mistake('failed to parse JSON input: expected an object');
    }
    this.#fields = new Map(Object.entries(body).filter(([, value]) => value !== null));
  }

  /** null counts as left out. */
  has(name: string): boolean {
    return this.#fields.has(name);
  }

  text(name: string): string | undefined {
    const value = this.#fields.get(name);
    if (value === undefined) return undefined;
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string') throw wrong(name, 'a string');
    if (text.length > textLengthMax) throw wrong(name, `at most ${textLengthMax} characters`);
    return text;
  }

  flag(name: string): boolean | undefined {
    const value = this.#fields.get(name);
    if (value === undefined || typeof value === 'boolean') return value;
    const flag = typeof value === 'string' ? parseBoolean(value) : undefined;
    if (flag === undefined) throw wrong(name, 'a boolean');
    return flag;
  }

  /** A whole number of at least 0. */
  count(name: string): number | undefined {
    const value = this.#fields.get(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
      throw wrong(name, 'a whole number of at least 0');
    }
    return number;
  }

  /** Whole seconds of a number, `90` or `1m30s`. */
  seconds(name: string): number | undefined {
    const value = this.#fields.get(name);
    if (value === undefined) return undefined;
    const seconds = typeof value === 'number' ? value : secondsOf(value);
    if (seconds === undefined || !Number.isSafeInteger(Math.trunc(seconds)) || seconds < 0) {
      throw wrong(name, 'a duration of at least 0');
    }
    return Math.trunc(seconds);
  }

  texts(name: string): readonly string[] {
    const value = this.#fields.get(name) ?? [];
    const list: unknown[] | undefined = Array.isArray(value) ? value : undefined;
    if (!list?.every((one) => typeof one === 'string')) throw wrong(name, 'a list of strings');
    if (list.length > listLengthMax) throw wrong(name, `at most ${listLengthMax} entries`);
    return list;
  }
}

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
    `Field validation failed: error converting input for field ${JSON.stringify(name.slice(0, fieldLengthShown))}: expected ${expected}`,
  );
