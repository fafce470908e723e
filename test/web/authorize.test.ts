// The port where others than this machine reach it: nothing but the probes without a token that is known.
import { expect, test } from 'vitest';
import type { Verdict } from '../../src/web/authorize.ts';
import { eventually } from '../support/poll.ts';
import { get, Listener, served, type Served } from './serving.ts';

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

/** Reached by every address. `may`: what each token may get. */
async function guarded(
  may: Readonly<Record<string, readonly string[]>> = {},
): Promise<Served & { readonly asked: (readonly [string, string])[]; readonly url: string }> {
  const asked: (readonly [string, string])[] = [];
  const authorize = async (token: string, path: string): Promise<Verdict> => {
    asked.push([token, path]);
    if (token === 'late') return 'unknown';
    return may[token]?.includes(path) === true ? 'allowed' : 'denied';
  };
  const all = await served({ host: '0.0.0.0', authorize });
  return { ...all, asked, url: all.web.url.replace('0.0.0.0', '127.0.0.1') };
}

const paths = ['/', '/metrics', '/events', '/objects/CSIVolume/shop/none', '/assets/live.js', '/none'];

test.for(paths)('%s is not answered without a token, and nobody is asked', async (path) => {
  const { url, asked } = await guarded();
  const { status, headers, body } = await get(url + path);
  expect([status, headers['www-authenticate'], body]).toEqual([401, 'Bearer', 'Needs a bearer token.\n']);
  expect(asked).toEqual([]);
});

test.for([
  'Bearer',
  'Bearer ',
  'Basic YTpi',
  'Bearer a b',
  'Bearer ümlaut',
  'Bearer a,Bearer b',
  'a',
  'Bearer =',
])('what is no bearer token is none: %j', async (authorization) => {
  const { url, asked } = await guarded();
  const headers = { Authorization: Buffer.from(authorization).toString('latin1') };
  expect((await get(`${url}/metrics`, { headers })).status).toBe(401);
  expect(asked).toEqual([]);
});

test.for([
  ['good', '/metrics', 200],
  ['good', '/metrics?format=x', 200],
  ['good', '/', 403],
  ['good', '//metrics', 403],
  ['good', '/metrics/', 403],
  ['good', '/%6Detrics', 403],
  ['bad', '/metrics', 403],
  ['late', '/metrics', 503],
] as const)(
  'who bears %j is answered by the verdict on that very path: %s',
  async ([token, path, status]) => {
    const { url } = await guarded({ good: ['/metrics'] });
    const reply = await get(url + path, bearer(token));
    expect([reply.status, reply.body.includes('up 1')]).toEqual([status, status === 200]);
  },
);

test('the probes need no token: a kubelet has none', async () => {
  const { url, asked } = await guarded();
  for (const path of ['/healthz', '/readyz']) expect((await get(url + path)).status).toBe(200);
  expect(asked).toEqual([]);
});

test('on loopback there is nobody to ask for a token', async () => {
  const { web } = await served({ authorize: () => Promise.reject(new Error('asked')) });
  expect((await get(`${web.url}/metrics`)).status).toBe(200);
});

test('a header without end is refused before anybody is asked', async () => {
  const { url, asked } = await guarded();
  expect((await get(`${url}/metrics`, bearer('x'.repeat(20_000)))).status).toBe(431);
  expect(asked).toEqual([]);
});

test('a page that is open asks again after a minute', async () => {
  const { url, clock, asked } = await guarded({ good: ['/events'] });
  const listener = await Listener.open(`${url}/events`, { Authorization: 'Bearer good' });
  expect(listener.status).toBe(200);
  for (let seconds = 0; seconds < 75; seconds += 15) clock.advance(15_000);
  await eventually('the stream ends', () => listener.closed);
  expect(asked).toHaveLength(1);
});

test('every address is listened to, of IPv4 too', async () => {
  const { web } = await served({ host: '::' });
  expect(web.url).toMatch(/^http:\/\/\[::\]:\d+$/);
  expect((await get(`http://127.0.0.1:${new URL(web.url).port}/healthz`)).status).toBe(200);
});
