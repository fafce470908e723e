// Generates passwords, by a length or by a password policy in a subset of the real language.
import type { RandomBytes } from '../state.ts';

export interface PasswordRules {
  readonly length: number;
  readonly charsets: readonly { readonly characters: string; readonly atLeast: number }[];
}

const base62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lengthLimits = { min: 4, max: 100 } as const;
const triesMax = 1_000;

export const plainRules = (length: number): PasswordRules => ({
  length,
  charsets: [{ characters: base62, atLeast: 0 }],
});

const rule = /rule\s*"charset"\s*\{([^{}]*)\}/g;
const characters = /charset\s*=\s*("(?:[^"\\]|\\.)*")/;
const number = (name: string) => new RegExp(`(?:^|\\s)${name}\\s*=\\s*(\\d{1,6})(?:\\s|$)`);

/**
 * Parses `length = 20` and blocks of `rule "charset" { charset = "abc" min-chars = 1 }`.
 * @returns the rules, or a text that says what is wrong
 */
export function parsePolicy(text: string): PasswordRules | string {
  const charsets: { characters: string; atLeast: number }[] = [];
  for (const [, body = ''] of text.matchAll(rule)) {
    const found = unescaped(characters.exec(body)?.[1] ?? '""');
    if (found === undefined || found === '') return 'rule "charset": expected charset = "…"';
    charsets.push({ characters: found, atLeast: Number(number('min-chars').exec(body)?.[1] ?? 0) });
  }
  const rest = text.replaceAll(rule, ' ');
  const length = Number(number('length').exec(rest)?.[1] ?? Number.NaN);
  if (!(length >= lengthLimits.min && length <= lengthLimits.max)) {
    return `expected length = a number from ${lengthLimits.min} to ${lengthLimits.max}`;
  }
  if (rest.replace(number('length'), '').trim() !== '') return 'expected length and rules of "charset" only';
  if (charsets.length === 0) return 'expected at least one rule "charset"';
  const needed = charsets.reduce((sum, { atLeast }) => sum + atLeast, 0);
  if (needed > length) return `its rules ask for ${needed} characters, its length is ${length}`;
  return { length, charsets };
}

function unescaped(quoted: string): string | undefined {
  try {
    const text: unknown = JSON.parse(quoted);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error if none of `triesMax` random passwords meets the rules, which only extreme rules make likely */
export function generate(rules: PasswordRules, randomBytes: RandomBytes): string {
  const alphabet = [...new Set(rules.charsets.flatMap((one) => Array.from(one.characters)))];
  for (let tries = 0; tries < triesMax; tries += 1) {
    const password = Array.from({ length: rules.length }, () => alphabet[pick(alphabet.length, randomBytes)]);
    const meets = rules.charsets.every(
      (one) => password.filter((c) => c !== undefined && one.characters.includes(c)).length >= one.atLeast,
    );
    if (meets) return password.join('');
  }
  throw new Error('no generated password met the password policy');
}

const range = 2 ** 16;

/** A uniformly random number below `of` (at most 65,536). Draws that would favour small numbers are repeated. */
function pick(of: number, randomBytes: RandomBytes): number {
  const fair = range - (range % of);
  for (;;) {
    const [high = 0, low = 0] = randomBytes(2);
    const drawn = high * 256 + low;
    if (drawn < fair) return drawn % of;
  }
}
