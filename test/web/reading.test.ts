import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { executablePath, launch, opened } from './browser.ts';
import { detailPath, fill } from './one-of-each.ts';

describe.skipIf(executablePath === undefined)('to whoever reads (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.for(['/', detailPath])('%s fits into a phone and into half a screen', async (path) => {
    const { page } = await opened(browser, fill, { path });
    for (const width of [360, 900]) {
      await page.setViewportSize({ width, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await page.evaluate(cutTexts)).toEqual([]);
    }
  });

  test.for(['/', detailPath])('every text of %s can be read in light and dark: 4.5 to 1', async (path) => {
    const { page } = await opened(browser, fill, { path, colorScheme: 'light' });
    const ground = 'getComputedStyle(document.documentElement).backgroundColor';
    expect([await page.evaluate(ground), await page.evaluate(faintTexts)]).toEqual([
      'rgb(247, 248, 247)',
      [],
    ]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect([await page.evaluate(ground), await page.evaluate(faintTexts)]).toEqual(['rgb(15, 18, 19)', []]);
  });

  test.for(['/', detailPath])('%s is whole to those who listen, on a phone too', async (path) => {
    const { page } = await opened(browser, fill, { path });
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      await checkTree(page);
    }
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    const levels = z.array(z.number()).parse(await page.evaluate(headingLevels));
    expect(levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1)).toEqual([]);
  });
});

const named = ['link', 'button', 'searchbox', 'combobox', 'table', 'form', 'navigation', 'columnheader'];

async function checkTree(page: Page): Promise<void> {
  const nodes = await accessible(page);
  expect(nodes.filter(({ role, name }) => named.includes(role) && name === '')).toEqual([]);
  const count = (role: string) => nodes.filter((node) => node.role === role).length;
  expect([count('main'), count('banner')]).toEqual([1, 1]);
  expect(count('table')).toBeGreaterThan(0);
  expect(count('rowheader')).toBeGreaterThan(1);
  expect(count('columnheader')).toBeGreaterThan(3);
}

const Tree = z.object({
  nodes: z.array(
    z.object({
      ignored: z.boolean(),
      role: z.object({ value: z.string() }).optional(),
      name: z.object({ value: z.string() }).optional(),
    }),
  ),
});

/** Roles and names as the browser tells them to a screen reader. */
async function accessible(page: Page): Promise<readonly { readonly role: string; readonly name: string }[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = Tree.parse(await session.send('Accessibility.getFullAXTree'));
  return nodes
    .filter((node) => !node.ignored)
    .map(({ role, name }) => ({ role: role?.value ?? '', name: name?.value ?? '' }));
}

const headingLevels = `[...document.querySelectorAll('h1, h2, h3')].map((h) => Number(h.localName[1]))`;

/** Texts that stick out of the window, other than those that are hidden from sight on purpose. */
const cutTexts = `[...document.querySelectorAll('main *')]
  .filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('thead'))
  .map((e) => e.outerHTML.slice(0, 200))`;

/** Texts with less contrast than WCAG's AA asks for, by their computed colours. */
const faintTexts = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  return [...document.querySelectorAll('body *')].flatMap((e) => {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== '');
    if (!own || !e.getClientRects().length || e.localName === 'script') return [];
    const [a, b] = [luminance(rgb(getComputedStyle(e).color)), luminance(behind(e))].toSorted((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    return ratio >= 4.5 ? [] : [ratio.toFixed(2) + ' ' + e.outerHTML.slice(0, 120)];
  });
})()`;
