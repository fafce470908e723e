import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { lower } from '../../../src/schema/crd/lower.ts';
import { mapOf, quantity } from '../../../src/schema/parts.ts';

const field = (schema: z.ZodType): z.ZodType => z.strictObject({ f: schema }).describe('d');
const text = z.string().max(4).describe('d');

describe('what is carried', () => {
  test.each([
    { schema: text, becomes: { type: 'string', maxLength: 4, description: 'd' }, why: 'text with its bound' },
    {
      schema: z.int().min(0).max(9).describe('d'),
      becomes: { type: 'integer', format: 'int64', minimum: 0, maximum: 9, description: 'd' },
      why: 'integers are int64, else the API server keeps floats',
    },
    {
      schema: z.literal('a').describe('d'),
      becomes: { type: 'string', enum: ['a'], description: 'd' },
      why: 'a constant is an enum of one',
    },
    {
      schema: mapOf(text, { entries: 2, key: 3 }).describe('d'),
      becomes: {
        type: 'object',
        description: 'd',
        additionalProperties: { type: 'string', maxLength: 4, description: 'd' },
        maxProperties: 2,
        'x-kubernetes-validations': [
          {
            rule: "self.all(k, k.size() >= 1 && k.size() <= 3 && k != '__proto__')",
            message: 'expected a key of 1 to 3 characters',
          },
        ],
      },
      why: 'maps keep their bounds, of keys as well',
    },
    {
      schema: quantity().describe('d'),
      becomes: {
        description: 'd',
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        minimum: 1,
        maximum: 7 * 2 ** 50,
        maxLength: 16,
        pattern: expect.stringMatching(/^\^.*Pi\)\$$/) as unknown,
      },
      why: 'the one union that structural schemas know',
    },
  ])('$why', ({ schema, becomes }) => {
    expect(lower(field(schema), '/spec')['properties']).toStrictEqual({ f: becomes });
  });

  test('required and optional stay apart', () => {
    const lowered = lower(z.strictObject({ a: text, b: text.exactOptional() }).describe('d'), '/spec');
    expect(lowered['required']).toStrictEqual(['a']);
    expect(lowered).not.toHaveProperty('additionalProperties');
  });
});

describe('what can not be carried is an error that names the place', () => {
  test.each([
    { schema: z.string().describe('d'), says: '/spec/f: string without maxLength', why: 'unbounded text' },
    {
      schema: z.array(text).describe('d'),
      says: '/spec/f: array without maxItems',
      why: 'an unbounded list',
    },
    {
      schema: z.array(z.string().describe('d')).max(1).describe('d'),
      says: '/spec/f/*: string without maxLength',
      why: 'unbounded text in a list',
    },
    {
      schema: z.record(z.string().max(4), text).describe('d'),
      says: '/spec/f: map without maxProperties',
      why: 'an unbounded map',
    },
    {
      schema: z.number().min(0).max(1).describe('d'),
      says: '/spec/f: "number" is not a type',
      why: 'CEL would see a double',
    },
    { schema: z.string().max(4), says: '/spec/f: no description', why: 'an undescribed field' },
    {
      schema: z.union([text, z.int().min(0).max(1)]).describe('d'),
      says: "/spec/f: anyOf can't be carried",
      why: 'a union',
    },
    {
      schema: z.discriminatedUnion('k', [z.strictObject({ k: z.literal('a') })]).describe('d'),
      says: "/spec/f: oneOf can't be carried",
      why: 'a discriminated union',
    },
    { schema: text.nullable(), says: "can't be carried", why: 'null' },
    {
      schema: text.default('x'),
      says: "/spec/f: default can't be carried",
      why: 'a default, which the API server would write back',
    },
    { schema: text.regex(/a/).regex(/b/), says: "/spec/f: allOf can't be carried", why: 'two patterns' },
    {
      schema: text.refine((value) => value !== 'no'),
      says: "a refinement can't be carried",
      why: 'a refinement, which zod would drop',
    },
    {
      schema: z.looseObject({}).describe('d'),
      says: '/spec/f/*: no description',
      why: 'an open object',
    },
    { schema: z.unknown().describe('d'), says: '/spec/f: undefined is not a type', why: 'anything' },
    {
      schema: z.string().max(4).transform(Number).pipe(z.number()).describe('d'),
      says: "a transform can't be carried",
      why: 'a transform, which zod would drop',
    },
    { schema: z.date().describe('d'), says: 'Date', why: 'a date' },
    {
      schema: z.union([z.string(), z.int()]).meta({ 'x-kubernetes-int-or-string': true, description: 'd' }),
      says: '/spec/f: string without maxLength',
      why: 'an unbounded branch',
    },
    {
      schema: z
        .union([z.int().min(0).max(1), text, z.boolean()])
        .meta({ 'x-kubernetes-int-or-string': true, description: 'd' }),
      says: '/spec/f: not an integer or a string',
      why: 'int-or-string that is something else besides',
    },
    {
      schema: z.union([text, text]).meta({ 'x-kubernetes-int-or-string': true, description: 'd' }),
      says: '/spec/f: not an integer or a string',
      why: 'int-or-string that is neither',
    },
  ])('$why', ({ schema, says }) => {
    expect(() => lower(field(schema), '/spec')).toThrow(says);
  });
});
