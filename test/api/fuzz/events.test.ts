// Anything in place of the event stream's frames, cut anywhere: what is told is told alike, in order, and what is no frame
// is trouble with a type.
import type { StreamNotice } from '../../../src/api/scheduler/subscription.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsOf } from '../../../src/api/scheduler/events.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { jsonText, patience, runs } from './runs.ts';

/** Timers fire at once, but those that wait for the first word. */
const clock = {
  nowMs: () => 0,
  setTimer: (ms: number, fire: () => void) => {
    if (ms === 10_000) return () => {};
    const timer = setImmediate(fire);
    return () => clearImmediate(timer);
  },
};

async function* each(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

/** All that is told of connections that say this, one after the other, and how it ended. */
async function told(...connections: readonly (readonly Buffer[])[]) {
  const end = new AbortController();
  let at = 0;
  const open = () => {
    const pieces = connections[at++];
    if (pieces) return Promise.resolve({ status: 200, headers: {}, text: '', chunks: each(pieces) });
    end.abort();
    return Promise.reject(new ApiError('unavailable', 'Unavailable', 'no more'));
  };
  const seen: StreamNotice[] = [];
  try {
    for await (const one of eventsOf({ open, from: undefined, clock, random: () => 0, signal: end.signal }))
      seen.push(one);
    return { seen, error: undefined };
  } catch (error) {
    return { seen, error };
  }
}

const cutAt = (bytes: Buffer, places: readonly number[]): readonly Buffer[] => {
  const all = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted(
    (a, b) => a - b,
  );
  return all.slice(1).map((to, at) => bytes.subarray(all[at], to));
};

const name = fc.oneof(
  fc.constantFrom('CSIVolume', 'Allocation', '__proto__', ''),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const event = fc.record({
  Topic: name,
  Type: name,
  Key: name,
  Namespace: name,
  Payload: fc.dictionary(name, fc.jsonValue({ maxDepth: 1 })),
});
const frame = fc
  .record({ Index: fc.nat(20), Events: fc.array(event, { maxLength: 3 }) })
  .map((one) => JSON.stringify(one));
const line = fc.oneof(
  { weight: 4, arbitrary: frame },
  { weight: 2, arbitrary: fc.constantFrom('{}', '', '  ') },
);
const cuts = fc.array(fc.nat(), { maxLength: 8 });

test('wherever connections are cut, the same is told, and in order', patience, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.array(line, { minLength: 1, maxLength: 5 }), cuts), {
        minLength: 1,
        maxLength: 3,
      }),
      async (connections) => {
        const texts = connections.map(([lines]) => Buffer.from(lines.map((one) => `${one}\n`).join('')));
        const whole = await told(...texts.map((text) => [text]));
        const cut = await told(...texts.map((text, at) => cutAt(text, connections[at]?.[1] ?? [])));
        expect(cut).toEqual(whole);
        expect(whole.error).toBeUndefined();
        let last = -1;
        for (const one of whole.seen) {
          if (one.is === 'gap') last = -1; // another history may begin
          if (one.is !== 'frame') continue;
          expect(one.index).toBeGreaterThan(last);
          last = one.index;
        }
      },
    ),
    runs(150),
  );
});

const odd = fc.oneof(
  jsonText,
  fc.tuple(jsonText, jsonText).map(([index, events]) => `{"Index":${index},"Events":${events}}`),
  fc.array(jsonText, { maxLength: 2 }).map((events) => `{"Index":3,"Events":[${events.join()}]}`),
  jsonText.map((payload) => `{"Index":3,"Events":[{"Topic":"a","Type":"b","Key":"c","Payload":${payload}}]}`),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom(
    '['.repeat(50_000),
    `{"Index":3,"Events":[{"Topic":"a","Type":"b","Key":"c","Payload":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}]}`,
  ),
);

test('what is no frame is trouble or a refusal, and never quoted', patience, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(odd, { minLength: 1, maxLength: 4 }),
      fc.uint8Array({ maxLength: 12 }),
      async (lines, bytes) => {
        const text = Buffer.from(`{}\n${lines.join('\n')}\n`);
        const { seen, error } = await told([text], [Buffer.from(bytes), Buffer.from('canary\n')], []);
        expect(error === undefined || error instanceof ApiError).toBe(true);
        for (const one of seen) {
          if (one.is === 'frame')
            for (const { Topic, Key } of one.events)
              expect(`${typeof Topic} ${typeof Key}`).toBe('string string');
          if (one.is === 'lost')
            expect(one.message).toMatch(
              /^(event\.stream: (a line is|the answer is|closed by|it was)|no more)/,
            );
        }
        expect(JSON.stringify(seen.filter(({ is }) => is === 'lost'))).not.toContain('canary');
      },
    ),
    runs(150),
  );
});
