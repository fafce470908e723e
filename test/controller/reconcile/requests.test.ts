// Requests that were there when an object was first seen count as answered, as far as the status can hold them: what the API
// server refuses to store would be tried for ever, and hold up others meanwhile.
import { expect, test } from 'vitest';
import { subjectOf } from '../../../src/controller/reconcile/decision.ts';
import { baseline } from '../../../src/controller/reconcile/requests.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { disk, disks } from '../disks.ts';

test('more or longer requests than the status may hold are not stored', async () => {
  const { at } = await disks(['a']);
  const object = at.source.read(disk('a'))?.object;
  if (!object) throw new Error('it was declared');
  const many = Array.from({ length: 40 }, (_, n) => [`n${n}`, 'x'] as const);
  const requests = Object.fromEntries([['long', 'x'.repeat(1_025)] as const, ...many]);
  const { handledRequests } = baseline({ ...object, requests }, noStatus);
  expect(Object.keys(handledRequests)).toEqual(many.slice(0, 32).map(([name]) => name));
});

test('a request that stood when the object was first seen is not new once there are fewer', async () => {
  const { at } = await disks(['a']);
  const object = at.source.read(disk('a'))?.object;
  if (!object) throw new Error('it was declared');
  const many = Array.from({ length: 40 }, (_, n) => [`n${n}`, 'x'] as const);
  const meant = { rotate: '2025-01-01', reconcile: 'old' };
  const kind = at.ports.kinds.get('Disk');
  if (!kind) throw new Error('the world has disks');
  const kinds = new Map([['Disk', { ...kind, requests: [{ name: 'rotate', help: 'rotate it' }] }]]);
  const statusAfter = (requests: Readonly<Record<string, string>>, status: Status) =>
    subjectOf(disk('a'), { object: { ...object, requests }, status }, { kinds }).status;
  const first = statusAfter({ ...Object.fromEntries(many), ...meant }, noStatus);
  const { conditions } = at.source.read(disk('a'))?.status ?? noStatus;
  const later = statusAfter(meant, { ...first, conditions });
  expect(Object.keys(later.handledRequests)).toHaveLength(32);
  expect(later.handledRequests).toMatchObject(meant);
});

test('a request that stands when the status was lost counts as answered: rotated on a day long past, it was done again', async () => {
  const { at } = await disks(['a']);
  const object = at.source.read(disk('a'))?.object;
  if (!object) throw new Error('it was declared');
  const first: Status = { ...noStatus, pending: { op: 'create', token: 'nonce' } };
  const requests = { rotate: '2025-01-01' };
  expect(baseline({ ...object, requests, unwritten: true }, first).handledRequests).toEqual(requests);
  expect(baseline({ ...object, requests }, first)).toBe(first); // it may have been asked for since
});
