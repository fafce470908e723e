import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { get, served } from './serving.ts';

const paths = [
  '/',
  '/objects/CSIVolume/shop/none',
  '/assets/live.js',
  '/healthz',
  '/readyz',
  '/metrics',
  '/none',
];

test.for(paths)(
  '%s forbids scripts from elsewhere, framing, guessing of types and being kept',
  async (path) => {
    const { web } = await served();
    const { headers } = await get(web.url + path);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['cache-control']).toBe(path.startsWith('/assets/') ? 'no-cache' : 'no-store');
  },
);

test('a page holds no script and no style of its own: the policy would stop them', async () => {
  const { web } = await served();
  const { body } = await get(web.url);
  expect(body).not.toMatch(/<script(?! src=)|<style|\sstyle=|\son[a-z]+=/);
});

test.for(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
  '%s is refused: the page only reads',
  async (method) => {
    const { web } = await served();
    const { status, headers } = await get(web.url, { method });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  },
);

test('HEAD answers as GET does, without the body', async () => {
  const { web } = await served();
  const [head, whole] = await Promise.all([get(web.url, { method: 'HEAD' }), get(web.url)]);
  expect([head.status, head.body]).toEqual([200, '']);
  expect(head.headers['content-length']).toBe(whole.headers['content-length']);
});

test.for([
  'evil.example',
  'evil.example:80',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '[::2]',
  '169.254.1.1',
])('a page of another name that points here learns nothing: Host %j', async (host) => {
  const { web } = await served();
  const { status, body } = await get(`${web.url}/metrics`, { headers: { Host: host } });
  expect([status, body.includes('up 1')]).toEqual([421, false]);
});

test.for(['localhost', 'LOCALHOST:9999', '127.0.0.1:1', '[::1]:8080'])(
  'this machine is answered under its own names, on a forwarded port too: Host %s',
  async (host) => {
    const { web } = await served();
    expect((await get(web.url, { headers: { Host: host } })).status).toBe(200);
  },
);

test('bound to every address, the names are not ours to judge: a probe comes by an address', async () => {
  const { web } = await served({ host: '0.0.0.0' });
  const { status } = await get(`${web.url}/healthz`, { headers: { Host: '10.2.3.4:8081' } });
  expect(status).toBe(200);
});

test('the probes tell what they are told', async () => {
  let [ready, alive] = [false, true];
  const { web } = await served({ ready: () => ready, alive: () => alive });
  const probe = async () => [
    (await get(`${web.url}/readyz`)).status,
    (await get(`${web.url}/healthz`)).status,
  ];
  expect(await probe()).toEqual([503, 200]);
  expect((await get(web.url)).body).toContain('Holdfast itself is not ready');
  [ready, alive] = [true, false];
  expect(await probe()).toEqual([200, 503]);
});

test('a file that the browser has is not sent again', async () => {
  const { web } = await served();
  const first = await get(`${web.url}/assets/base.css`);
  const again = await get(`${web.url}/assets/base.css`, {
    headers: { 'If-None-Match': first.headers.etag ?? '' },
  });
  expect([first.status, again.status, again.body]).toEqual([200, 304, '']);
});

test.for(['/assets/../server.ts', '/assets/%2e%2e/server.ts', '/assets/', '/assets/toString'])(
  'no other file can be had: %s',
  async (path) => {
    const { web } = await served();
    const url = new URL(web.url);
    const answer = await raw(
      Number(url.port),
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  },
);

test('an object that is not there is a 404 that leads back', async () => {
  const { web } = await served();
  const { status, body } = await get(`${web.url}/objects/CSIVolume/shop/none`);
  expect(status).toBe(404);
  expect(body).toContain('<a href="/">All objects</a>');
});

test('an endless address and endless headers are refused', async () => {
  const { web } = await served();
  expect((await get(`${web.url}/?q=${'x'.repeat(5_000)}`)).status).toBe(414);
  expect((await get(web.url, { headers: { 'X-Long': 'x'.repeat(20_000) } })).status).toBe(431);
});

test('a bug answers 500 without its message, and is told', async () => {
  const bugs: unknown[] = [];
  const error = new Error('canary-4711');
  const metrics = { contentType: 'text/plain', metrics: () => Promise.reject(error) };
  const { web } = await served({ metrics, onBug: (bug) => bugs.push(bug) });
  const { status, body } = await get(`${web.url}/metrics`);
  expect([status, body.includes('canary-4711'), bugs]).toEqual([500, false, [error]]);
});

test('a taken port is an error of whoever starts it', async () => {
  const { web } = await served();
  await expect(served({ port: Number(new URL(web.url).port) })).rejects.toThrow(/EADDRINUSE/);
});

/** Sends bytes as they stand: clients tidy paths. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (more: string) => (text += more));
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}
