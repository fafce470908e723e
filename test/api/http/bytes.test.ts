// Bytes and lines that come in pieces of any size: the same come out, and they weigh what they are.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bytes } from '../../../src/api/http/bytes.ts';
import { linesOf } from '../../../src/api/http/lines.ts';
import { grownBy } from '../memory.ts';
import { failure } from '../servers.ts';

const piece = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));

test('whatever the pieces are, all of them come out once, and none is written to', () => {
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 12 }), { maxLength: 3 }), (rounds) => {
      const bytes = new Bytes();
      for (const pieces of rounds) {
        const before = Buffer.concat(pieces);
        for (const one of pieces) bytes.add(one);
        expect(bytes.length).toBe(before.length);
        expect(bytes.take()).toEqual(before);
        expect(Buffer.concat(pieces)).toEqual(before);
      }
    }),
  );
});

test('pieces do not keep what they came in', async () => {
  const bytes = new Bytes();
  const grown = await grownBy(async () => {
    for (let count = 0; count < 3_000; count += 1) {
      bytes.add(Buffer.alloc(65_536, 'x').subarray(7, 8));
      if (count % 300 === 0) await new Promise(setImmediate);
    }
  });
  expect(bytes.length).toBe(3_000);
  expect(grown).toBeLessThan(96); // 190 where they do
});

async function all(chunks: readonly Buffer[], bytesMax = 1_000): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of linesOf('event.stream', each(chunks), bytesMax)) lines.push(line);
  return lines;
}

async function* each(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}

test('a line is one wherever it is cut, in the middle of a character too', async () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => text.replaceAll('\n', ''));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 6 }),
      line,
      fc.array(fc.nat(60)),
      async (lines, rest, cuts) => {
        const bytes = Buffer.from([...lines, rest].join('\n'));
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted(
          (a, b) => a - b,
        );
        const chunks = places.slice(1).map((to, at) => bytes.subarray(places[at], to));
        expect(await all(chunks)).toEqual(lines);
      },
    ),
  );
});

test.for([
  ['too long at once', [Buffer.from(`${'x'.repeat(11)}\n`)]],
  ['too long in pieces', Array.from({ length: 11 }, () => Buffer.from('x'))],
  ['no text', [Buffer.from([0xc3, 0x28, 0x0a])]],
] as const)('a line that is %s ends the stream with an error that does not quote it', async ([, chunks]) => {
  const error = await failure(all(chunks, 10));
  expect(error).toMatchObject({
    class: 'unreadable',
    message: expect.stringMatching(/^event\.stream: a line is/),
  });
});

test('a line in a million pieces weighs no more than in one', async () => {
  const crumb = Buffer.from('x');
  const grown = await grownBy(async () => {
    const crumbs = (async function* () {
      for (let count = 0; count < 1_000_000; count += 1) {
        yield crumb.subarray(0, 1);
        if (count % 50_000 === 0) await new Promise(setImmediate);
      }
      yield Buffer.from('\n');
    })();
    for await (const line of linesOf('event.stream', crumbs, 2_000_000)) expect(line).toHaveLength(1_000_000);
  });
  expect(grown).toBeLessThan(32);
});
