// What is kept of thousands of objects of a cluster, and the names and limits that people and other tools rely on.
import { expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { decode, digestsIn, inUseProtection, type Stored } from '../../../src/sources/kubernetes/wire.ts';
import { sent, type Sent } from './objects.ts';

const decoded = (as: Sent, before?: Stored): Stored => decode(sent(as), 'Disk', before, () => undefined);

const capabilities = () => [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }];

test('equal parts of specs are one in memory: thousands of volumes declare the same capabilities', () => {
  const [one, other] = ['u1', 'u2'].map(
    (uid) => decoded({ version: 1, uid, spec: { capabilities: capabilities(), size: 1 } }).object.spec,
  );
  if (!isRecord(one) || !isRecord(other)) throw new Error('lost its shape');
  expect(one).toEqual({ capabilities: capabilities(), size: 1 });
  expect(one['capabilities']).toBe(other['capabilities']);
});

test('equal parts of statuses are one in memory, too: each volume has the same conditions for most of its life', () => {
  const [one, other] = ['u1', 'u2'].map(
    (uid) => decoded({ version: 1, uid, status: { applied: capabilities() } }).wire,
  );
  if (!isRecord(one) || !isRecord(other)) throw new Error('lost its shape');
  expect(one).toEqual({ uid: 'u1', applied: capabilities() });
  expect(one['applied']).toBe(other['applied']);
});

test('the version in which an object was first seen to leave stays known, for as long as it is that object', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const there = decoded({ version: 4 });
  const first = decoded({ version: 5, deletionTimestamp }, there);
  const later = decoded({ version: 6, deletionTimestamp }, first);
  const another = decoded({ version: 7, uid: 'u2', deletionTimestamp }, later);
  expect([there, first, later, another].map(({ marked }) => marked)).toEqual([undefined, '5', '5', '7']);
});

const problemOf = (count: number) => {
  const many = Array.from({ length: count }, (_, n) => [`holdfast.dev/n-${n}`, 'x'] as const);
  return decoded({ version: 1, annotations: Object.fromEntries(many) }).object.problem;
};

test('an object may carry 32 requests; one more is refused, and the problem says where', () => {
  expect(problemOf(32)).toBeUndefined();
  expect(problemOf(33)).toMatchObject({
    path: '/metadata/annotations',
    expected: 'at most 32 of holdfast.dev/*',
    got: '33',
  });
});

test('a person approves each deletion that they name, and nothing by a comma too many', () => {
  expect(digestsIn()).toEqual([]);
  expect(digestsIn('')).toEqual([]);
  expect(digestsIn('d1')).toEqual(['d1']);
  expect(digestsIn(',d1,,d2,')).toEqual(['d1', 'd2']);
});

test('the finalizer of what is only observed keeps its name: no version would take another one away', () => {
  expect(inUseProtection).toBe('holdfast.dev/in-use-protection');
});
