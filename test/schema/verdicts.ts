// Two verdicts on one spec, the parser's and the API server's, and edits of specs on which to compare them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crd } from '../../src/schema/crd/crd.ts';
import type { Declaration } from '../../src/schema/declaration.ts';
import { validate } from '../../src/schema/parse.ts';
import { admits, at, isNode, type Node } from './structural.ts';

/** The object with what the judges need of its metadata. */
function objectSchemaOf(declaration: Declaration): Node {
  const schema = at(crd(declaration), 'spec', 'versions', 0, 'schema', 'openAPIV3Schema');
  const name = { type: 'object', properties: { name: { type: 'string' } } };
  return { ...schema, properties: { metadata: name, spec: at(schema, 'properties', 'spec') } };
}

/** Of the objects whose specs are judged. */
export const metadata = { name: 'a' };
const objectOf = (spec: unknown) => ({ metadata, spec });

export const verdicts = (
  declaration: Declaration,
  spec: unknown,
  old?: unknown,
  schema = objectSchemaOf(declaration),
): { readonly parser: boolean; readonly crd: boolean } => ({
  parser: 'spec' in validate(declaration, objectOf(spec), old),
  crd: admits(schema, objectOf(spec), old === undefined ? undefined : objectOf(old)),
});

/** @param isNew edits of these specs are judged as new objects, not as changes */
export const testAgreement = (
  declaration: Declaration,
  specs: readonly unknown[],
  { isNew = false }: { readonly isNew?: boolean } = {},
): void =>
  test('parser and CRD agree on any edit of any field, so that a directory and a cluster take the same manifests', () => {
    const schema = objectSchemaOf(declaration);
    const edits = fc.constantFrom(...specs).chain((old) => fc.tuple(edited(old), fc.constant(old)));
    let accepted = 0;
    fc.assert(
      fc.property(edits, ([spec, old]) => {
        const { parser, crd: admitted } = verdicts(declaration, spec, isNew ? undefined : old, schema);
        accepted += parser ? 1 : 0;
        expect(parser).toBe(admitted);
      }),
      { numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(10); // else it compared refusals only
  });

const values = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    'a',
    'A',
    'a-b',
    'a.b',
    'a..b',
    '../a',
    'a/b',
    'a,b',
    'x'.repeat(64),
    'x'.repeat(400),
  ),
  fc.constantFrom<unknown>(
    'Delete',
    'Retain',
    'WhenUnused',
    'Never',
    'block-device',
    'nomad',
    'Exec',
    'embedded',
  ),
  fc.constantFrom<unknown>(
    '10Gi',
    '5G',
    '8Pi',
    '1h',
    '10m',
    '0s',
    'https://a:1',
    'http://a/b',
    'shop-*',
    '*',
    '/a/b',
  ),
  fc.constantFrom<unknown>(0, 1, 5, 64, 257, -1, 1.5, 2 ** 53, true, false, null, [], {}, ['a'], [{}], {
    a: 'b',
  }),
  fc.constantFrom<unknown>({ name: 'a' }, { name: 'a', key: 'b' }, { namespace: 'n', name: 'a', key: 'b' }),
);
const keys = fc.constantFrom(
  'a',
  'name',
  'extra',
  'constructor',
  '__proto__',
  'k'.repeat(130),
  '',
  'a,b',
  'a b',
  'max',
);

type Edit = (node: unknown) => unknown;

/** A JSON value with one to three places changed, taken away or added. */
const edited = (spec: unknown): fc.Arbitrary<unknown> =>
  fc.array(edit(spec), { minLength: 1, maxLength: 3 }).map((edits) => edits.reduce((s, e) => e(s), spec));

function edit(spec: unknown): fc.Arbitrary<Edit> {
  const places = placesIn(spec);
  return fc.oneof(
    fc.tuple(fc.constantFrom(...places), values).map(
      ([path, value]): Edit =>
        (s) =>
          put(s, path, () => value),
    ),
    fc.constantFrom(...places).map(
      (path): Edit =>
        (s) =>
          put(s, path, () => undefined),
    ),
    fc.tuple(fc.constantFrom(...places), keys, values).map(
      ([path, key, value]): Edit =>
        (s) =>
          put(s, path, (held) => (isNode(held) ? withKey(held, key, value) : held)),
    ),
  );
}

const placesIn = (value: unknown): readonly (readonly string[])[] =>
  value === null || typeof value !== 'object'
    ? []
    : Object.entries(value).flatMap(([key, held]) => [
        [key],
        ...placesIn(held).map((path) => [key, ...path]),
      ]);

/** As JSON.parse would make it, `__proto__` included. */
const withKey = (node: Node, key: string, value: unknown): unknown =>
  Object.fromEntries([...Object.entries(node), [key, value]]);

function put(node: unknown, [key, ...rest]: readonly string[], change: Edit): unknown {
  if (key === undefined) return change(node);
  if (Array.isArray(node)) {
    return node
      .map((held: unknown, i) => (String(i) === key ? put(held, rest, change) : held))
      .filter((v) => v !== undefined);
  }
  if (!isNode(node) || !Object.hasOwn(node, key)) return node;
  const value = put(node[key], rest, change);
  return Object.fromEntries(
    Object.entries(node).flatMap(([k, held]) =>
      k !== key ? [[k, held]] : value === undefined ? [] : [[k, value]],
    ),
  );
}
