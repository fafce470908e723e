// Bytes in place of an HTTP answer: cut at every place, random, too many. Each call ends in time, in an answer that is whole
// or in a typed error; and what was written is then not taken for done.
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../src/api/scheduler/decode.ts';
import type { SchedulerEffect } from '../../../src/api/routes.ts';
import { ApiError, type Outcome } from '../../../src/core/errors.ts';
import { client, everythingOf, never, request, serveBytes, transport } from '../servers.ts';
import { grownBy } from '../memory.ts';
import { jsonText, patience, runs } from './runs.ts';

const body = '[{"ID":"data","Namespace":"shop","Topologies":[{"Segments":{"zone":"ä"}}]}]\n';
const length = Buffer.byteLength(body);
const heads = [
  'HTTP/1.1 200 OK',
  'Content-Type: application/json',
  'X-Nomad-Index: 42',
  'Vary: Accept-Encoding',
  'Date: Sun, 01 Mar 2026 00:00:00 GMT',
].join('\r\n');
/** As a real server answers, in the three ways in which an answer can end. */
const recorded = [
  {
    way: 'by its length',
    bytes: Buffer.from(`${heads}\r\nContent-Length: ${length}\r\n\r\n${body}`),
    ends: true,
  },
  {
    way: 'by its last chunk',
    bytes: Buffer.from(
      `${heads}\r\nTransfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ),
    ends: true,
  },
  {
    way: 'with its connection',
    bytes: Buffer.from(`${heads}\r\nConnection: close\r\n\r\n${body}`),
    ends: false,
  },
];

const create: SchedulerEffect = {
  port: 'scheduler',
  op: 'volume.create',
  params: { id: 'data', namespace: 'shop' },
  body: { Volumes: [{ ID: 'data', Name: 'n', Namespace: 'shop', PluginID: 'ebs' }] },
};

/** Answers each request on a connection of its own with what is to be said then. */
async function saying() {
  const says: { next: Buffer } = { next: Buffer.alloc(0) };
  const { url } = await serveBytes((socket) => socket.end(says.next));
  const sender = transport(url);
  const writer = client([url]);
  return {
    read: async (bytes: Buffer) => {
      says.next = bytes;
      const { text, status } = await sender.request(request({ deadlineMs: 5_000 }));
      return status === 200 ? decode('volume.list', 'x', text).reply : status;
    },
    write: async (bytes: Buffer) => {
      says.next = bytes;
      return await writer.perform(create, 'k', never);
    },
  };
}

/** What is wrong with an error, if it is one. */
const wrong = (error: unknown): unknown =>
  error === undefined || (error instanceof ApiError && !everythingOf(error).includes('canary'))
    ? undefined
    : error;
const errorOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => undefined,
    (error: unknown) => error,
  );
const errorIn = (outcome: Outcome): unknown => (outcome.is === 'done' ? undefined : outcome.error);

describe.for(recorded)('an answer that ends $way', ({ bytes, ends }) => {
  test('is whole or none, wherever it is cut', patience, async () => {
    const { read, write } = await saying();
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const isWhole = cut >= bytes.length - (ends ? 0 : 1); // its last byte says nothing
      const part = bytes.subarray(0, cut);
      const error = await errorOf(read(part));
      if (isWhole) expect(error).toBeUndefined();
      else expect(error, `cut after ${cut} bytes`).toBeInstanceOf(ApiError);
      const isSaid = ends ? isWhole : part.includes('\r\n\r\n') && isUtf8(part);
      expect((await write(part)).is, `cut after ${cut} bytes`).toBe(isSaid ? 'done' : 'unknown');
    }
  });

  test('is an answer or an error, whatever is changed in it', patience, async () => {
    const { read, write } = await saying();
    const change = fc.tuple(
      fc.nat(bytes.length - 1),
      fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 13, 32, 58, 255)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = Buffer.from(bytes);
        for (const [at, byte] of changes) changed[at] = byte;
        expect(wrong(await errorOf(read(changed)))).toBeUndefined();
        expect(wrong(errorIn(await write(changed)))).toBeUndefined();
      }),
      runs(60),
    );
  });
});

const starts = [
  '',
  'HTTP/1.1 ',
  'HTTP/1.1 200',
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: ',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  'HTTP/1.1 204 No\r\ncontent-length: 5\r\n\r\n',
  'HTTP/1.1 999 Odd\r\n\r\n',
  'HTTP/2 200\r\n\r\n',
  'HTTP/1.0 200 OK\r\n\r\n',
  '\r\n\r\n',
];

test(
  'random bytes after any beginning: an answer or a typed error, which shows none of them',
  patience,
  async () => {
    const { read, write } = await saying();
    const rest = fc.oneof(
      fc.uint8Array({ maxLength: 80 }).map((all) => Buffer.from(all)),
      fc
        .array(
          fc.constantFrom(
            '\r\n',
            ':',
            '0',
            'f',
            ';',
            'a',
            ' ',
            '\t',
            '\0',
            '{',
            '}',
            'HTTP/1.1 200 OK\r\n\r\n',
          ),
          { maxLength: 20 },
        )
        .map((all) => Buffer.from(all.join(''))),
      jsonText.map((all) => Buffer.from(all)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...starts), rest, async (start, more) => {
        const bytes = Buffer.concat([Buffer.from(start), more, Buffer.from('canary')]);
        expect(wrong(await errorOf(read(bytes)))).toBeUndefined();
        const outcome = await write(bytes);
        if (outcome.is === 'rejected') expect(outcome.error.status).toBeDefined(); // it was answered, then
      }),
      runs(250),
    );
  },
);

test.for([
  { why: 'headers', piece: 'x: y\r\n', start: 'HTTP/1.1 200 OK\r\n' },
  { why: 'one header', piece: 'y', start: 'HTTP/1.1 200 OK\r\nx: ' },
  { why: 'the name of a header', piece: 'y', start: 'HTTP/1.1 200 OK\r\n' },
  { why: 'trailers', piece: 'x: y\r\n', start: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n' },
  { why: 'answers that are none yet', piece: 'HTTP/1.1 103 E\r\nx: y\r\n\r\n', start: '' },
  { why: 'further answers', piece: 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx', start: '' },
])('a flood of $why takes no memory', async ({ piece, start }) => {
  const flood = Buffer.from(piece.repeat(65_536 / piece.length));
  const { url } = await serveBytes((socket) => {
    socket.write(start);
    let left = 160; // 10 MiB
    const more = () => {
      while (left-- > 0 && socket.write(flood));
      if (left < 0) socket.end();
    };
    socket.on('drain', more);
    more();
  });
  const grown = await grownBy(async () => {
    const error = await errorOf(transport(url).request(request({ deadlineMs: 5_000 })));
    expect(wrong(error)).toBeUndefined();
  });
  expect(grown).toBeLessThan(24);
});
