// Reads untrusted JSON field by field, as Go's decoder does: null counts as absent, and the case of names is ignored
// unless `isExact` is set. Errors name the place and the expected and actual type. They never quote a value, which may
// be a secret.
import { Refusal } from './server.ts';

export const limits = { stringLength: 4_096, listLength: 1_000, mapSize: 256 } as const;
const keyLengthShown = 100;

export class Fields {
  readonly #at: string;
  /** Name, in lower case unless names are exact → the name as sent, and the value. */
  readonly #given: ReadonlyMap<string, readonly [string, unknown]>;
  readonly #asked = new Map<string, string>();
  readonly #isExact: boolean;

  /** @param isExact names are case-sensitive. @throws Refusal 400 unless `value` is an object */
  constructor(value: unknown, at: string, isExact = false) {
    if (!isObject(value)) throw wrong(at, 'an object', value);
    this.#at = at;
    this.#isExact = isExact;
    this.#given = new Map(Object.entries(value).map((entry) => [this.#keyOf(entry[0]), entry]));
  }

  #keyOf(name: string): string {
    return this.#isExact ? name : name.toLowerCase();
  }

  has(name: string): boolean {
    return this.#take(name) !== undefined;
  }

  text(name: string, otherwise?: string): string {
    return textIn(this.#take(name) ?? otherwise, this.place(name));
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const value = this.text(name, otherwise);
    const found = allowed.find((one) => one === value);
    if (found === undefined) throw wrong(this.place(name), `one of ${allowed.join(', ')}`, value);
    return found;
  }

  /** A whole number of at least 0. */
  count(name: string, otherwise?: number): number {
    const value = this.#take(name) ?? otherwise;
    if (!Number.isSafeInteger(value) || Number(value) < 0) {
      throw wrong(this.place(name), 'a whole number of at least 0', value);
    }
    return Number(value);
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.#take(name) ?? otherwise;
    if (typeof value !== 'boolean') throw wrong(this.place(name), 'true or false', value);
    return value;
  }

  list<T>(name: string, each: (value: unknown, at: string) => T): readonly T[] {
    const value = this.#take(name) ?? [];
    const at = this.place(name);
    if (!Array.isArray(value)) throw wrong(at, 'a list', value);
    if (value.length > limits.listLength) {
      throw new Refusal(400, `${at}: more than ${limits.listLength} entries`);
    }
    return value.map((one: unknown, i) => each(one, `${at}[${i}]`));
  }

  texts(name: string): readonly string[] {
    return this.list(name, textIn);
  }

  textMap(name: string): Readonly<Record<string, string>> {
    const value = this.#take(name);
    return value === undefined ? {} : textMap(value, this.place(name));
  }

  /** A map with keys that the user chose. */
  map<T>(name: string, each: (value: unknown, at: string) => T): Readonly<Record<string, T>> {
    const value = this.#take(name);
    return value === undefined ? {} : mapped(value, this.place(name), each);
  }

  object(name: string): Fields | undefined {
    const value = this.#take(name);
    return value === undefined ? undefined : new Fields(value, this.place(name), this.#isExact);
  }

  /** For setup and seed input, where an unknown field is a typo. @throws Refusal 400 for a field that was not read */
  done(): void {
    for (const [key, [written]] of this.#given) {
      if (this.#asked.has(key)) continue;
      const known = [...this.#asked.values()].join(', ');
      throw new Refusal(400, `${this.place(written)}: unknown field; known: ${known}`);
    }
  }

  /** The path of a field, with its name as sent. */
  place(name: string): string {
    const [written] = this.#given.get(this.#keyOf(name)) ?? [name];
    return below(this.#at, written);
  }

  #take(name: string): unknown {
    const key = this.#keyOf(name);
    this.#asked.set(key, name);
    return this.#given.get(key)?.[1] ?? undefined;
  }
}

function textIn(value: unknown, at: string): string {
  if (typeof value !== 'string') throw wrong(at, 'a string', value);
  if (value.length <= limits.stringLength) return value;
  throw new Refusal(400, `${at}: longer than ${limits.stringLength} characters`);
}

export const textMap = (value: unknown, at: string): Readonly<Record<string, string>> =>
  mapped(value, at, textIn, 'a map of strings');

function mapped<T>(
  value: unknown,
  at: string,
  each: (value: unknown, at: string) => T,
  expected = 'a map',
): Readonly<Record<string, T>> {
  if (!isObject(value)) throw wrong(at, expected, value);
  const entries = Object.entries(value);
  if (entries.length > limits.mapSize) throw new Refusal(400, `${at}: more than ${limits.mapSize} entries`);
  return Object.fromEntries(entries.map(([key, held]) => [key, each(held, below(at, key))]));
}

const below = (at: string, key: string): string =>
  at === '' ? key.slice(0, keyLengthShown) : `${at}.${key.slice(0, keyLengthShown)}`;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const wrong = (at: string, expected: string, value: unknown): Refusal =>
  new Refusal(400, `${at === '' ? 'body' : at}: expected ${expected}, got ${kindOf(value)}`);

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
