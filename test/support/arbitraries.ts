// Values for property tests: JSON as users and services write it, the names of `Object.prototype` included.
import fc from 'fast-check';
import { Secret, type Json, type Sealed } from '../../src/core/secret.ts';

/** Keys and texts, some of which mean something to JavaScript or to us. */
export const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', '$secret', 'length', ''),
);

const scalar = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0), // no -0: JSON has none
  text,
);

interface Boxing {
  /** Some texts are boxed. */
  readonly sealed: Sealed;
  /** The same without boxes. */
  readonly plain: Json;
  readonly boxes: number;
}

const count = (parts: readonly Boxing[]): number => parts.reduce((sum, { boxes }) => sum + boxes, 0);

const trees = fc.letrec<{ json: Json; boxing: Boxing }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
  boxing: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar.map((value) => ({ sealed: value, plain: value, boxes: 0 })),
    text.map((value) => ({ sealed: Secret.of('login/password', '1', value), plain: value, boxes: 1 })),
    fc.array(tie('boxing'), { maxLength: 4 }).map((parts) => ({
      sealed: parts.map(({ sealed }) => sealed),
      plain: parts.map(({ plain }) => plain),
      boxes: count(parts),
    })),
    fc.array(fc.tuple(text, tie('boxing')), { maxLength: 4 }).map((entries) => {
      const parts = new Map(entries); // of equal keys the last counts, as in an object
      return {
        sealed: Object.fromEntries([...parts].map(([key, { sealed }]) => [key, sealed])),
        plain: Object.fromEntries([...parts].map(([key, { plain }]) => [key, plain])),
        boxes: count([...parts.values()]),
      };
    }),
  ),
}));

export const { json, boxing } = trees;

/** An object's entries in another order. */
export const reordered = <T>(value: { readonly [key: string]: T }): { readonly [key: string]: T } =>
  Object.fromEntries(Object.entries(value).toReversed());
