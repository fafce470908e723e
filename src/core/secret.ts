// A boxed secret value. Printing, logging and serialising it show its source only. It is compared by source and version,
// never by value. Only transports and output writers can open it, which lint enforces.

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A value with possibly boxed leaves, such as a request body or a desired field. Not assignable to Json. */
export type Sealed =
  | Secret
  | string
  | number
  | boolean
  | null
  | readonly Sealed[]
  | { readonly [key: string]: Sealed | undefined };

/**
 * No service takes white space for a secret: its file was cut off, its entry was never filled, or a shell wrote a variable
 * that was not set.
 */
export const isBlank = (value: string): boolean => value.trim() === '';

let open: (secret: Secret) => string;

export class Secret {
  readonly #value: string | undefined;
  readonly #why: string;
  /** Where a person changes it: `<name>/<key>`. */
  readonly source: string;
  /** Identifies the value without revealing it: a resource version or a keyed HMAC, never a plain hash. */
  readonly version: string;

  private constructor(source: string, version: string, value: string | undefined, why = '') {
    this.source = source;
    this.version = version;
    this.#value = value;
    this.#why = why;
  }

  static {
    open = (secret) => {
      if (secret.#value === undefined)
        throw new Error(`secret ${secret.source} was not loaded${secret.#why && `: ${secret.#why}`}`);
      return secret.#value;
    };
  }

  static of(source: string, version: string, value: string): Secret {
    return new Secret(source, version, value);
  }

  /**
   * A secret without its value, for `plan`: versions can be compared, but nothing can be sent.
   * @param why what a person can do about it
   */
  static unloaded(source: string, version: string, why?: string): Secret {
    return new Secret(source, version, undefined, why);
  }

  /** Why the value was not loaded. `undefined`: it was. */
  get absence(): string | undefined {
    return this.#value === undefined ? this.#why : undefined;
  }

  /**
   * Without white space at its ends, for values that never have any there: files and Secrets often end in a newline. A method,
   * because `inspect` with `getters` would follow a getter from copy to copy without end.
   */
  trimmed(): Secret {
    return new Secret(this.source, this.version, this.#value?.trim(), this.#why);
  }

  /** Without the newline at its end, for what may have other white space there. */
  withoutNewline(): Secret {
    return new Secret(this.source, this.version, this.#value?.replace(/\r?\n$/, ''), this.#why);
  }

  get isBlank(): boolean {
    return this.#value !== undefined && isBlank(this.#value);
  }

  toString(): string {
    return `(secret ${this.source})`;
  }

  toJSON(): string {
    return this.toString();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** Opens a box. Lint allows the import only in api/ and in output writers. */
export function reveal(secret: Secret): string {
  return open(secret);
}

/** Serialises a value with every box opened, for sending. Lint restricts the import like that of `reveal`. */
export function encode(body: Sealed): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, key: string, shown: unknown) {
    const held = this[key]; // toJSON has already run on `shown`
    return held instanceof Secret ? open(held) : shown;
  });
}

/** The form of a value that may be shown, compared and stored: each box becomes its source and version. */
export function publicOf(value: Sealed): Json {
  if (value instanceof Secret) return { $secret: value.source, version: value.version };
  if (isList(value)) return value.map(publicOf);
  if (value === null || typeof value !== 'object') return value;
  const shown: [string, Json][] = [];
  for (const [key, held] of Object.entries(value)) {
    if (held !== undefined) shown.push([key, publicOf(held)]);
  }
  return Object.fromEntries(shown);
}

export function holdsSecret(value: Sealed): boolean {
  if (value instanceof Secret) return true;
  if (value === null || typeof value !== 'object') return false;
  return Object.values(value).some((held: Sealed | undefined) => held !== undefined && holdsSecret(held));
}

const isList = (value: Sealed): value is readonly Sealed[] => Array.isArray(value);
