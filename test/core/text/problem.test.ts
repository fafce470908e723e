// What is wrong with files is counted and named alike wherever it is told.
import { expect, test } from 'vitest';
import { invalidIn, kindOf, lineOf, unusable, type Problem } from '../../../src/core/text/problem.ts';
import { invalidObjects, withInvalid } from '../../../src/core/source/invalid.ts';
import { keyText } from '../../../src/core/resource.ts';
import { noStatus } from '../../../src/core/status/status.ts';

const problem = (origin: string, key?: string): Problem => ({
  origin,
  message: 'is wrong',
  ...(key !== undefined && { key }),
});
const [a, b] = ['CSIVolume/shop/a', 'CSIVolume/shop/b'];

test.each([
  { why: 'of an object', of: problem('a.yaml', a), is: 'object' },
  { why: 'of a Secret', of: problem('s.yaml', 'Secret/shop/s'), is: 'secret' },
  { why: 'of the installation', of: problem('holdfast.yaml'), is: 'installation' },
  { why: 'of a file, of which nothing is known', of: problem('a.yaml'), is: 'file' },
])('a problem $why', ({ of, is }) => expect(kindOf(of)).toBe(is));

test('a line says where and what, and nothing of the file', () => {
  const place = { file: 'a.yaml', line: 3, column: 5 };
  expect(lineOf({ ...problem('a.yaml'), place, excerpt: 'password: x' })).toBe('a.yaml:3:5: is wrong');
});

test('each object counts once, and so does each file of which nothing else is known', () => {
  expect(invalidIn([problem('a.yaml', a), problem('a.yaml', a), problem('c.yaml'), problem('c.yaml')])).toBe(
    2,
  );
});

test('files that can not be used are counted, and the first is named', () => {
  expect(unusable([])).toBeUndefined();
  expect(unusable([problem('b.yaml', a), problem('b.yaml', b)])).toBe("1 file can't be used (b.yaml)");
  expect(unusable([problem('b.yaml'), problem('a.yaml')])).toBe("2 files can't be used (first a.yaml)");
});

test('an object that was never understood is one that is not ready, until it is known', () => {
  const problems = [
    problem('a.yaml', a),
    problem('a.yaml', a),
    problem('s.yaml', 'Secret/shop/s'),
    problem('c.yaml'),
  ];
  const found = invalidObjects(problems, (key) => key === b);
  expect([...found.keys()]).toEqual([a]);
  const entry = found.get(a);
  expect(entry && keyText(entry.object.key)).toBe(a);
  expect(entry?.object).toMatchObject({ origin: 'a.yaml', spec: undefined, held: false });
  expect(entry?.status.conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
    'Ready False InvalidSpec',
    'Synced False InvalidSpec',
    'Stalled True InvalidSpec',
  ]);
  expect(invalidObjects(problems, () => true).size).toBe(0);
});

test('it stands among those that are declared, and what is known of one of these counts', () => {
  const known = { ...invalidObjects([problem('b.yaml', b)], () => false).get(b)!, status: noStatus };
  const source = { keys: () => [b], read: (key: string) => (key === b ? known : undefined) };
  const all = withInvalid(source, [problem('a.yaml', a), problem('b.yaml', b)]);
  expect([...all.keys()]).toEqual([b, a]);
  expect(all.read(b)).toBe(known);
  expect(all.read(a)?.object.origin).toBe('a.yaml');
});
