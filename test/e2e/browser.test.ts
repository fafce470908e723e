import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { eventually } from '../support/poll.ts';
import { executablePath, launch, opened } from '../web/browser.ts';
import { keyOf, objectView, stalled, withConditions } from '../web/fake-view.ts';
import { detailPath, fill, long } from '../web/one-of-each.ts';
import { get, served } from '../web/serving.ts';

/** Waiting inside the page would need the `eval` that its policy forbids. */
const rowsOf = (page: Page, count: number): Promise<true> =>
  eventually(`${count} rows`, async () => (await page.locator('#rows tr').count()) === count);

const timesOf = (text: string): readonly (string | undefined)[] =>
  [...text.matchAll(/<time [^>]*>([^<]*)</g)].map((match) => match[1]);

const row = (name: string): string => `tr:has(th bdi:text-is("${name}"))`;

describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test('a row changes its words, its place and the headline, and the page is not loaded again', async () => {
    const { page, view, said } = await opened(browser, fill);
    await page.evaluate('globalThis.sameDocument = true');
    view.set(withConditions(keyOf('data'), stalled('Lost', 'the disk is gone')));
    await page.waitForSelector(`${row('data')}.s-stalled >> text=the disk is gone`);
    expect(await page.textContent('h1')).toBe('2 of 5 objects need attention, 1 more is not ready');
    expect(await page.title()).toBe('(2) Holdfast');
    expect(await page.textContent('#rows tr:nth-child(2) th a')).toBe('data');
    expect(await page.evaluate('globalThis.sameDocument')).toBe(true);
    await page.waitForSelector('#say >> text=CSIVolume/shop/data is stalled.', { state: 'attached' });
    expect(said).toEqual([]);
  });

  test('new objects appear, gone ones go', async () => {
    const { page, view } = await opened(browser, fill);
    view.set(objectView(keyOf('fresh')));
    view.delete('CSIVolume/shop/waits');
    await page.waitForSelector(row('fresh'));
    expect(await page.locator(row('waits')).count()).toBe(0);
  });

  test('the focus stays on its link while its row is replaced; the row moves when the focus has left', async () => {
    const { page, view } = await opened(browser, fill);
    const first = () => page.textContent('#rows tr:nth-child(1) th a');
    view.delete(`CSIVolume/shop/${long}`);
    await rowsOf(page, 4);
    await page.focus(`${row('data')} th a`);
    view.set(withConditions(keyOf('data'), stalled('Lost', 'the disk is gone')));
    await page.waitForSelector(`${row('data')}.s-stalled`);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('data');
    expect(await first()).toBe('waits');
    await page.focus('input[name=q]');
    await eventually('the new order', async () => (await first()) === 'data');
  });

  test('rows hold still under the pointer, and take their places when it has left', async () => {
    const { page, view } = await opened(browser, fill);
    const last = () => page.textContent('#rows tr:last-child th a');
    await page.hover(`${row('production')} th a`);
    const lost = withConditions(keyOf('production', 'SchedulerConnection', ''), stalled('Lost', 'no answer'));
    view.set({ ...lost, connection: { watch: 'live' } }); // its card stays, so nothing else moves the rows away
    await page.waitForSelector(`${row('production')}.s-stalled`);
    expect(await last()).toBe('production');
    await page.mouse.move(1, 1);
    await eventually('the new order', async () => (await last()) !== 'production');
  });

  test('a keyboard is enough: skip, find, open, come back', async () => {
    const { page } = await opened(browser, fill);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.keyboard.press('/');
    await page.keyboard.type('dat');
    await rowsOf(page, 1);
    expect(new URL(page.url()).search).toBe('?q=dat');
    expect(await page.inputValue('input[name=q]')).toBe('dat');
    await page.focus(`${row('data')} th a`);
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1 >> text=data');
    await page.goBack();
    await rowsOf(page, 1);
  });

  test('the filter follows what is chosen, and a change after that keeps to it', async () => {
    const { page, view } = await opened(browser, fill);
    await page.selectOption('select[name=state]', 'stalled');
    await rowsOf(page, 1);
    view.set(withConditions(keyOf('data'), stalled('Lost', 'the disk is gone')));
    await page.waitForSelector(row('data'));
    expect(await page.textContent('#found')).toBe('2 objects');
  });

  test('without script the list is the list, and its form filters', async () => {
    const { page } = await opened(browser, fill, { javaScriptEnabled: false });
    await page.fill('input[name=q]', 'dat');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/?q=dat**');
    expect(await page.locator('#rows tr').count()).toBe(1);
  });

  test('without script a column sorts by its head, and what was chosen stays chosen', async () => {
    const { page } = await opened(browser, fill, { javaScriptEnabled: false, path: '/?namespace=shop' });
    await page.click('#head >> text=Object');
    await page.waitForURL('**/?namespace=shop&sort=name');
    const shown = await page.locator('#rows th a').allTextContents();
    expect(shown).toEqual([long, 'data', 'off', 'waits']);
    await page.click('#filter button');
    await page.waitForURL(/namespace=shop.*sort=name/);
  });

  test('groups have headings that count, follow what changes, and lead to all of the group', async () => {
    const { page, view } = await opened(browser, fill, { path: '/?group=namespace' });
    const lines = () => page.locator('#rows tr th:first-of-type a').allTextContents();
    expect(await lines()).toEqual(['shop', long, 'waits', 'off', 'data', 'no namespace', 'production']);
    view.set(withConditions(keyOf('first', 'CSIVolume', 'ops'), stalled('Lost', 'the disk is gone')));
    await page.waitForSelector('tr.group:has-text("ops") >> text=1 stalled');
    const start = async () => (await lines()).slice(0, 3).join(' ');
    await eventually('its place', async () => (await start()) === 'ops first shop' || undefined);
    view.delete('CSIVolume/ops/first');
    await eventually('its end', async () => (await lines())[0] === 'shop');
    view.set(objectView(keyOf('first', 'CSIVolume', 'ops')));
    await page.waitForSelector('tr.group:has-text("ops")');
    await page.click('tr.group >> text=shop');
    await page.waitForURL('**/?namespace=shop');
  });

  test('what is chosen while the page is live keeps the order that a head gave', async () => {
    const { page } = await opened(browser, fill, { path: '/?sort=-name' });
    await page.selectOption('select[name=namespace]', 'shop');
    await rowsOf(page, 4);
    expect(await page.locator('#rows th a').allTextContents()).toEqual(['waits', 'off', 'data', long]);
    const link = page.locator('#head a >> text=Object');
    expect(await link.getAttribute('href')).toBe('/?namespace=shop&sort=name');
  });

  test('a lost connection is shown, and what was missed comes with the next', async () => {
    const { page, view, web } = await opened(browser, fill);
    await web.stop();
    await page.waitForSelector('#link[data-state="lost"]');
    view.set(withConditions(keyOf('data'), stalled('Lost', 'the disk is gone')));
    await served({ clock: systemClock, port: Number(new URL(web.url).port) }, view);
    await page.waitForSelector('#link[data-state="live"]');
    expect(await page.locator(`${row('data')}.s-stalled`).count()).toBe(1);
  });

  test('the detail page is live, and says when its object is gone', async () => {
    const { page, view, said } = await opened(browser, fill, { path: detailPath });
    view.delete('CSIVolume/shop/off');
    await page.waitForSelector('h1 >> text=No such object');
    expect(said).toEqual([]);
  });

  test('hostile names run nothing, and their rows still change', async () => {
    const name = '<img src=x onerror=alert(1)> "\'&\u202e';
    const { page, view, said } = await opened(browser, (v) => v.set(objectView(keyOf(name))));
    view.set(withConditions(keyOf(name), stalled('Refused', '</tr><script>alert(2)</script>')));
    await page.waitForSelector('tr.s-stalled >> text=<script>alert(2)</script>');
    expect(await page.locator('#rows tr').count()).toBe(1);
    expect(await page.locator('#rows img, #rows script').count()).toBe(0);
    await page.click('#rows th a');
    await page.waitForSelector('.verdict.s-stalled');
    expect(said).toEqual([]);
  });

  test('times are worded alike by the server and by the script', async () => {
    const { page, web } = await opened(browser, fill, { path: detailPath });
    const { body } = await get(web.url + detailPath);
    await page.evaluate('for (const t of document.querySelectorAll("time")) t.textContent = ""');
    await eventually('all times worded anew', async () =>
      timesOf(await page.content()).every((t) => t !== ''),
    );
    expect(timesOf(await page.content())).toEqual(timesOf(body));
    expect(timesOf(body)).toContain('3 d ago');
  });

  test('nothing moves for those who want nothing to move', async () => {
    const { page, view } = await opened(browser, fill, { reducedMotion: 'reduce' });
    view.set(withConditions(keyOf('data'), stalled('Lost', 'the disk is gone')));
    await page.waitForSelector(`${row('data')}.changed`);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".changed td")).animationName')).toBe(
      'none',
    );
  });
});
