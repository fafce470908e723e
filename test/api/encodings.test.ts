// A service, a proxy or a page of an error quotes what it was sent in an encoding of its own: URL, HTML, base64, hex, quoted
// for a shell or for mail, one in another. Live tokens and passwords were shown in a dozen of these.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scrubbed } from '../../src/api/redaction/echoes.ts';
import { Secret } from '../../src/core/secret.ts';
import { found } from '../support/canaries.ts';

const canaries = {
  token: 'canary-token-51c8e2aa90',
  password: 'canary +/"<&é😀=%41\\n\'$`;{}9d02',
  tricky: 'a=3Dcanary%2541&amp;\\u0041+end',
  lines: '-----BEGIN-----\ncanary/line+one\ncanaryline2==\n-----END-----',
};

const bytesOf = (text: string): readonly number[] => [...Buffer.from(text)];
const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
const units = (text: string): readonly number[] =>
  Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const ascii = (byte: number): boolean => byte > 32 && byte < 127 && byte !== 61;

const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in a URL': encodeURIComponent,
  'in a URL, lower case': (text) => encodeURIComponent(text).replaceAll(/%../g, (one) => one.toLowerCase()),
  'in a form, with + for space': (text) => new URLSearchParams({ v: text }).toString().slice(2),
  'in a URL, every byte': (text) =>
    bytesOf(text)
      .map((byte) => `%${hex(byte)}`)
      .join(''),
  'in a URL, every byte, upper case': (text) =>
    bytesOf(text)
      .map((byte) => `%${hex(byte).toUpperCase()}`)
      .join(''),
  'in a URL, twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in a URL, three times': (text) => encodeURIComponent(encodeURIComponent(encodeURIComponent(text))),
  'in base64': base64,
  'in base64 without padding': (text) => base64(text).replaceAll('=', ''),
  'in base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'in base64 for URLs, padded': (text) => base64(text).replaceAll('+', '-').replaceAll('/', '_'),
  'in base64, in a URL': (text) => encodeURIComponent(base64(text)),
  'in base64 of more, aligned': (text) => base64(`abc${text}xyz`),
  'in base64 of more, one byte on': (text) => base64(`user${text} and more`),
  'in base64 of more, two bytes on': (text) => base64(`users${text}!`),
  'in base64 of more, for URLs': (text) => Buffer.from(`user${text} and more`).toString('base64url'),
  'in base64 of more, in lines': (text) =>
    base64(`some header: ${text}, and more`).replaceAll(/.{20}/g, '$&\r\n'),
  'in base64 of more, in lines, in JSON': (text) =>
    JSON.stringify(base64(`some: ${text}`).replaceAll(/.{20}/g, '$&\n')),
  'in hex': (text) => Buffer.from(text).toString('hex'),
  'in hex, upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in HTML, by name': (text) =>
    text.replaceAll(
      /[&<>"']/g,
      (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[one] ?? one,
    ),
  'in HTML, all by name': (text) =>
    text.replaceAll(
      /[-&<>"'+/=%;$`{}\\]/g,
      (one) =>
        `&${{ '-': 'hyphen', '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos', '+': 'plus', '/': 'sol', '=': 'equals', '%': 'percnt', ';': 'semi', $: 'dollar', '`': 'grave', '{': 'lcub', '}': 'rcub', '\\': 'bsol' }[one]};`,
    ),
  'in HTML, by number': (text) => Array.from(text, (one) => `&#${one.codePointAt(0)};`).join(''),
  'in HTML, by number in hex': (text) =>
    Array.from(text, (one) => `&#x${one.codePointAt(0)?.toString(16)};`).join(''),
  'in HTML, by number in hex, upper case, with zeros': (text) =>
    Array.from(text, (one) => `&#X${one.codePointAt(0)?.toString(16).toUpperCase().padStart(6, '0')};`).join(
      '',
    ),
  'in JSON': (text) => JSON.stringify(text),
  'in JSON, every unit': (text) =>
    units(text)
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  'in JSON, every unit, upper case': (text) =>
    units(text)
      .map((unit) => `\\u${unit.toString(16).toUpperCase().padStart(4, '0')}`)
      .join(''),
  'in JSON, seven times': (text) =>
    Array.from({ length: 7 }).reduce<string>((one) => JSON.stringify(one), text),
  'in JavaScript': (text) => Array.from(text, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(''),
  'with backslashes, for a shell': (text) => text.replaceAll(/[^\w\n]/gu, '\\$&'),
  'as bytes in C, in hex': (text) =>
    bytesOf(text)
      .map((byte) => `\\x${hex(byte)}`)
      .join(''),
  'as bytes in C, octal': (text) =>
    bytesOf(text)
      .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
      .join(''),
  'for mail': (text) =>
    bytesOf(text)
      .map((byte) => (ascii(byte) ? String.fromCharCode(byte) : `=${hex(byte).toUpperCase()}`))
      .join(''),
  'for mail, in lines': (text) =>
    bytesOf(text)
      .map((byte) => `=${hex(byte).toUpperCase()}`)
      .join('')
      .replaceAll(/.{9}/g, '$&=\r\n'),
  'in JSON, in a URL': (text) => encodeURIComponent(JSON.stringify(text)),
  'in a URL, in JSON, in HTML': (text) =>
    JSON.stringify(encodeURIComponent(text)).replaceAll('"', '&quot;').replaceAll('%', '&#37;'),
};

const boxes = Object.entries(canaries).map(([name, value]) => Secret.of(`shop/${name}`, '1', value));

describe.for(Object.entries(encodings))('a service that quotes a secret %s shows', ([, encode]) => {
  test.for(Object.entries(canaries))('no %s', ([name, value]) => {
    const shown = scrubbed(`can't do: ${encode(value)} (as asked)`, boxes);
    expect(shown).toContain(`(secret shop/${name})`);
    expect(found(shown, canaries)).toEqual([]);
    expect(shown).not.toMatch(/canary/i);
    expect(shown).toMatch(/^can't do: .* \(as asked\)$/s);
  });
});

test('what is no secret stays as it is, escapes and all', () => {
  const text =
    'can\'t parse "%zz" at \\u00zz: &nosuch; =4 100% +1 =\u0000 C:\\new\\table é😀 c2VjcmV0 6361 \\';
  expect(scrubbed(text, boxes)).toBe(text);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (any) => {
      expect(scrubbed(any, boxes)).toBe(any);
    }),
  );
});

test('a short secret is found where it stands and in escapes, and does not black out every text', () => {
  const text = 'x: a"b, a\\"b, a%22b, a&quot;b; YSJi is nobody\u2019s';
  const s = '(secret shop/short)';
  expect(scrubbed(text, [Secret.of('shop/short', '1', 'a"b')])).toBe(
    `x: ${s}, ${s}, ${s}, ${s}; YSJi is nobody\u2019s`,
  );
  expect(scrubbed('a plain text', [Secret.of('shop/odd', '1', `${'\\'.repeat(9)}a`)])).toBe('a plain text');
});

/** In time that grows with the square of the length, half a million characters would take an hour. */
test.for(['\\', '%', '%25', '&#0', '=', '\\ud83d\\', 'a', '&amp;', '\\u', 'YWFh\r\n', '😀'])(
  'a hostile text of nothing but %j takes time in proportion to its length',
  (unit) => {
    const secrets = [
      Secret.of('a', '1', `${'a'.repeat(64)}b`),
      Secret.of('b', '1', '%25'.repeat(30)),
      ...boxes,
    ];
    const millisecondsFor = (size: number) => {
      const text = unit.repeat(Math.ceil(size / unit.length));
      const started = process.cpuUsage();
      scrubbed(text, secrets);
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1_000;
    };
    expect(millisecondsFor(524_288)).toBeLessThan(20_000);
  },
);
