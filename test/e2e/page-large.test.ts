// The list of ten thousand objects: how long it takes until a person sees it, and finds something in it.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { executablePath, launch, opened } from '../web/browser.ts';
import { keyOf, objectView, stalled, withConditions, type FakeView } from '../web/fake-view.ts';
import { report } from './report.ts';
import { measured } from './running.ts';

const boundMs = 10_000;

function tenThousand(view: FakeView): void {
  const through = 'SchedulerConnection/production';
  view.set(objectView(keyOf('production', 'SchedulerConnection', ''), { connection: { watch: 'live' } }));
  for (let i = 0; i < 9_998; i++) {
    const createdAt = new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString();
    view.set(objectView(keyOf(`v${i}`, 'CSIVolume', `team-${i % 40}`), { through, createdAt }));
  }
  view.set(withConditions(keyOf('broken', 'CSIVolume', 'team-7'), stalled('Lost', 'the disk is gone')));
}

const Paints = z.array(z.object({ name: z.string(), startTime: z.number() }));

async function reportPaint(page: Page, what: string): Promise<void> {
  const paints = Paints.parse(
    await page.evaluate(
      'performance.getEntriesByType("paint").map(({ name, startTime }) => ({ name, startTime }))',
    ),
  );
  for (const { name, startTime } of paints) report(`${what}: ${name} after ${Math.round(startTime)} ms`);
}

describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test('ten thousand objects: one is found, sorted and grouped as among ten', async () => {
    const { page, view, said } = await opened(browser, tenThousand);
    await reportPaint(page, 'the list of 10,000, by a server that nobody had asked before');
    expect(await page.textContent('#found')).toBe('1–200 of 10000');
    expect(await page.textContent('#pager')).toContain('Page 1 of 50');
    expect(await page.textContent('#rows tr:first-child th a')).toBe('broken');
    const load = (path: string) => async () => {
      await page.goto(new URL(path, page.url()).href);
      await page.waitForSelector('#link[data-state="live"]');
    };
    await measured('the list of 10,000, until it is live', boundMs, load('/'));
    await reportPaint(page, 'the list of 10,000');
    await measured('by age, until it is live', boundMs, load('/?sort=age'));
    expect(await page.textContent('#rows tr:first-child th a')).toBe('v9997');
    await measured('in groups, until it is live', boundMs, load('/?group=namespace'));
    expect(await page.textContent('#found')).toBe('10000 objects in 41 groups');
    expect(await page.locator('#rows tr.group').count()).toBe(20);
    expect(await page.textContent('#rows tr.group')).toMatch(/team-7.*251 objects,.*1 stalled.*241 more/s);
    await measured('from a change to the screen', boundMs, async () => {
      view.set(withConditions(keyOf('v7', 'CSIVolume', 'team-7'), stalled('Lost', 'this disk, too')));
      await page.waitForSelector('tr.group >> text=2 stalled');
    });
    expect(said).toEqual([]);
  });
});
