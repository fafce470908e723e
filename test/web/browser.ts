// A real browser, where there is one: Chromium as Linux distributions install it.
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import type { WebOptions } from '../../src/web/server.ts';
import { served, type Served } from './serving.ts';
import { FakeView } from './fake-view.ts';

export const executablePath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));

export const launch = (): Promise<Browser> =>
  chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: ['--no-sandbox'] });

export interface Opened {
  readonly page: Page;
  readonly view: FakeView;
  readonly web: Served['web'];
  /** What the console said: violations of the policy and errors of the script come here. */
  readonly said: readonly string[];
}

/** A page of a server of its own, live unless it runs no script. */
export async function opened(
  browser: Browser,
  start: (view: FakeView) => void,
  {
    path = '/',
    unmanaged,
    ...options
  }: BrowserContextOptions & { readonly path?: string } & Pick<WebOptions, 'unmanaged'> = {},
): Promise<Opened> {
  const view = new FakeView();
  start(view);
  const { web } = await served({ clock: systemClock, ...(unmanaged && { unmanaged }) }, view);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(5_000);
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  await page.goto(web.url + path);
  if (options.javaScriptEnabled !== false) await page.waitForSelector('#link[data-state="live"]');
  return { page, view, web, said };
}
