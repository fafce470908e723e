// Decodes one layer of every kind of escape in a text, and records where each byte came from. Anything that looks like
// an escape is decoded: the result serves to find secrets, not to be read. Each character is visited only a few times.

/** A text as UTF-8 bytes, one character per byte, with the range in the original text that each byte stands for. */
export interface Traced {
  readonly bytes: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

export function traced(text: string): Traced {
  const out = new Trace(Buffer.byteLength(text));
  let at = 0;
  for (const character of text) {
    out.add(Buffer.from(character), at, at + character.length);
    at += character.length;
  }
  return out.done();
}

/** @returns the same object if the text contains none of `%`, `=`, `&` and `\` */
export function unescaped(from: Traced): Traced {
  const { bytes, starts, ends } = from;
  if (!/[%=&\\]/.test(bytes)) return from;
  const out = new Trace(bytes.length);
  let at = 0;
  while (at < bytes.length) {
    const { meant, next } = escapeAt(bytes, at) ?? { meant: [bytes.charCodeAt(at)], next: at + 1 };
    out.add(meant, starts[at] ?? 0, ends[next - 1] ?? 0);
    at = next;
  }
  return out.done();
}

class Trace {
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #length = 0;

  /** @param bytesMax the input's length suffices: no escape is shorter than its decoded bytes */
  constructor(bytesMax: number) {
    this.#bytes = Buffer.alloc(bytesMax);
    this.#starts = new Uint32Array(bytesMax);
    this.#ends = new Uint32Array(bytesMax);
  }

  add(bytes: Iterable<number>, start: number, end: number): void {
    for (const byte of bytes) {
      this.#bytes[this.#length] = byte;
      this.#starts[this.#length] = start;
      this.#ends[this.#length] = end;
      this.#length += 1;
    }
  }

  done(): Traced {
    const bytes = this.#bytes.toString('latin1', 0, this.#length);
    return {
      bytes,
      starts: this.#starts.subarray(0, this.#length),
      ends: this.#ends.subarray(0, this.#length),
    };
  }
}

interface Escape {
  readonly meant: Iterable<number>;
  readonly next: number;
}

function escapeAt(bytes: string, at: number): Escape | undefined {
  switch (bytes.charAt(at)) {
    case '%':
      return matched(/%(?:u(?<point>[0-9a-f]{4})|(?<byte>[0-9a-f]{2}))/iy, bytes, at);
    case '=': // quoted-printable, and its line breaks
      return matched(/=(?:\r?\n|(?<byte>[0-9a-f]{2}))/iy, bytes, at);
    case '&':
      return matched(
        /&(?:#x0*(?<point>[0-9a-f]{1,6})|#0*(?<decimal>\d{1,7})|(?<name>[a-z]{2,8}));?/iy,
        bytes,
        at,
      );
    case '\\':
      return afterBackslashes(bytes, at);
    default:
      return undefined;
  }
}

/** A run of backslashes counts as one, whatever the depth of quoting. */
function afterBackslashes(bytes: string, from: number): Escape {
  let at = from;
  while (bytes[at] === '\\') at += 1;
  const high = /u(?<unit>[dD][89abAB][0-9a-fA-F]{2})\\/y;
  high.lastIndex = at;
  const first = high.exec(bytes)?.groups?.['unit'];
  if (first !== undefined) {
    let low = at + 5;
    while (bytes[low] === '\\') low += 1;
    const [, second] = /^u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(bytes.slice(low, low + 5)) ?? [];
    if (second !== undefined) return { meant: utf8(pointOf(first, second)), next: low + 5 };
  }
  const kinds =
    /u\{(?<braced>[0-9a-fA-F]{1,6})\}|u(?<point>[0-9a-fA-F]{4})|x(?<byte>[0-9a-fA-F]{2})|(?<octal>[0-3][0-7]{2})|(?<letter>[nrtbfv])/y;
  return (
    matched(kinds, bytes, at) ?? {
      meant: Buffer.from(bytes.slice(at, at + 1), 'latin1'),
      next: Math.min(at + 1, bytes.length),
    }
  );
}

const pointOf = (high: string, low: string): number =>
  0x1_00_00 + ((Number.parseInt(high, 16) & 0x3_ff) << 10) + (Number.parseInt(low, 16) & 0x3_ff);

function matched(pattern: RegExp, bytes: string, at: number): Escape | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(bytes);
  if (!found) return undefined;
  const meant = meaning(found.groups ?? {});
  return meant && { meant, next: pattern.lastIndex };
}

function meaning(found: Readonly<Record<string, string | undefined>>): Iterable<number> | undefined {
  const { byte, braced, point = braced, decimal, octal, letter, name } = found;
  if (byte !== undefined) return [Number.parseInt(byte, 16)];
  if (point !== undefined) return utf8(Number.parseInt(point, 16));
  if (decimal !== undefined) return utf8(Number(decimal));
  if (octal !== undefined) return [Number.parseInt(octal, 8)];
  if (letter !== undefined) return [letters[letter] ?? 0];
  if (name === undefined) return []; // a soft line break
  return names[name.toLowerCase()];
}

const utf8 = (point: number): Buffer =>
  Buffer.from(point <= 0x10_ff_ff ? String.fromCodePoint(point) : '\uFFFD');

const letters: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12, v: 11 };

/** HTML's names of ASCII characters that passwords may contain. */
const names: Readonly<Record<string, readonly number[]>> = Object.fromEntries(
  Object.entries({
    '"': 'quot',
    '&': 'amp',
    "'": 'apos',
    '<': 'lt',
    '>': 'gt',
    '/': 'sol',
    '\\': 'bsol',
    '#': 'num',
    $: 'dollar',
    '%': 'percnt',
    '+': 'plus',
    '=': 'equals',
    ',': 'comma',
    '.': 'period',
    ':': 'colon',
    ';': 'semi',
    '!': 'excl',
    '?': 'quest',
    '@': 'commat',
    '(': 'lpar',
    ')': 'rpar',
    '[': 'lsqb lbrack',
    ']': 'rsqb rbrack',
    '{': 'lcub lbrace',
    '}': 'rcub rbrace',
    _: 'lowbar',
    '^': 'hat',
    '`': 'grave',
    '|': 'verbar vert',
    '*': 'ast midast',
    '\t': 'tab',
    '\n': 'newline',
    '-': 'dash hyphen',
  }).flatMap(([character, called]) =>
    called.split(' ').map((name) => [name, [character.charCodeAt(0)]] as const),
  ),
);
