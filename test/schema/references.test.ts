// References of objects that are kept by the thousand: equal ones are one in memory, and no object gets another's.
import { expect, test } from 'vitest';
import { referencesIn, type ReferenceRule } from '../../src/schema/references.ts';

const rules: readonly ReferenceRule[] = [
  { field: '/connectionRef', to: 'object', kind: 'SchedulerConnection', scope: 'Cluster', holds: true },
  { field: '/secrets/*', to: 'secret', namespace: 'own' },
];

const of = (namespace: string, connection: string, entry: string) =>
  referencesIn(
    rules,
    { connectionRef: { name: connection }, secrets: { a: { name: 'keys', key: entry } } },
    { kind: 'CSIVolume', namespace, name: 'data' },
  );

test('objects that refer to the same share the reference', () => {
  const [one, other] = [of('shop', 'main', 'token'), of('shop', 'main', 'token')];
  expect(one[0]).toBe(other[0]);
  expect(one[1]).toBe(other[1]);
});

test.each([
  ['another namespace', of('store', 'main', 'token'), { target: { namespace: 'store' }, entry: 'token' }],
  ['another entry', of('shop', 'main', 'other'), { target: { namespace: 'shop' }, entry: 'other' }],
])('%s is another reference, whatever was asked for before', (_, found, wanted) => {
  expect(found[1]).toMatchObject(wanted);
  expect(of('shop', 'main', 'token')[1]).toMatchObject({ target: { namespace: 'shop' }, entry: 'token' });
});

test('another name or field is another reference', () => {
  expect(of('shop', 'main', 'token')[0]).toMatchObject({ target: { name: 'main' } });
  expect(of('shop', 'second', 'token')[0]).toMatchObject({ target: { name: 'second' } });
  const spec = { secrets: { a: { name: 'keys', key: 'k' }, b: { name: 'keys', key: 'k' } } };
  const found = referencesIn(rules, spec, { kind: 'CSIVolume', namespace: 'shop', name: 'data' });
  expect(found.map(({ field }) => field)).toEqual(['/secrets/a', '/secrets/b']);
});
