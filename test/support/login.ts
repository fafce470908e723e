// A login as a command line makes it: it asks the service where to go, a browser goes there, and what comes back to its own
// address becomes a token.
import { createServer } from 'node:http';
import type { Browser } from 'playwright-core';
import { request } from 'undici';
import { onTestFinished } from 'vitest';
import { portOf } from './port.ts';

export interface Callback {
  readonly redirect: string;
  /** What the browser brought, once it did. */
  readonly brought: Promise<URLSearchParams>;
}

/** Where the browser comes back to. It goes with the test. */
export async function listening(): Promise<Callback> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((asked, response) => {
    const { pathname, searchParams } = new URL(asked.url ?? '', 'http://localhost');
    response.setHeader('connection', 'close');
    if (pathname === '/oidc/callback') resolve(searchParams);
    response.end('You can close this window.');
  });
  await new Promise<void>((started) => {
    server.listen(0, 'localhost', started);
  });
  onTestFinished(() => void server.close());
  return { redirect: `http://localhost:${portOf(server)}/oidc/callback`, brought: promise };
}

interface Answer {
  readonly status: number;
  readonly auth?: {
    readonly client_token: string;
    readonly policies: readonly string[];
    readonly metadata: unknown;
  };
  readonly errors?: readonly string[];
}

export interface Login {
  /** Of the secrets service. */
  readonly url: string;
  readonly mount: string;
  readonly role: string;
  readonly user: string;
  readonly callback: Callback;
}

/** Empty: the login can't begin. */
async function beginning({ url, mount, role, callback }: Login, nonce: string): Promise<string> {
  const reply = await request(`${url}/v1/auth/${mount}/oidc/auth_url`, {
    method: 'POST',
    body: JSON.stringify({ role, redirect_uri: callback.redirect, client_nonce: nonce }),
  });
  // oxlint-disable-next-line no-unsafe-type-assertion -- the embedded service's word
  return ((await reply.body.json()) as { readonly data: { readonly auth_url: string } }).data.auth_url;
}

/** The page ends at the callback, or where the provider stops it: then its text is what went wrong. */
export async function loggedIn(browser: Browser, login: Login): Promise<Answer> {
  const nonce = 'canary-nonce-71';
  const start = await beginning(login, nonce);
  if (start === '') return { status: 0, errors: ['no address to begin at'] };
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(start);
  if (await page.locator('input[name=login]').count()) {
    await page.fill('input[name=login]', login.user);
    await page.fill('input[name=password]', 'anything');
    await page.click('button[type=submit]');
    await page.click('button[type=submit]'); // consent
  }
  if (!page.url().startsWith(login.callback.redirect))
    return { status: 0, errors: [await page.locator('body').innerText()] };
  const brought = await login.callback.brought;
  const refused = brought.get('error');
  if (refused !== null) return { status: 0, errors: [`${refused}: ${brought.get('error_description')}`] };
  brought.set('client_nonce', nonce);
  const reply = await request(`${login.url}/v1/auth/${login.mount}/oidc/callback?${brought.toString()}`);
  // oxlint-disable-next-line no-unsafe-type-assertion -- the embedded service's word
  return { status: reply.statusCode, ...((await reply.body.json()) as object) };
}
