import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generate, parsePolicy, plainRules } from '../../../../src/embedded/secrets/ldap/passwords.ts';

const good = `
length = 12
rule "charset" {
  charset = "abc\\"def"
  min-chars = 2
}
rule "charset" { charset = "0123456789" min-chars = 3 }
`;

describe('generated passwords', () => {
  test('a policy of the real language is read, and every password keeps to it', () => {
    const rules = parsePolicy(good);
    if (typeof rules === 'string') throw new Error(rules);
    expect(rules).toEqual({
      length: 12,
      charsets: [
        { characters: 'abc"def', atLeast: 2 },
        { characters: '0123456789', atLeast: 3 },
      ],
    });
    fc.assert(
      fc.property(fc.constant(0), () => {
        const password = generate(rules, randomBytes);
        expect(password).toMatch(/^[abc"def0-9]{12}$/);
        expect(password.replaceAll(/[^0-9]/g, '').length).toBeGreaterThanOrEqual(3);
        expect(password.replaceAll(/[0-9]/g, '').length).toBeGreaterThanOrEqual(2);
      }),
    );
  });

  test.each([
    { text: '', says: 'expected length', why: 'no length' },
    { text: 'length = 3 rule "charset" { charset = "a" }', says: 'from 4 to 100', why: 'too short' },
    { text: 'length = 20', says: 'at least one rule', why: 'no characters' },
    { text: 'length = 20 rule "charset" { min-chars = 1 }', says: 'expected charset', why: 'a rule without' },
    {
      text: 'length = 4 rule "charset" { charset = "a" min-chars = 5 }',
      says: 'ask for 5',
      why: 'impossible',
    },
    {
      text: 'length = 20 entropy = 1 rule "charset" { charset = "a" }',
      says: 'only',
      why: 'what is not known',
    },
  ])('a policy is refused: $why', ({ text, says }) => {
    expect(parsePolicy(text)).toContain(says);
  });

  test('they come from the bytes that are passed in, without favouring any character', () => {
    const draws = [0xff, 0xff, 0, 61, 0, 0, 0, 1, 0, 62]; // 65,535 is above the last multiple of 62: drawn again
    const bytes = (size: number) => Uint8Array.from(draws.splice(0, size));
    expect(generate(plainRules(4), bytes)).toBe('Z010');
  });
});
