// What may be shown of a service's words: nothing that was secret, in whatever quoting it comes back.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scrubbed } from '../../../src/api/redaction/echoes.ts';
import { oneLine } from '../../../src/api/http/request.ts';
import { Secret } from '../../../src/core/secret.ts';

const box = (value: string, name = 's') => Secret.of(`shop/${name}`, '1', value);

/** As JSON of Go has it: safe in HTML. */
const inGo = (text: string) =>
  text.replaceAll(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const quotings: readonly { readonly why: string; readonly quote: (text: string) => string }[] = [
  { why: 'as it is', quote: (text) => text },
  { why: 'as JSON', quote: (text) => JSON.stringify(text) },
  { why: 'as JSON of a service in Go', quote: (text) => inGo(JSON.stringify(text)) },
  { why: 'as JSON in JSON', quote: (text) => inGo(JSON.stringify(JSON.stringify(text))) },
  { why: 'as JSON in JSON in JSON', quote: (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))) },
];

describe.for(quotings)('a secret that comes back $why', ({ quote }) => {
  test('is named only, whatever it is made of', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\\', '\\\\', '"', '\n', '$&', '<', '.*', '('),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.string(), (parts, around) => {
        const value = `canary${parts.join('')}canary`;
        const text = `${around}${quote(`a ${value} b`)}${around}`;
        const shown = scrubbed(text, [box(value)]);
        expect(shown).not.toContain('canary');
        expect(shown).toContain('(secret shop/s)');
        expect(shown.startsWith(around)).toBe(true);
      }),
    );
  });
});

test('none is left over that contains another, and none that is empty takes part', () => {
  const secrets = [box('ab', 'short'), box('', 'empty'), box('xabx\n', 'long')];
  expect(scrubbed('xabx ab', secrets)).toBe('(secret shop/long) (secret shop/short)');
});

test('many backslashes take no longer than others', () => {
  const text = '\\'.repeat(200_000);
  expect(scrubbed(text, [box(`${'\\'.repeat(64)}a`), box(`a${'\\"'.repeat(64)}`)])).toBe(text);
});

test('a line is one, and not for ever', () => {
  expect(oneLine(' a\r\n\tb\u0000c\u0085 ')).toBe('a b c');
  expect(oneLine('x'.repeat(1_000))).toHaveLength(300);
});
