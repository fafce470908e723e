// What becomes of a question to an issuer: each fault of the way there has its own reason, and nothing is asked more than needed.
import { createServer as createSecureServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Issuers, type IssuersOptions } from '../../../src/api/identity/issuers.ts';
import { Secret } from '../../../src/core/secret.ts';
import { hasOpenssl, makeCertificates } from '../../support/certificates.ts';
import { folder } from '../../support/cli.ts';
import { portOf } from '../../support/port.ts';
import { deadUrl, gate, json, never, serve, serveBytes } from '../servers.ts';
import { TurnedClock } from '../secrets/service.ts';

const clock = new TurnedClock();
const issuers = (more: Partial<IssuersOptions> = {}) =>
  new Issuers({ gate: gate(), clock: { nowMs: clock.nowMs, wallMs: clock.nowMs }, ...more });
const asked = (url: string, certificate = '', more: Partial<IssuersOptions> = {}) =>
  issuers(more).authorize({ url, certificate }, never);

describe('an issuer', () => {
  test('that redirects is not followed: where it leads is the answer', async () => {
    const elsewhere = await json({ issuer: 'x' });
    const { url } = await serve((_, response) => {
      response.writeHead(302, { location: elsewhere.url }).end('{}');
    });
    expect(await asked(`${url}/a?b=c`)).toEqual({ status: 302, location: elsewhere.url, error: '' });
    expect(elsewhere.seen).toEqual([]);
  });

  test('that says what it is called is asked at one address, and its clock is compared', async () => {
    const date = new Date(clock.nowMs() - 90_000).toUTCString();
    const { url, seen } = await json({ issuer: 'x', claims_supported: ['sub'] }, { date, age: '30' });
    const { value } = await issuers().discover({ url: `${url}/a/`, certificate: '' }, 0, never);
    expect(value).toMatchObject({ issuer: 'x', claims: ['sub'], algorithms: undefined, skewMs: -60_000 });
    expect(seen.map((one) => one.url)).toEqual(['/a/.well-known/openid-configuration']);
  });

  test('that sends more than a mebibyte is read no further', async () => {
    const { url } = await serve((_, response) => void response.end('x'.repeat(2 ** 20 + 1)));
    expect(await asked(url)).toMatchObject({ reason: 'IssuerAnswerTooLarge' });
    const { url: fits } = await serve((_, response) => void response.end('x'.repeat(2 ** 20)));
    expect(await asked(fits)).toMatchObject({ status: 200 });
  });

  test('that says nothing, or never comes to an end, is slow', async () => {
    const silent = (await serveBytes(() => undefined)).url;
    const endless = (await serve((_, response) => void response.write('{'))).url;
    for (const url of [silent, endless])
      expect(await asked(url, '', { deadlineMs: 50 })).toMatchObject({ reason: 'IssuerSlow' });
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
      reason: 'IssuerUnavailable',
      message: expect.stringContaining(message),
    });
  });

  test('that answers with bytes that are no text is unreadable', async () => {
    const { url } = await serve((_, response) => void response.end(Buffer.from([0xff, 0xfe])));
    expect(await asked(url)).toMatchObject({ reason: 'IssuerUnreadable' });
  });

  test('is asked again only when the answer is older than it may be', async () => {
    const { url, seen } = await json({});
    const here = issuers();
    const ask = (at: string) => here.discover({ url: at, certificate: '' }, 1_000, never);
    const first = await ask(url);
    expect(first.at).toBe(new Date(clock.nowMs()).toISOString());
    clock.turn(999);
    expect(await ask(url)).toEqual(first);
    expect(seen.length).toBe(1);
    await ask(`${url}/other`);
    clock.turn(1);
    expect((await ask(url)).at).not.toBe(first.at);
    expect(seen.length).toBe(3);
  });

  test('is shown the client’s secret and no one else is: of its answer only the code of an error is kept', async () => {
    const answers = [
      { status: 401, text: '{"error": "invalid_client", "error_description": "canary-secret is wrong"}' },
      { status: 400, text: '{"error": "invalid_client", "error_description": "canary-secret is wrong"}' },
      { status: 200, text: '{"access_token": "canary-access", "token_type": "bearer"}' },
    ];
    const { url, seen } = await serve((_, response) => {
      const { status = 0, text = '' } = answers.shift() ?? {};
      response.writeHead(status).end(text);
    });
    const client = { id: 'a b', secret: Secret.of('oidc', '1', 'canary:secret') };
    const ask = () => issuers().token({ url, certificate: '' }, client, never);
    expect(await ask()).toEqual({ status: 400, location: '', error: 'invalid_client' });
    expect(await ask()).toEqual({ status: 200, location: '', error: '' });
    const basic = Buffer.from('a%20b:canary%3Asecret').toString('base64');
    expect(seen[0]).toMatchObject({
      method: 'POST',
      body: 'grant_type=client_credentials',
      headers: { authorization: `Basic ${basic}` },
    });
    expect(seen).toHaveLength(3);
  });

  test('is shown the secret in the body if it refuses it in the header, for it may take it there only', async () => {
    const { url, seen } = await serve(({ headers, body }, response) => {
      const { client_id: id, client_secret: secret } = Object.fromEntries(new URLSearchParams(body));
      const isRight = headers.authorization === undefined && id === 'a b' && secret === 'canary:&secret';
      response.writeHead(isRight ? 200 : 401).end(isRight ? '{}' : '{"error":"invalid_client"}');
    });
    const ask = (secret: string) => {
      const client = { id: 'a b', secret: Secret.of('oidc', '1', secret) };
      return issuers().token({ url, certificate: '' }, client, never);
    };
    expect(await ask('canary:&secret')).toEqual({ status: 200, location: '', error: '' });
    expect(seen[1]?.body).toContain('grant_type=client_credentials');
    expect(await ask('canary-wrong')).toEqual({ status: 401, location: '', error: 'invalid_client' });
    expect(seen).toHaveLength(4);
  });

  test.for([
    { why: 'an outage', inBody: { status: 503, text: '' }, expected: { reason: 'IssuerUnavailable' } },
    {
      why: 'another error',
      inBody: { status: 400, text: '{"error":"unauthorized_client"}' },
      expected: { error: 'unauthorized_client' },
    },
  ])(
    'that refuses the header and answers the body with $why has not refused the secret',
    async ({ inBody, expected }) => {
      const answers = [{ status: 401, text: '{"error":"invalid_client"}' }, inBody];
      const { url } = await serve((_, response) => {
        const { status = 0, text = '' } = answers.shift() ?? {};
        response.writeHead(status).end(text);
      });
      const client = { id: 'a', secret: Secret.of('oidc', '1', 'canary') };
      expect(await issuers().token({ url, certificate: '' }, client, never)).toMatchObject(expected);
    },
  );

  test('that nobody waits for any more is no fault of the issuer', async () => {
    const gone = new AbortController();
    const { url } = await serveBytes(() => gone.abort(new Error('the process ends')));
    await expect(issuers().authorize({ url, certificate: '' }, gone.signal)).rejects.toThrow(
      'the process ends',
    );
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
    expect(await asked(url, ca)).toMatchObject({ status: 200 });
    for (const certificate of ['', cert, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])
      expect(await asked(url, certificate)).toMatchObject({
        reason: 'IssuerNotTrusted',
      });
  });

  test('a server without TLS is not trusted', async () => {
    const { url } = await json({});
    expect(await asked(url.replace('http:', 'https:'))).toMatchObject({ reason: 'IssuerNotTrusted' });
  });
});
