// Predicts how kubectl reads a plain scalar. kubectl reads YAML 1.1 (resolve.go of go.yaml.in/yaml/v2), Holdfast YAML
// 1.2. A manifest that would mean one thing in a directory and another in a cluster is refused.
import { strangeSpace } from './wording.ts';

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...spellings(true, ['y', 'yes', 'on', 'true']),
  ...spellings(false, ['n', 'no', 'off', 'false']),
  ...spellings(null, ['', '~', 'null']),
]);

function spellings<V>(value: V, texts: readonly string[]): readonly (readonly [string, V])[] {
  return texts.flatMap((text) => {
    const upper = text.toUpperCase();
    return [text, upper.slice(0, 1) + text.slice(1), upper].map((spelt) => [spelt, value] as const);
  });
}

const integer = /^([-+]?)(?:0b([01]+)|0x([0-9a-f]+)|0o?([0-7]+)|(0|[1-9][0-9]*))$/i;
const decimal = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

function asKubectlReads(text: string): string | number | boolean | null {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  // Underscores are ignored anywhere in a number; in one that begins with a point, only between digits.
  const plain = text.replaceAll(text.startsWith('.') ? /(?<=[0-9])_(?=[0-9])/g : '_', '');
  const [whole, sign, binary, hex, octal, digits] = integer.exec(plain) ?? [];
  if (whole === undefined) return decimal.test(plain) ? Number(plain) : text;
  const size =
    binary !== undefined
      ? Number.parseInt(binary, 2)
      : hex !== undefined
        ? Number.parseInt(hex, 16)
        : octal !== undefined
          ? Number.parseInt(octal, 8)
          : Number(digits);
  return sign === '-' ? -size : size;
}

/** @returns why a plain scalar with this value is refused. The message holds nothing of the text, which may be a secret. */
export function misreadValue(text: string, value: unknown): string | undefined {
  const read = asKubectlReads(text);
  const same = read === value || (typeof value === 'number' && !Number.isFinite(value));
  return same ? undefined : misread(read);
}

/** @returns why a plain key is refused. Holdfast reads every key as text, even one that looks like a number. */
export function misreadKey(text: string): string | undefined {
  if (/^\s/.test(text)) return strangeSpace(text); // ordinary ones are none of the key
  const read = asKubectlReads(text);
  // As keys, kubectl shortens fractions to seven digits, and refuses null.
  const kept = typeof read === 'number' ? Number.isSafeInteger(read) : read !== null;
  return kept && String(read) === text ? undefined : misread(read);
}

function misread(read: string | number | boolean | null): string {
  const kind =
    typeof read === 'number' ? 'another number' : typeof read === 'boolean' ? String(read) : 'null';
  return `kubectl would read ${kind} (YAML 1.1): put it in quotes, or write what is meant`;
}

/** Line breaks of YAML 1.1 only, and a lone CR: kubectl begins a new line there, where YAML 1.2 continues a comment. */
export const strangeBreak = /[\u0085\u2028\u2029]|\r(?!\n)/;
