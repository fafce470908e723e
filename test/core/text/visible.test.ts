import { expect, test } from 'vitest';
import { visible } from '../../../src/core/text/visible.ts';

test.for([
  ['a right-to-left override can not turn a name around', 'a\u202egnp.exe', 'a\\u{202e}gnp.exe'],
  ['a zero-width space can not make two names look alike', 'da\u200bta', 'da\\u{200b}ta'],
  ['an escape sequence is shown', 'a\u001b[31m', 'a\\u{1b}[31m'],
  ['half a character is shown, and does no harm to an address', 'a\ud800', 'a\\u{d800}'],
  ['lines stay lines', 'a\nb\tc', 'a\nb\tc'],
  ['scripts that join letters stay as they are', '\u0646\u200c\u0627', '\u0646\u200c\u0627'],
] as const)('%s', ([, text, shown]) => {
  expect(visible(text)).toBe(shown);
});
