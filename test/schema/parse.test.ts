import fc from 'fast-check';
import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { SpecError } from '../../src/core/errors.ts';
import type { Declaration } from '../../src/schema/declaration.ts';
import { validate } from '../../src/schema/parse.ts';
import { mapOf, name, quantity } from '../../src/schema/parts.ts';

const declaration = {
  kind: 'Disk',
  plural: 'disks',
  shortNames: [],
  scope: 'Namespaced',
  description: 'A disk.',
  spec: z.strictObject({
    id: name,
    size: quantity().exactOptional(),
    mode: z.enum(['slow', 'fast']).exactOptional(),
    count: z.int().min(1).max(9).exactOptional(),
    on: z.boolean().exactOptional(),
    tags: mapOf(z.string().max(8), { entries: 4, key: 11 }).exactOptional(),
    parts: z
      .array(z.strictObject({ label: z.string().max(8) }))
      .max(2)
      .exactOptional(),
  }),
  fields: { '/id': { change: 'identity' } },
  references: [],
  rules: [
    {
      rule: "!has(self.on) || !self.on || self.mode == 'fast'",
      message: 'only fast disks can be on',
      fieldPath: '.mode',
    },
    { rule: '!has(self.count) || self.count != 7', message: 'seven is not a number of disks' },
  ],
  columns: [],
} as const satisfies Declaration;

const problemsOf = (document: unknown, old?: unknown): readonly SpecError[] => {
  const checked = validate(declaration, document, old);
  return 'problems' in checked ? checked.problems : [];
};
const said = (spec: unknown, old?: unknown): readonly string[] =>
  problemsOf({ spec }, old).map((p) => p.message);

const nested = (depth: number): unknown =>
  Array.from({ length: depth }).reduce((below: unknown) => ({ a: below }), 'x');

describe('validate says what is wrong in words, with the place', () => {
  test.each([
    {
      spec: {},
      says: ['/spec/id: is required (a DNS label: a-z, 0-9 and - inside, up to 63 characters)'],
      why: 'a missing field',
    },
    { spec: undefined, says: ['/spec: is required (a map)'], why: 'no spec' },
    { spec: null, says: ['/spec: expected a map, got null'], why: 'a spec with nothing below it' },
    { spec: ['id'], says: ['/spec: expected a map, got a list'], why: 'a list' },
    {
      spec: { id: 'a', mode: 'RWX' },
      says: ['/spec/mode: expected one of slow, fast, got "RWX"'],
      why: 'not one of them',
    },
    {
      spec: { id: 'a', count: 1.5 },
      says: ['/spec/count: expected a whole number, got 1.5'],
      why: 'a fraction',
    },
    {
      spec: { id: 'a', count: '5' },
      says: ['/spec/count: expected a whole number, got "5"'],
      why: 'a quoted number',
    },
    { spec: { id: 'a', count: 10 }, says: ['/spec/count: expected at most 9, got 10'], why: 'too many' },
    { spec: { id: 'a', on: 'yes' }, says: ['/spec/on: expected true or false, got "yes"'], why: 'YAML 1.1' },
    {
      spec: { id: 'a', tags: { a: 3000 } },
      says: ['/spec/tags/a: expected text in quotes, got 3000'],
      why: 'a number that has to be quoted',
    },
    {
      spec: { id: 5 },
      says: ['/spec/id: expected a DNS label: a-z, 0-9 and - inside, up to 63 characters, in quotes, got 5'],
      why: 'a name that YAML takes for a number',
    },
    {
      spec: { id: 'a', size: '10GB' },
      says: [expect.stringMatching(/^\/spec\/size: expected a size in bytes .*, got "10GB"$/)],
      why: 'a suffix that does not exist',
    },
    {
      spec: { id: 'a', size: true },
      says: [expect.stringMatching(/^\/spec\/size: expected a size in bytes .*, got true$/)],
      why: 'neither number nor text',
    },
    {
      spec: { id: 'a', parts: [{ label: 'x' }, { label: 'y' }, { label: 'z' }] },
      says: ['/spec/parts: expected at most 2 entries, got 3 entries'],
      why: 'a long list',
    },
    {
      spec: { id: 'a', parts: [{ label: 'x'.repeat(9) }] },
      says: ['/spec/parts/0/label: expected at most 8 characters, got 9 characters'],
      why: 'a long text',
    },
    {
      spec: { id: 'a', parts: [{ label: 'x', lable: 'y' }] },
      says: ['/spec/parts/0/lable: unknown field "lable": did you mean "label"?'],
      why: 'a typing mistake deep inside',
    },
    {
      spec: { id: 'a', color: 'red' },
      says: [expect.stringMatching(/^\/spec\/color: unknown field "color": expected one of id, size, /)],
      why: 'a field of something else',
    },
    {
      spec: { id: 'a', tags: { 'a/b~c': 1 } },
      says: ['/spec/tags/a~1b~0c: expected text in quotes, got 1'],
      why: 'pointers are escaped as RFC 6901 has it',
    },
    {
      spec: { id: 'a', tags: { a: '', b: '', c: '', d: '', e: '' } },
      says: ['/spec/tags: expected at most 4 entries, got 5 entries'],
      why: 'a big map',
    },
    {
      spec: { id: 'a', tags: { 'twelve-chars': '' } },
      says: ['/spec/tags/twelve-chars: expected a key of 1 to 11 characters, got "twelve-chars"'],
      why: 'a long key',
    },
    {
      spec: { id: 'a', tags: 'hunter2' },
      says: ['/spec/tags: expected a map, got text'],
      why: 'text in the place of a map may be a secret: not shown',
    },
  ])('$why', ({ spec, says }) => {
    expect(said(spec)).toStrictEqual(says);
  });

  test('every problem of the shape is named, each place once', () => {
    expect(
      problemsOf({ spec: { id: '', mode: 1, nope: 1, parts: [{}] } })
        .map((p) => p.path)
        .toSorted(),
    ).toStrictEqual(['/spec/id', '/spec/mode', '/spec/nope', '/spec/parts/0/label']);
  });

  test('a document with thousands of problems is told twenty', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, i]));
    expect(said({ id: 'a', ...unknown })).toHaveLength(20);
    const parts = [
      { label: 'x', ...unknown },
      { label: 'y', ...unknown },
    ];
    expect(said({ id: 'a', ...unknown, parts })).toHaveLength(20);
  });

  test('what was found is cut short', () => {
    const [message = ''] = said({ id: 'a', mode: 'x'.repeat(100_000) });
    expect(message.length).toBeLessThan(200);
    expect(message).toContain('x…"');
  });

  test('a document that is no map has no spec', () => {
    for (const document of [null, 'spec', 5, []]) expect(problemsOf(document)).toHaveLength(1);
  });
});

describe('rules', () => {
  test('every broken rule is named at its field', () => {
    expect(said({ id: 'a', mode: 'slow', on: true, count: 7 })).toStrictEqual([
      '/spec/mode: only fast disks can be on',
      '/spec: seven is not a number of disks',
    ]);
  });

  test('a rule that can not be evaluated is a problem of the document', () => {
    expect(said({ id: 'a', on: true })).toStrictEqual([
      "/spec/mode: only fast disks can be on (the rule can't be evaluated: No such key: mode)",
    ]);
  });

  test('they are asked once the shape is right: on a wrong shape they would only echo what is wrong', () => {
    expect(said({ id: 'a', on: true, mode: 'slwo' })).toStrictEqual([
      '/spec/mode: expected one of slow, fast (did you mean slow?), got "slwo"',
    ]);
  });

  test('what may not change is compared with the last valid spec', () => {
    expect(said({ id: 'b' }, { id: 'a' })).toStrictEqual([
      '/spec/id: never changes; declare another object instead',
    ]);
    expect(said({ id: 'a' }, { id: 'a' })).toStrictEqual([]);
    expect(said({ id: 'b' })).toStrictEqual([]);
  });
});

describe('hostile input', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['tags'] = cyclic;
  const alias = Array.from({ length: 300 }, () => 'x');
  const bomb = Array.from({ length: 300 }, () => alias);

  test.each([
    { spec: nested(10_000), path: /^(\/spec)(\/a){32}$/, why: 'nesting that would overflow a stack' },
    { spec: cyclic, path: /^\/spec(\/tags){32}$/, why: 'a cycle, as YAML aliases can make' },
    {
      spec: { tags: bomb },
      path: /^\/spec\/tags/,
      why: 'a few bytes of YAML aliases that unfold to ninety thousand values',
    },
    {
      spec: JSON.parse('{"id":"a","tags":{"__proto__":"x"}}') as unknown,
      path: /^\/spec\/tags$/,
      why: 'a key that copying would drop',
    },
    {
      spec: JSON.parse('{"id":"a","__proto__":{"on":true}}') as unknown,
      path: /^\/spec$/,
      why: 'a prototype that would look like fields',
    },
    {
      spec: { id: 'a', tags: { ['k'.repeat(1_000_000)]: 'x' } },
      path: /^\/spec\/tags$/,
      why: 'a key of a megabyte',
    },
    {
      spec: { id: `${'a'.repeat(1_000_000)}!` },
      path: /^\/spec\/id$/,
      why: 'text that would keep a pattern busy',
    },
    {
      spec: { id: { length: { toString: 1, valueOf: 1 } } },
      path: /^\/spec$/,
      why: 'a length that can not be compared',
    },
  ])('$why is one short problem', ({ spec, path }) => {
    const [problem, ...others] = problemsOf({ spec });
    expect(others).toStrictEqual([]);
    expect(problem?.path).toMatch(path);
    expect(problem?.message.length).toBeLessThan(400);
  });

  test('names that every object inherits are plain keys', () => {
    expect(said({ id: 'a', tags: { constructor: 'x', toString: 'y', valueOf: 'z' } })).toStrictEqual([]);
    expect(said({ id: 'a', constructor: 'x' })[0]).toMatch(/unknown field "constructor"/);
    expect(said({ id: 'a', parts: [{ label: 'x', hasOwnProperty: 1 }] })[0]).toMatch(
      /unknown field "hasOwnProperty"/,
    );
  });

  test('whatever comes in, the answer is a spec or one to twenty problems', () => {
    const anything = fc.anything({ maxDepth: 4, withNullPrototype: true, withDate: true, withBigInt: true });
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.record({ id: fc.constant('a'), tags: anything, parts: anything })),
        (spec) => {
          const checked = validate(declaration, { spec }, spec);
          expect('spec' in checked || (checked.problems.length >= 1 && checked.problems.length <= 20)).toBe(
            true,
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});
