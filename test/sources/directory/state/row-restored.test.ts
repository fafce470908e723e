// One row after an earlier state was restored: what was asked for and begun before is not done again, nor destroyed.
import { expect, test } from 'vitest';
import type { Status } from '../../../../src/core/status/status.ts';
import {
  countAnswered,
  declare,
  entryOf,
  layOver,
  setHeld,
  type Row,
} from '../../../../src/sources/directory/state/row.ts';
import { declared, memory, volume, onceRequests } from './data.ts';

const fresh = (facts: Parameters<typeof declared>[1] = {}): Row =>
  declare(undefined, declared(volume('data'), facts), () => 'drawn');
const lived = (): Row => ({ ...setHeld(fresh(), true), status: memory });
const asItIs = (_kind: string, status: Status) => status;
const asked = { rotate: '1', 'rotate-root': '2', 'reseed-root': '3', suspend: 'yes' };
const row = fresh({ requests: asked });

test('what is to be done once counts as answered as it stands, wherever it was asked', () => {
  const { suspend: _, ...once } = asked;
  expect(countAnswered(row, onceRequests, asItIs)).toEqual({ ...row, answered: once });
  expect(countAnswered(layOver(row, 'rotate', '9'), onceRequests, asItIs).answered).toEqual({
    ...once,
    rotate: '9',
  });
  expect(countAnswered(fresh(), onceRequests, asItIs).answered).toStrictEqual({});
  const counted = countAnswered(row, onceRequests, asItIs);
  expect(countAnswered(counted, onceRequests, asItIs)).toBe(counted);
});

test.for([
  { what: 'a creation that was begun is forgotten', pending: { op: 'create' }, stays: false },
  { what: 'one that was done is known', pending: { op: 'create', done: true as const }, stays: true },
  { what: 'what else was begun is looked for', pending: { op: 'replace' }, stays: true },
])('$what: by its name, what was made of it elsewhere since is found', ({ pending, stays }) => {
  const begun = { ...lived(), status: { ...memory, pending: { ...pending, token: 'drawn' } } };
  const counted = countAnswered(begun, onceRequests, asItIs);
  if (stays) expect(counted).toBe(begun);
  else expect(counted).toStrictEqual({ ...begun, status: memory });
});

test('its kind says what was half way to being destroyed, and is to be kept', () => {
  const kept = { ...memory, own: { kept: true } };
  const counted = countAnswered(lived(), onceRequests, (kind) => (kind === 'CSIVolume' ? kept : memory));
  expect(counted).toStrictEqual({ ...lived(), status: kept });
});

test('what counts as answered is not seen; what is asked anew is', () => {
  const counted = countAnswered(row, onceRequests, asItIs);
  expect(entryOf(counted, { onceRequests }).object.requests).toEqual({ suspend: 'yes' });
  expect(entryOf(layOver(counted, 'rotate', '2'), { onceRequests }).object.requests).toEqual({
    rotate: '2',
    suspend: 'yes',
  });
});

test('one that counts as answered is hidden where nothing else is asked for', () => {
  const counted = countAnswered(fresh({ requests: { rotate: '1' } }), onceRequests, asItIs);
  expect(entryOf(counted, { onceRequests }).object.requests).toEqual({});
});

test('while nobody knows what was answered, none of it is seen, and what can be done again is', () => {
  expect(entryOf(row, { onceRequests, distrusted: true }).object.requests).toEqual({ suspend: 'yes' });
  expect(
    entryOf(layOver(fresh(), 'rotate', '1'), { onceRequests, distrusted: true }).object.requests,
  ).toEqual({});
});
