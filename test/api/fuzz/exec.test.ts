// Anything in place of a command's WebSocket: frames of any sort, cut, masked, fragmented, too large, or bytes that are none.
// A command ends in what it came to or in a typed error that shows nothing of it.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { echo, canary, data, execClient, exited } from '../exec-service.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { grownBy } from '../memory.ts';
import { everythingOf, never, serveBytes } from '../servers.ts';
import { jsonText, patience, runs } from './runs.ts';

/** Agrees to each socket, says this over it and ends it. */
async function saying(pour?: (write: (bytes: Buffer) => boolean, end: () => void) => void) {
  const says: { next: Buffer } = { next: Buffer.alloc(0) };
  const { url } = await serveBytes((socket, _, use, bytes) => {
    if (use > 1) return;
    const key = /sec-websocket-key: (.*)\r\n/i.exec(bytes.toString('latin1'))?.[1] ?? '';
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    if (pour)
      pour(
        (more) => socket.write(more),
        () => socket.end(),
      );
    else socket.end(says.next);
  });
  const sender = execClient([url]);
  const execute = () =>
    sender.execute({ ...echo, deadlineMs: 10_000 }, never).then(
      (result) => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error }),
    );
  return { says, execute };
}

interface Frame {
  readonly fin: boolean;
  readonly rsv: number;
  readonly opcode: number;
  readonly masked: boolean;
  readonly payload: Buffer;
  /** Bytes that it says it has, besides. */
  readonly more: number;
}

function encoded({ fin, rsv, opcode, masked, payload, more }: Frame): Buffer {
  const length = payload.length + more;
  const size = length < 126 ? [length] : [126, (length >> 8) & 255, length & 255];
  const [first = 0, ...rest] = size;
  const head = [(fin ? 0x80 : 0) | (rsv << 4) | opcode, (masked ? 0x80 : 0) | first, ...rest];
  return Buffer.concat([Buffer.from(head), ...(masked ? [Buffer.alloc(4)] : []), payload]);
}

const said = fc
  .oneof(
    fc.constantFrom(
      data('stdout', 'out'),
      data('stderr', 'err'),
      exited({ exit_code: 3 }),
      exited(),
      '{}',
      `{"stdout":{"data":"${canary}"}}`,
      '{"exited":true,"result":{"exit_code":"x"}}',
    ),
    jsonText,
    fc
      .tuple(fc.constantFrom('stdout', 'stderr', 'exited', 'result'), jsonText)
      .map(([name, value]) => `{"${name}":${value}}`),
  )
  .map((text) => Buffer.from(text));
const usual = said.map((payload): Frame => ({
  fin: true,
  rsv: 0,
  opcode: 1,
  masked: false,
  payload,
  more: 0,
}));
const closing = fc
  .tuple(fc.nat(65_535), fc.constantFrom('', 'Permission denied', canary))
  .map(([code, why]): Frame => ({
    fin: true,
    rsv: 0,
    opcode: 8,
    masked: false,
    payload: Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(why)]),
    more: 0,
  }));
const odd = fc.record({
  fin: fc.boolean(),
  rsv: fc.constantFrom(0, 0, 0, 1, 4),
  opcode: fc.nat(15),
  masked: fc.boolean(),
  payload: fc.oneof(
    said,
    fc.uint8Array({ maxLength: 20 }).map((all) => Buffer.from(all)),
  ),
  more: fc.constantFrom(0, 0, 1, 60_000),
});
const frames = fc.array(
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: closing }, { weight: 2, arbitrary: odd }),
  { maxLength: 6 },
);

test('frames of any sort, then the end', patience, async () => {
  const { says, execute } = await saying();
  await fc.assert(
    fc.asyncProperty(frames, fc.uint8Array({ maxLength: 30 }), async (all, bytes) => {
      says.next = Buffer.concat([...all.map(encoded), Buffer.from(bytes)]);
      const { result, error } = await execute();
      if (result) expect(result.exitCode).toSatisfy(Number.isInteger);
      if (result) return;
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({
        mayHaveHadEffect: !(error instanceof ApiError && error.status !== undefined),
      });
      expect(everythingOf(error)).not.toContain('canary-that-nobody');
    }),
    runs(120),
  );
});

const plain = (opcode: number, payload: string, fin = true) =>
  encoded({ fin, rsv: 0, opcode, masked: false, payload: Buffer.from(payload), more: 0 });

describe('of what never ends no more is held than is kept', () => {
  test.for([
    { why: 'fragments of one byte', piece: plain(0, 'x', false), begins: plain(1, '{', false) },
    { why: 'fragments of none', piece: plain(0, '', false), begins: plain(1, '{', false) },
    { why: 'pings', piece: plain(9, 'x'.repeat(100)), begins: plain(1, '{}') },
    { why: 'output of one byte', piece: plain(1, data('stdout', 'x')), begins: plain(1, '{}') },
    { why: 'frames that say nothing', piece: plain(1, '{}'), begins: plain(1, '{}') },
  ])('$why', patience, async ({ piece, begins }) => {
    const flood = Buffer.concat(Array.from({ length: Math.ceil(32_768 / piece.length) }, () => piece));
    const { execute } = await saying((write, end) => {
      write(begins);
      for (let count = 0; count < 64; count += 1) write(flood); // 2 MiB
      end();
    });
    const grown = await grownBy(async () => {
      expect((await execute()).error).toBeInstanceOf(ApiError);
    });
    expect(grown).toBeLessThan(16);
  });
});
