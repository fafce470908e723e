import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html } from '../../../src/web/pages/html.ts';

test('whatever a value holds, no tag, attribute or entity comes of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const text = html`<p title="${value}">${value}</p>`.toString();
      const inner = /^<p title="([^"]*)">([^<]*)<\/p>$/.exec(text);
      expect(inner, text).not.toBeNull();
      expect(inner?.[1]).toBe(inner?.[2]);
      expect(inner?.[1]?.replaceAll(/&#(38|60|62|34|39);/g, '')).not.toMatch(/[&<>"']/);
    }),
  );
});

test('templates nest unescaped, at any depth and in lists; absent values leave nothing', () => {
  const items = ['<a>', 'b'].map((item) => html`<i>${item}</i>`);
  const list = html`<b>${[items, false, undefined]}${0}${''}</b>`;
  expect(html`${list}`.toString()).toBe('<b><i>&#60;a&#62;</i><i>b</i>0</b>');
});

test('a text that looks like a template is still a text', () => {
  const posing = { toString: () => '<script>' };
  // @ts-expect-error: only templates, texts and numbers are values
  expect(() => html`${posing}`.toString()).toThrow(TypeError);
});

test('what hides or turns around its surroundings is shown by number', () => {
  expect(html`${'a\u202egnp.exe'}`.toString()).toBe('a\\u{202e}gnp.exe');
});
