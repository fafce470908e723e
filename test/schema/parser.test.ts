// The typed spec, for kinds: checked once, and held once.
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { SpecError } from '../../src/core/errors.ts';
import type { Declaration } from '../../src/schema/declaration.ts';
import { accept, parser, validate } from '../../src/schema/parse.ts';
import { name, quantity } from '../../src/schema/parts.ts';

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
  }),
  fields: { '/id': { change: 'identity' } },
  references: [],
  rules: [],
  columns: [],
} as const satisfies Declaration;

describe('parser', () => {
  test('gives the typed spec, or throws its first problem', () => {
    const parse = parser(declaration);
    const spec = parse({ id: 'a', size: '1Gi' });
    expect(spec).toStrictEqual({ id: 'a', size: '1Gi' });
    expectTypeOf(spec.size).toEqualTypeOf<string | number | undefined>();
    expect(() => parse({ mode: 'x' })).toThrow(SpecError);
    expect(() => parse({ mode: 'x' })).toThrow('/spec/id: is required');
  });

  test('checks a spec once for as long as it stays the same value; what is no object, each time', () => {
    let checks = 0;
    const counted = {
      ...declaration,
      get spec() {
        checks += 1;
        return declaration.spec;
      },
    };
    const [parse, spec] = [parser(counted), { id: 'a' }];
    validate(counted, { spec });
    checks = 0;
    for (const each of [spec, spec]) expect(parse(each)).toBe(spec);
    expect(checks).toBe(0);
    expect(parse({ id: 'a' })).toStrictEqual(spec);
    for (const each of [null, 7, null]) expect(() => parse(each)).toThrow(SpecError);
    expect(checks).toBe(4);
  });

  test('takes a spec that was accepted earlier as it is, for that declaration alone', () => {
    const other = { ...declaration };
    const spec = { id: 'A' };
    accept(declaration, spec);
    expect(parser(declaration)(spec)).toBe(spec);
    expect(() => parser(other)(spec)).toThrow(SpecError);
    expect(validate(declaration, { spec })).toHaveProperty('problems');
  });
});
