// Bind verification: against a directory that says what it is told to, and against slapd where that is installed.
import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifyBind, type BindCheck } from '../../../src/api/identity/ldap.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { hasSlapd, startSlapd, type Slapd } from '../../support/slapd.ts';
import { deadUrl, everythingOf, failure, gate, never, serveBytes } from '../servers.ts';
import { portOf } from '../../support/port.ts';

const good = 'canary-good-50f1';
const dn = 'uid=shop,dc=example,dc=org';
const box = (value: string) => Secret.of('shop/ldap', '1', value);

const check = (urls: readonly string[], more: Partial<BindCheck> = {}): BindCheck => ({
  urls,
  dn,
  password: box(good),
  timeoutMs: 3_000,
  ...more,
});
const verify = (urls: readonly string[], more: Partial<BindCheck> = {}, signal = never) =>
  verifyBind(check(urls, more), gate(), signal);

/** One message as LDAP has it: the answer to the second request of a connection, which ldapts numbers 2. */
const answer = (code: number, text = '') =>
  Buffer.from([
    48,
    12 + text.length,
    2,
    1,
    2,
    97,
    7 + text.length,
    10,
    1,
    code,
    4,
    0,
    4,
    text.length,
    ...Buffer.from(text),
  ]);

/** Speaks to a directory that answers a bind with this. */
async function says(bytes: Uint8Array): Promise<string> {
  const { url } = await serveBytes((socket) => socket.write(bytes));
  return url.replace('http:', 'ldap:');
}

describe('a directory', () => {
  test.for([
    { why: 'takes it', code: 0, is: 'accepted' },
    { why: 'does not', code: 49, is: 'rejected' },
    { why: 'has no password there', code: 48, is: 'rejected' },
    { why: 'has nobody there', code: 32, is: 'rejected' },
  ])('that $why is an answer', async ({ code, is }) => {
    expect(await verify([await says(answer(code))])).toBe(is);
  });

  test.for([
    { why: 'wants TLS', code: 13, error: { class: 'refused', reason: 'ConfidentialityRequired' } },
    { why: 'knows no such name', code: 34, error: { class: 'refused', reason: 'Rejected' } },
    { why: 'is busy', code: 51, error: { class: 'unavailable', reason: 'DirectoryError' } },
    { why: 'points elsewhere', code: 10, error: { class: 'unavailable', reason: 'DirectoryError' } },
  ])('that $why has not answered, and says so without the password', async ({ code, error }) => {
    const failed = await failure(verify([await says(answer(code, `no ${good}`))]));
    expect(failed).toMatchObject({ ...error, mayHaveHadEffect: false });
    expect(everythingOf(failed)).not.toContain('canary');
  });

  test('that can not be reached is asked no more: the next one is', async () => {
    const dead = (await deadUrl()).replace('http:', 'ldap:');
    expect(await verify([dead, await says(answer(49))])).toBe('rejected');
    expect(await failure(verify([dead, dead]))).toMatchObject({
      class: 'unavailable',
      reason: 'DirectoryUnreachable',
    });
    expect(await failure(verify([]))).toMatchObject({ class: 'unavailable' });
  });

  test('that says nothing is not waited for longer than asked, and not at all once nobody waits', async () => {
    const silent = (await serveBytes(() => undefined)).url.replace('http:', 'ldap:');
    expect(await failure(verify([silent], { timeoutMs: 50 }))).toMatchObject({ class: 'unavailable' });
    const gone = new AbortController();
    const { url } = await serveBytes(() => gone.abort());
    const failed = failure(verify([url.replace('http:', 'ldap:')], {}, gone.signal));
    expect(await failed).toMatchObject({ class: 'unavailable' });
  });

  test('that answers StartTLS with noise is never told the password', async () => {
    const told: Buffer[] = [];
    const started = Buffer.from([48, 12, 2, 1, 2, 120, 7, 10, 1, 0, 4, 0, 4, 0]);
    const url = await listening((socket) => {
      socket.on('data', (bytes) => {
        told.push(bytes);
        socket.write(told.length === 1 ? started : 'no TLS');
      });
    });
    expect(await failure(verify([url], { starttls: true }))).toMatchObject({ class: 'unavailable' });
    expect(told.length).toBeGreaterThan(1);
    expect(Buffer.concat(told).toString('latin1')).not.toContain(good);
  });

  test.for([
    { why: 'other messages', flood: Buffer.from([48, 5, 2, 1, 9, 97, 0]) },
    { why: 'one message', flood: Buffer.alloc(16) },
  ])('that never stops talking is not listened to: $why', async ({ flood }) => {
    const start = Buffer.from([48, 132, 127, 255, 255, 255]);
    const all = Buffer.alloc(2 ** 20, flood);
    const url = await listening((socket) => {
      socket.once('data', () => socket.write(flood[0] === 0 ? Buffer.concat([start, all]) : all));
    });
    const failed = await failure(verify([url]));
    expect(failed).toMatchObject({ class: 'unavailable' });
    expect(failed).not.toMatchObject({ message: expect.stringContaining('timed out') });
  });

  test('that says much at once before it answers ends nothing but its turn', async () => {
    const chatter = Buffer.alloc(9_000 * 7, Buffer.from([48, 5, 2, 1, 9, 97, 0]));
    expect(await verify([await says(Buffer.concat([chatter, answer(0)]))])).toBe('accepted');
  });

  test('that says random bytes is an error of ours, whatever they are', async () => {
    let next: Uint8Array = Buffer.alloc(0);
    const url = await listening((socket) => void socket.once('data', () => socket.end(next)));
    const head = fc.constantFrom(
      [],
      [48],
      [48, 12, 2, 1, 2],
      [48, 132, 127, 255, 255, 255],
      [48, 12, 2, 1, 2, 97, 7],
    );
    await fc.assert(
      fc.asyncProperty(head, fc.uint8Array({ maxLength: 40 }), async (start, bytes) => {
        next = Buffer.concat([Buffer.from(start), bytes, Buffer.from(good)]);
        const failed = await failure(verify([url], { timeoutMs: 500 }));
        expect(failed).toBeInstanceOf(ApiError);
        expect(everythingOf(failed)).not.toContain('canary');
      }),
    );
  });
});

/** As `serveBytes`, without its view of lines. */
async function listening(accept: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    accept(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `ldap://127.0.0.1:${portOf(server)}`;
}

describe('what is no question', () => {
  test.for<{ why: string; more: Partial<BindCheck>; reason: string }>([
    {
      why: 'an empty password: that bind is anonymous',
      more: { password: box('') },
      reason: 'EmptyPassword',
    },
    { why: 'no name: that one, too', more: { dn: '' }, reason: 'Rejected' },
    { why: 'a word that names a mechanism', more: { dn: 'EXTERNAL' }, reason: 'Rejected' },
    { why: 'another protocol', more: { urls: ['http://127.0.0.1'] }, reason: 'Rejected' },
    { why: 'no URL', more: { urls: ['127.0.0.1'] }, reason: 'Rejected' },
    { why: 'a password in a URL', more: { urls: ['ldap://u:canary@127.0.0.1'] }, reason: 'Rejected' },
  ])('is never sent: $why', async ({ more, reason }) => {
    const { url, lines } = await serveBytes((socket) => socket.destroy());
    const failed = await failure(verify([url.replace('http:', 'ldap:')], more));
    expect(failed).toMatchObject({ class: 'refused', reason });
    expect(everythingOf(failed)).not.toContain('canary');
    expect(lines).toEqual([]);
  });
});

test('every try passes the gate as what only reads', async () => {
  const told: object[] = [];
  const watched = gate({ onEffect: (info) => told.push(info) });
  const asked = check([(await deadUrl()).replace('http:', 'ldap:'), await says(answer(0))], { key: 'k' });
  await verifyBind(asked, watched, never);
  const info = { port: 'ldap', op: 'ldap.bind', mutates: false, key: 'k' };
  expect(told).toEqual([info, info]);
});

const pem = (text: string | undefined) => box(text ?? '');

describe.skipIf(!hasSlapd)('slapd', () => {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await startSlapd({ tls: true });
    return () => slapd.stop();
  });
  const shop = () => ({ dn: slapd.entries.shop.dn, password: box(slapd.entries.shop.password) });

  test('takes the right password and no other', async () => {
    expect(await verify([slapd.url], shop())).toBe('accepted');
    expect(await verify([slapd.url], { ...shop(), password: box('canary-wrong') })).toBe('rejected');
    expect(await verify([slapd.url], { ...shop(), dn: `uid=nobody,${slapd.base}` })).toBe('rejected');
  });

  test.for([
    { why: 'LDAPS', url: () => slapd.ldapsUrl ?? '', starttls: false },
    { why: 'StartTLS', url: () => slapd.url, starttls: true },
  ])('is trusted over $why only with its own CA, or where nobody looks', async ({ url, starttls }) => {
    const asked = { ...shop(), starttls };
    const ca = pem(slapd.ca);
    expect(await verify([url()], { ...asked, ca })).toBe('accepted');
    expect(await verify([url()], { ...asked, insecureTLS: true })).toBe('accepted');
    for (const more of [{ ca: pem(slapd.clientCert) }, {}]) {
      expect(await failure(verify([url()], { ...asked, ...more }))).toMatchObject({ class: 'unavailable' });
    }
    const named = url().replace('127.0.0.1', '127.1'); // the same host, but not what its certificate says
    expect(await failure(verify([named], { ...asked, ca }))).toMatchObject({ class: 'unavailable' });
  });

  test('sees no client certificate that is none', async () => {
    const broken = { clientCertificate: box('canary-certificate'), clientKey: box('canary-key') };
    const failed = await failure(verify([slapd.ldapsUrl ?? ''], { ...shop(), ...broken, ca: pem(slapd.ca) }));
    expect(failed).toMatchObject({ class: 'unavailable' });
    expect(everythingOf(failed)).not.toContain('canary');
  });

  test('that wants a client certificate is shown it', async () => {
    const strict = await startSlapd({ tls: true, demandsClientCertificate: true });
    onTestFinished(() => strict.stop());
    const asked = { ...shop(), ca: pem(strict.ca) };
    const own = { clientCertificate: pem(strict.clientCert), clientKey: pem(strict.clientKey) };
    for (const [url, starttls] of [
      [strict.ldapsUrl ?? '', false],
      [strict.url, true],
    ] as const) {
      expect(await verify([url], { ...asked, ...own, starttls })).toBe('accepted');
      expect(await failure(verify([url], { ...asked, starttls }))).toMatchObject({ class: 'unavailable' });
    }
  });
});
