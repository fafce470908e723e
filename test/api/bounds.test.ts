// Answers that are too much, or in another form than was asked for, over real sockets: each ends in bounded memory, in an error with a type.
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../src/api/http/request.ts';
import { refusal } from '../../src/api/secrets/refusals.ts';
import { ApiError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import {
  client,
  everythingOf,
  failure,
  json,
  never,
  request,
  serve,
  serveBytes,
  streams,
  transport,
} from './servers.ts';
import { grownBy } from './memory.ts';
import { key, role, rotate, secretsClient } from './secrets/service.ts';

const mib = 2 ** 20;

/** Writes a piece again and again, as fast as it is taken, and then the end. */
function pour(socket: Socket, piece: string | Buffer, times: number, end: string): void {
  let left = times;
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(piece)) return;
    }
    if (left === 0) socket.end(end);
    left = -1;
  };
  socket.on('drain', more);
  more();
}

test('an answer in a million pieces weighs no more than in one', async () => {
  const { url } = await serveBytes((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    pour(socket, '1\r\nx\r\n'.repeat(10_000), 100, '0\r\n\r\n');
  });
  const grown = await grownBy(async () => {
    expect((await transport(url).request(request())).text).toHaveLength(1_000_000);
  });
  expect(grown).toBeLessThan(32); // 120 and more where every piece is kept
});

describe('an answer that is packed, though that was not asked for', () => {
  const packed = gzipSync(JSON.stringify({ data: { ttl: 0 } }));
  test.for([
    { why: 'well', encoding: 'gzip', body: packed },
    { why: 'and cut', encoding: 'gzip', body: packed.subarray(0, 12) },
    { why: 'as it says only', encoding: 'br', body: Buffer.from('{}') },
    { why: 'to burst', encoding: 'gzip, GZIP', body: gzipSync(Buffer.alloc(64 * mib)) },
  ])('is not read: $why', async ({ encoding, body }) => {
    const { url, seen } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    const unreadable = { class: 'unreadable', message: expect.stringContaining('is compressed') };
    const grown = await grownBy(async () => {
      expect(
        await failure(client([url]).read('volume.read', { id: 'data', namespace: 'shop' }, never)),
      ).toMatchObject(unreadable);
      expect(await secretsClient([url]).client.perform(rotate, key, never)).toMatchObject({
        is: 'unknown',
        error: unreadable,
      });
      expect(await failure(streams(url).stream(request()))).toMatchObject(unreadable);
    });
    expect(grown).toBeLessThan(32);
    expect(seen.map((one) => one.headers['accept-encoding'])).toEqual(['identity', 'identity', 'identity']);
  });

  test('and no success keeps its status, and shows nothing', async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(403, { 'content-encoding': 'gzip' }).end(packed),
    );
    expect(await secretsClient([url]).client.perform(rotate, key, never)).toMatchObject({
      error: { reason: 'PermissionDenied', message: 'ldap.role.rotate: status 403' },
    });
  });

  test('in no way at all is read', async () => {
    const { url } = await json({ ID: 'data' }, { 'content-encoding': 'Identity' });
    expect(await client([url]).read('volume.read', { id: 'data', namespace: 'shop' }, never)).toEqual({
      ID: 'data',
    });
  });
});

test('bytes that are no text are no password', async () => {
  const body = Buffer.from('{"data":{"password":"caf\xe9"}}', 'latin1');
  const { url } = await serve((_, response) => response.end(body));
  const error = await failure(secretsClient([url]).client.read('ldap.credential.read', role, never));
  expect(error).toMatchObject({
    class: 'unreadable',
    message: 'ldap.credential.read: the answer is not UTF-8',
  });
});

test.for(['[0', '[[]', '[{}', '[""'])('more values than anybody has are not made of a text: %s…', (unit) => {
  const text = `${unit}${`,${unit.slice(1)}`.repeat(4_000_000)}]`;
  expect(() => jsonOf('volume.list', text)).toThrow('volume.list: the answer has more than 4000000 values');
});

describe('a refusal', () => {
  const secret = 'canary-refused-token';
  const token = Secret.of('holdfast/token', '1', secret);

  test.for([65_537, 3_000_000])(
    'of %i bytes is known by its status alone: half a secret could be at its cut',
    async (length) => {
      const body = `${' '.repeat(length - 8)}${secret}`;
      const { url } = await serve((_, response) => response.writeHead(500).end(body));
      const read = failure(
        client([url], { token }).read('volume.read', { id: 'data', namespace: 'shop' }, never),
      );
      expect(await read).toMatchObject({ status: 500, message: 'volume.read: status 500' });
      const { client: secrets } = secretsClient([url], { token });
      expect(everythingOf(await failure(secrets.read('ldap.role.read', role, never)))).not.toContain(
        'canary',
      );
      const stream = await streams(url).stream(request());
      expect(stream).toMatchObject({ status: 500, text: '' });
    },
  );

  test('that is short enough is read whole', async () => {
    const body = `${' '.repeat(65_000)}volume in use`;
    const { url } = await serve((_, response) => response.writeHead(500).end(body));
    const read = failure(
      client([url], { token }).read('volume.read', { id: 'data', namespace: 'shop' }, never),
    );
    expect(await read).toMatchObject({ reason: 'VolumeInUse' });
  });

  test.for(['1', '\n', ' ', '\u2028', '* ', '1 error ', 'the configured schema ', 'LDAP Result Code ', '\\'])(
    'is understood at once, whatever it repeats: %j',
    (unit) => {
      const text = unit.repeat(65_536 / unit.length);
      const begun = performance.now();
      const refused = { op: 'ldap.config.write', mount: 'ldap', namespace: '', status: 500 } as const;
      const said = { text, shown: text, retryAfterMs: undefined, location: '' };
      expect(refusal({ ...refused, ...said })).toBeInstanceOf(ApiError);
      expect(performance.now() - begun).toBeLessThan(1_500); // twenty seconds where it looks at each place again
    },
  );

  test('that is one word too many gives the socket of its stream back', async () => {
    const { url } = await serve((_, response) => response.writeHead(403).end('x'.repeat(100_000)));
    const sender = streams(url);
    for (let again = 0; again < 3; again += 1) {
      expect(await sender.stream(request({ deadlineMs: 5_000 }))).toMatchObject({ status: 403 });
    }
  });
});

test('a page index that is none is as none at all: nobody could wait for it', async () => {
  for (const index of ['Infinity', '1e400', '1.5', '-1', '9007199254740993']) {
    const { url } = await json([], { 'X-Nomad-Index': index });
    expect(await client([url]).page('volume.list', { namespace: '*' }, never), index).toMatchObject({
      index: 1,
    });
  }
});

test('a warning longer than anybody reads is none', async () => {
  const { url } = await json({ warnings: ['w'.repeat(70_000), 'short'] });
  expect(await secretsClient([url]).client.perform(rotate, key, never)).toEqual({
    is: 'done',
    warnings: ['short'],
  });
});
