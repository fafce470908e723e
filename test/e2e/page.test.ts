// The status page of the program itself, in a real browser: what people see when a manifest breaks, when a password is
// rotated, on a small screen. With UPDATE_SCREENSHOT=1 it makes the picture that the README shows.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { secretsDialects } from '../../src/api/dialects.ts';
import { tokenIn } from '../../src/runtime/embedded/token.ts';
import { folder, Holdfast, holdfast } from '../support/cli.ts';
import { eventually } from '../support/poll.ts';
import { executablePath, launch } from '../web/browser.ts';
import { measured } from './running.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const boundMs = 10_000;
const row = (name: string): string => `tr:has(th bdi:text-is("${name}"))`;
const isReady = (name: string): string => `${row(name)}.s-ready`;
const markup = '<img src=x onerror=alert(1)>';

/** `holdfast dev` on a copy of the quickstart, once all of it is at rest. */
async function quickstart() {
  const cwd = await folder();
  await cp(join(root, 'examples/quickstart'), join(cwd, 'quickstart'), { recursive: true });
  const program = new Holdfast(['dev', 'quickstart'], { cwd });
  const [, url = ''] = await program.says(/status +(http:\/\/\S+)/);
  await program.says(/Watching/);
  /** Replaces something that stands in a manifest. */
  const edit = async (file: string, from: string, to: string): Promise<void> => {
    const path = join(cwd, 'quickstart', file);
    const before = await readFile(path, 'utf8');
    if (!before.includes(from)) throw new Error(`${file} has no ${from}`);
    await writeFile(path, before.replace(from, to));
  };
  const add = (file: string, text: string) => writeFile(join(cwd, 'quickstart', file), text);
  return { cwd, url, program, edit, add };
}

type Quickstart = Awaited<ReturnType<typeof quickstart>>;

/** Live, and marked so that a page that was loaded again is told from this one. */
async function look(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(boundMs);
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  await page.goto(url);
  await page.waitForSelector('#link[data-state="live"]');
  await page.evaluate('globalThis.sameDocument = true');
  return { page, said };
}

const isSameDocument = (page: Page): Promise<unknown> => page.evaluate('globalThis.sameDocument === true');
const widthOf = (page: Page): Promise<unknown> => page.evaluate('document.documentElement.scrollWidth');

/** A volume is written wrongly. */
async function spoil({ edit }: Quickstart, page: Page): Promise<void> {
  await edit('volumes/archive.yaml', 'pluginID:', 'pluginId:');
  await page.waitForSelector(`${row('archive')}.s-stalled`);
}

/** The role's period is changed behind its back, and left as found. */
async function drift({ cwd, edit, program }: Quickstart, page: Page): Promise<void> {
  await edit('credentials.yaml', '  onCreate: Rotate', '  drift: { mode: Warn }\n  onCreate: Rotate');
  const [, secrets = ''] = await program.says(/secrets +(http:\/\/\S+)/);
  const { statusCode, body } = await request(`${secrets}/v1/ldap/static-role/web`, {
    method: 'POST',
    headers: { [secretsDialects.secrets.headers.token]: tokenIn(join(cwd, '.holdfast')) },
    body: JSON.stringify({ rotation_period: 3_600 }),
  });
  expect(statusCode, await body.text()).toBeLessThan(300);
  await holdfast(['reconcile', 'LDAPStaticRole/shop/web'], { cwd });
  await page.waitForSelector(`${row('web')} .drift >> text=rotationPeriod`);
}

describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test('a manifest breaks and is repaired: its row follows, and the page is not loaded again', async () => {
    const at = await quickstart();
    const { page, said } = await look(browser, at.url);
    for (const name of ['orders', 'archive', 'scratch', 'directory', 'web']) {
      await page.waitForSelector(isReady(name));
    }
    await measured('from broken to shown', boundMs, () => spoil(at, page));
    const text = await page.textContent(`${row('archive')} .why`);
    expect(text).toContain('InvalidSpec');
    expect(text).toContain('pluginID');
    expect(await page.textContent('h1')).toContain('1 of ');
    await at.edit('volumes/archive.yaml', 'pluginId:', 'pluginID:');
    await measured('from repaired to shown', boundMs, async () => {
      await page.waitForSelector(isReady('archive'));
    });
    expect(await isSameDocument(page)).toBe(true);
    expect(said).toEqual([]);
    expect((await at.program.stop()).code).toBe(0);
  });

  test('a password that is rotated by command tells its steps on its page, while they happen', async () => {
    const { cwd, url } = await quickstart();
    const { page, said } = await look(browser, `${url}/objects/LDAPStaticRole/shop/web`);
    const { code, stdout, stderr } = await holdfast(['rotate', 'LDAPStaticRole/shop/web'], { cwd });
    expect(code, stdout + stderr).toBe(0);
    const steps = () => page.locator('.timeline li').allTextContents();
    const seen = async () => {
      const all = (await steps()).map((step) => step.replaceAll(/\s+/g, ' ').trim());
      const isDone = (what: RegExp) => all.some((step) => what.test(step) && !/ (next|later)$/.test(step));
      return isDone(/^publish the password of web as web-login/) && isDone(/^send SIGHUP to .* of job shop/);
    };
    await eventually('the timeline', seen);
    expect(await isSameDocument(page)).toBe(true);
    const password = await readFile(join(cwd, '.holdfast/outputs/shop/web-login/password'), 'utf8');
    expect((await page.content()).includes(password)).toBe(false);
    expect(said).toEqual([]);
  });

  test('markup in a user name is text, in the list and on its page', async () => {
    const at = await quickstart();
    const { page, said } = await look(browser, at.url);
    await at.add(
      'hostile.yaml',
      `apiVersion: holdfast.dev/v1alpha1
kind: LDAPStaticRole
metadata: { name: hostile, namespace: shop }
spec:
  configRef: { name: directory }
  username: '${markup}'
  dn: 'cn=${markup},ou=services,dc=example,dc=org'
  rotationPeriod: 24h
  onCreate: Keep
`,
    );
    await page.waitForSelector(isReady('hostile'));
    expect(await page.textContent(row('hostile'))).toContain(markup);
    await page.click(`${row('hostile')} th a`);
    await page.waitForSelector('#detail h1 >> text=hostile');
    expect(await page.textContent('#detail')).toContain(markup);
    expect(await page.locator('img').count()).toBe(0);
    expect(said).toEqual([]);
  });

  test('on a small screen nothing has to be scrolled sideways', async () => {
    const at = await quickstart();
    const { page } = await look(browser, at.url, { viewport: { width: 360, height: 740 } });
    await spoil(at, page);
    await drift(at, page);
    expect(await widthOf(page)).toBe(360);
    for (const path of ['LDAPStaticRole/shop/web', 'CSIVolume/shop/archive', 'SecretsConnection/local']) {
      await page.goto(`${at.url}/objects/${path}`);
      await page.waitForSelector('#link[data-state="live"]');
      expect(await widthOf(page), path).toBe(360);
    }
  });

  test.runIf(process.env['UPDATE_SCREENSHOT'] === '1')('the picture for the README', async () => {
    const at = await quickstart();
    const { page } = await look(browser, at.url, { deviceScaleFactor: 2 });
    await drift(at, page);
    await spoil(at, page);
    await page.reload(); // nothing is emphasised as new
    await page.waitForSelector('#link[data-state="live"]');
    await page.screenshot({ path: join(root, 'docs/status-page.png') });
    expect(await page.locator('#rows tr').count()).toBeGreaterThan(5);
  });
});
