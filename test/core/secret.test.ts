// A boxed value can't be printed, logged, serialised, compared or put in a status; only `reveal` and `encode` open it.
import { AssertionError, deepStrictEqual } from 'node:assert';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { format, formatWithOptions, inspect, isDeepStrictEqual } from 'node:util';
import { serialize } from 'node:v8';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ApiError, messageOf } from '../../src/core/errors.ts';
import { canonical } from '../../src/core/hash.ts';
import { Secret, encode, holdsSecret, publicOf, reveal, type Sealed } from '../../src/core/secret.ts';
import { boxing } from '../support/arbitraries.ts';

const canary = 'canary-5d1f';
const box = Secret.of('login/password', '7', canary);
/** The same, as code without types would have it. */
const any = JSON.parse('0') || box;
const thrown = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

/** What a stream was given while something was printed to it. */
function printed(print: (to: Writable) => void): string {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  print(stream);
  return chunks.join('');
}

const everything = { depth: Infinity, showHidden: true, showProxy: true, getters: true } as const;
const raw = { ...everything, customInspect: false };

const leaks: readonly { readonly way: string; readonly shown: () => string }[] = [
  { way: 'template', shown: () => `${any}` },
  { way: 'concatenation', shown: () => 'x' + any },
  { way: 'join', shown: () => [box, box].join() },
  { way: 'toLocaleString', shown: () => box.toLocaleString() },
  { way: 'URL parameter', shown: () => new URLSearchParams({ token: String(box) }).toString() },
  { way: 'JSON', shown: () => JSON.stringify(box) },
  { way: 'JSON of what holds it', shown: () => JSON.stringify({ a: [{ b: box }] }) },
  { way: 'JSON of a spread', shown: () => JSON.stringify({ ...any }) },
  { way: 'YAML', shown: () => stringify({ box }) },
  { way: 'inspect', shown: () => inspect(box, everything) },
  { way: 'inspect of what holds it', shown: () => inspect(new Map([[box, [box]]]), everything) },
  { way: 'inspect as a plain object', shown: () => inspect({ box }, raw) },
  { way: 'inspect of its class', shown: () => inspect(Secret, raw) + inspect(Secret.prototype, raw) },
  { way: 'inspect through a proxy', shown: () => inspect(new Proxy(box, {}), raw) },
  { way: 'format', shown: () => format('%s %o %O %j %d', box, box, box, box, box) },
  { way: 'format as a plain object', shown: () => formatWithOptions(raw, '%O', box) },
  { way: 'structuredClone', shown: () => inspect(structuredClone({ box }), raw) },
  { way: 'message port', shown: () => inspect(sent(box), raw) },
  { way: 'v8.serialize', shown: () => serialize(box).toString('latin1') },
  { way: 'properties', shown: () => inspect(Object.getOwnPropertyDescriptors(box), raw) },
  { way: 'keys', shown: () => Reflect.ownKeys(box).map(String).join() },
  { way: 'console', shown: () => printed((to) => new Console(to).dir(box, raw)) },
  { way: 'console.table', shown: () => printed((to) => new Console(to).table([box])) },
  {
    way: 'log',
    shown: () => printed((to) => pino(to).info({ box, list: [box] }, 'is %s %j %o', box, box, box)),
  },
  { way: 'log of an error', shown: () => printed((to) => pino(to).error(new Error('x', { cause: box }))) },
  { way: 'error message', shown: () => messageOf(new Error(`no ${any}`)) },
  { way: 'error cause', shown: () => inspect(new Error('x', { cause: { box } }), raw) },
  {
    way: 'API error cause',
    shown: () => inspect(new ApiError('refused', 'Rejected', 'no', { cause: box }), raw),
  },
  { way: 'aggregate error', shown: () => inspect(new AggregateError([box]), raw) },
  { way: 'thrown as it is', shown: () => messageOf(box) },
  {
    way: 'type error',
    shown: () =>
      inspect(
        thrown(() => Reflect.apply(Object(box), undefined, [])),
        raw,
      ),
  },
  {
    way: 'failed assertion',
    shown: () =>
      inspect(
        thrown(() => deepStrictEqual(box, canary.length)),
        raw,
      ),
  },
  { way: 'public form', shown: () => JSON.stringify(publicOf({ a: [box] })) },
  { way: 'canonical form', shown: () => canonical(publicOf(box)) },
];

function sent(value: unknown): unknown {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const received: unknown = receiveMessageOnPort(port2);
  port1.close();
  return received;
}

test.for(leaks)('the value does not get out by $way', ({ shown }) => {
  const text = shown();
  expect(text).not.toBe('');
  expect(text).not.toContain(canary);
  expect(text).not.toContain(Buffer.from(canary).toString('base64'));
});

test('the ways out are real: each shows a text that is not boxed', () => {
  const bare = { source: canary };
  expect(
    `${canary}${JSON.stringify(bare)}${inspect(bare, raw)}${serialize(bare).toString('latin1')}`,
  ).toMatch(new RegExp(`(?:${canary}.*){4}`, 's'));
  expect(printed((to) => pino(to).info({ bare }))).toContain(canary);
});

describe('what a box tells', () => {
  test('people: where to go to change it', () => {
    expect(String(box)).toBe('(secret login/password)');
    expect(JSON.stringify({ box })).toBe('{"box":"(secret login/password)"}');
  });

  test('memory: source and version, which tell edits apart without the value', () => {
    expect(publicOf({ a: [box, 1] })).toEqual({ a: [{ $secret: 'login/password', version: '7' }, 1] });
  });

  test('comparing: nothing of the value', () => {
    expect(isDeepStrictEqual(box, Secret.of('login/password', '7', 'another'))).toBe(true);
    expect(thrown(() => deepStrictEqual(box, Secret.of('login/password', '8', canary)))).toBeInstanceOf(
      AssertionError,
    );
  });
});

describe('opening', () => {
  test('gives the value to who may have it', () => {
    expect(reveal(box)).toBe(canary);
    expect(reveal(Secret.of('a/b', '1', ''))).toBe('');
  });

  test('what was not loaded names its source and sends nothing', () => {
    const unloaded = Secret.unloaded('login/password', '7');
    expect(unloaded.absence).toBeDefined();
    expect(() => reveal(unloaded)).toThrow('secret login/password was not loaded');
    expect(() => encode({ password: unloaded })).toThrow('secret login/password was not loaded');
    expect(publicOf(unloaded)).toEqual(publicOf(box));
  });

  test('a copy is no box: it has no value to give', () => {
    const forged: unknown = Object.create(Secret.prototype, { source: { value: 'login/password' } });
    if (!(forged instanceof Secret)) throw new Error('types could tell it from a real one');
    expect(() => reveal(forged)).toThrow(TypeError);
  });

  test('encode writes what JSON.stringify would have written without boxes', () => {
    fc.assert(
      fc.property(boxing, ({ sealed, plain }) => {
        expect(encode(sealed)).toBe(JSON.stringify(plain));
      }),
    );
  });

  test('encode leaves out what is undefined, as JSON does', () => {
    expect(encode({ a: undefined, b: [box] })).toBe(`{"b":["${canary}"]}`);
  });
});

describe('the public form', () => {
  test('of a value without boxes is that value', () => {
    fc.assert(
      fc.property(boxing, ({ plain }) => {
        expect(isDeepStrictEqual(publicOf(plain), plain)).toBe(true); // expect() mistakes __proto__
      }),
    );
  });

  test('differs exactly where boxes are', () => {
    fc.assert(
      fc.property(boxing, ({ sealed, plain, boxes }) => {
        expect(holdsSecret(sealed)).toBe(boxes > 0);
        expect(holdsSecret(plain)).toBe(false);
        expect(JSON.stringify(publicOf(sealed)).split('"$secret":"login/password"')).toHaveLength(boxes + 1);
      }),
    );
  });

  test('has no holes, and survives keys that mean something to JavaScript', () => {
    const value: Sealed = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
    const shown = publicOf({ value, hole: undefined });
    expect(JSON.stringify(shown)).toBe('{"value":{"__proto__":{"polluted":true},"constructor":1}}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
