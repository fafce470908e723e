// axe-core judges every page in a real browser: people who use a screen reader, a keyboard or large letters are on call, too.
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executablePath, launch, opened } from '../web/browser.ts';
import { keyOf, objectView, stalled, withConditions, type FakeView } from '../web/fake-view.ts';
import { detailPath, fill, long } from '../web/one-of-each.ts';

function crowd(view: FakeView): void {
  fill(view);
  view.wrong = [{ origin: `${long}.yaml`, message: 'it is not YAML' }];
  for (let i = 0; i < 200; i++) view.set(objectView(keyOf(`v${i}`)));
  view.set(withConditions(keyOf('refused'), stalled('ExternalNameConflict', 'two declare it')));
}

const unmanagedPath = '/unmanaged';
const unmanaged = () => {
  const one = { kind: 'CSIVolume', connection: 'SchedulerConnection/production', name: long };
  const failed = [{ what: 'KMSProvider through SecretsConnection/vault', message: 'Permission denied' }];
  return Promise.resolve({ items: [one, { ...one, mount: 'ldap' }], total: 9, failed, atMs: Date.now() });
};

const pages = {
  'the list': '/',
  'the list in groups': '/?group=namespace&sort=-age',
  'a list in which nothing is found': '/?q=nothing+is+called+this',
  'an object': detailPath,
  'an object that needs a person': '/objects/CSIVolume/shop/refused',
  'what nobody declares': unmanagedPath,
  'a connection': '/objects/SchedulerConnection/production',
  'an object that is not there': '/objects/CSIVolume/shop/gone',
} as const;

const views: Readonly<Record<string, BrowserContextOptions>> = {
  'on a desktop': {},
  'on a phone': { viewport: { width: 390, height: 844 } },
  'in the dark': { colorScheme: 'dark' },
};

const cases = Object.keys(views).flatMap((as) =>
  Object.entries(pages).map(([what, path]) => ({ as, what, path })),
);

describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.for(cases)('$what, $as: axe-core finds nothing serious', async ({ as, path }) => {
    const live = path === unmanagedPath ? '/' : path;
    const { page, web } = await opened(browser, crowd, { path: live, unmanaged, ...views[as] });
    if (path !== live) await page.goto(web.url + path);
    await page.evaluate(axe.source);
    const { violations, passes } = await page.evaluate<AxeResults>('axe.run()');
    const serious = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.failureSummary} ${nodes[0]?.html}`);
    expect(serious).toEqual([]);
    expect(passes.length).toBeGreaterThan(10);
  });
});
