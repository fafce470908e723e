// What becomes of a question to an issuer: each fault of the way there has its own reason, and nothing is asked more than needed.
import { createServer as createSecureServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Issuers, type IssuersOptions } from '../../src/api/issuers.ts';
import { hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { folder } from '../support/cli.ts';
import { portOf } from '../support/port.ts';
import { deadUrl, gate, json, never, serve, serveBytes } from './servers.ts';
import { TurnedClock } from './secrets/service.ts';

const clock = new TurnedClock();
const issuers = (more: Partial<IssuersOptions> = {}) =>
  new Issuers({ gate: gate(), clock: { nowMs: clock.nowMs, wallMs: clock.nowMs }, ...more });
const question = (url: string, certificate = '') => ({ op: 'issuer.discover' as const, url, certificate });
const asked = (url: string, certificate = '', more: Partial<IssuersOptions> = {}) =>
  issuers(more).ask(question(url, certificate), 0, never);

describe('an issuer', () => {
  test('that answers is quoted as it is, whatever its status, and a redirect is not followed', async () => {
    const elsewhere = await json({ issuer: 'x' });
    const { url } = await serve(({ url: path }, response) => {
      response.writeHead(path === '/a?b=c' ? 200 : 302, { location: elsewhere.url }).end('{}');
    });
    expect(await asked(`${url}/a?b=c`)).toEqual({
      is: 'answer',
      status: 200,
      text: '{}',
      at: new Date(clock.nowMs()).toISOString(),
    });
    expect(await asked(`${url}/other`)).toMatchObject({ is: 'answer', status: 302 });
    expect(elsewhere.seen).toEqual([]);
  });

  test('that sends more than a mebibyte is read no further', async () => {
    const { url } = await serve((_, response) => void response.end('x'.repeat(2 ** 20 + 1)));
    expect(await asked(url)).toMatchObject({ is: 'fault', reason: 'IssuerAnswerTooLarge' });
    const { url: fits } = await serve((_, response) => void response.end('x'.repeat(2 ** 20)));
    expect(await asked(fits)).toMatchObject({ is: 'answer' });
  });

  test('that says nothing, or never comes to an end, is slow', async () => {
    const silent = (await serveBytes(() => undefined)).url;
    const endless = (await serve((_, response) => void response.write('{'))).url;
    for (const url of [silent, endless])
      expect(await asked(url, '', { deadlineMs: 50 })).toMatchObject({ is: 'fault', reason: 'IssuerSlow' });
  });

  test.for([
    { why: 'is not there', url: deadUrl, message: 'ECONNREFUSED' },
    {
      why: 'hangs up',
      url: async () => (await serveBytes((socket) => socket.destroy())).url,
      message: '127.0.0.1',
    },
    {
      why: 'speaks something else',
      url: async () => (await serveBytes((socket) => socket.end('SSH-2.0\r\n\r\n'))).url,
      message: '127.0.0.1',
    },
  ])('that $why is unavailable', async ({ url, message }) => {
    expect(await asked(await url())).toMatchObject({
      is: 'fault',
      reason: 'IssuerUnavailable',
      message: expect.stringContaining(message),
    });
  });

  test('that answers with bytes that are no text is unreadable', async () => {
    const { url } = await serve((_, response) => void response.end(Buffer.from([0xff, 0xfe])));
    expect(await asked(url)).toMatchObject({ is: 'fault', reason: 'IssuerUnreadable' });
  });

  test('is asked again only when the answer is older than it may be', async () => {
    const { url, seen } = await json({});
    const here = issuers();
    const first = await here.ask(question(url), 1_000, never);
    clock.turn(999);
    expect(await here.ask(question(url), 1_000, never)).toEqual(first);
    expect(seen.length).toBe(1);
    await here.ask(question(`${url}/other`), 1_000, never);
    clock.turn(1);
    expect((await here.ask(question(url), 1_000, never)).at).not.toBe(first.at);
    expect(seen.length).toBe(3);
  });

  test('that nobody waits for any more is no fault of the issuer', async () => {
    const gone = new AbortController();
    const { url } = await serveBytes(() => gone.abort(new Error('the process ends')));
    await expect(issuers().ask(question(url), 0, gone.signal)).rejects.toThrow('the process ends');
  });
});

/** With its authority and its own certificate. */
const secure = async () => {
  const at = await folder();
  makeCertificates(at);
  const read = (name: string) => readFileSync(join(at, name), 'utf8');
  const [cert, key] = [read('server.pem'), read('server.key')];
  const server = createSecureServer({ cert, key }, (_, response) => response.end('{}'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${portOf(server)}`, ca: read('ca.pem'), cert };
};

describe.skipIf(!hasOpenssl)('with TLS (skipped without openssl)', () => {
  test('the authorities of the declaration are trusted, and no others', async () => {
    const { url, ca, cert } = await secure();
    expect(await asked(url, ca)).toMatchObject({ is: 'answer' });
    for (const certificate of ['', cert, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])
      expect(await asked(url, certificate)).toMatchObject({
        is: 'fault',
        reason: 'IssuerNotTrusted',
      });
    const elsewhere = url.replace('127.0.0.1', '127.0.0.2');
    expect(await asked(elsewhere, ca)).toMatchObject({ is: 'fault' });
  });

  test('a server without TLS is not trusted', async () => {
    const { url } = await json({});
    expect(await asked(url.replace('http:', 'https:'))).toMatchObject({ reason: 'IssuerNotTrusted' });
  });
});
