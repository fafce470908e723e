// The log of those who left within the hour, for itself: what it forgets too early is room for another deletion.
import type { Boot } from '../../../../src/sources/directory/state/boot.ts';
import { describe, expect, test } from 'vitest';
import { DeletionLog } from '../../../../src/sources/directory/state/deletion-log.ts';
import type { StoredDeletion } from '../../../../src/sources/directory/state/transaction.ts';

const hourMs = 3_600_000;
const boot = (id: string, sinceMs = 0): Boot => ({ id, sinceMs: () => sinceMs });

type Stored = Omit<StoredDeletion, 'atMs'>;
const stored = (id: number, more: Partial<Stored> = {}): Stored => ({
  id,
  key: `V/${id}`,
  connection: 'C',
  boot: 'one',
  bootMs: 0,
  ...more,
});
const recordDeletion = (log: DeletionLog, key: string, atMs: number, connection = 'C') => {
  const numbered = log.numbered(key, { connection, atMs });
  log.add(numbered);
  return numbered;
};

describe('who left before the process began', () => {
  test('on this start of the machine: that is as long ago as the machine says', () => {
    const log = new DeletionLog([stored(1, { bootMs: 1_000 })], 50, boot('one', 1_000 + hourMs - 10));
    expect(log.keys('C', 50 + 9)).toEqual(['V/1']);
    expect(log.keys('C', 50 + 10)).toEqual([]);
    expect(log.restamped).toBeUndefined();
  });

  test('at this very moment is known, too', () => {
    expect(new DeletionLog([stored(1, { bootMs: 7 })], 0, boot('one', 7)).restamped).toBeUndefined();
  });

  test.for<[string, Partial<Stored>, Boot | undefined]>([
    ['on another start', { boot: 'two' }, boot('one', 5 * hourMs)],
    ['nobody knows on which', { boot: '' }, boot('one', 5 * hourMs)],
    ['later than now', { bootMs: 9 * hourMs }, boot('one', 5 * hourMs)],
    ['and the machine tells nothing', { boot: '' }, undefined],
    ['and the machine tells nothing any more', {}, undefined],
  ])('%s: it counts from now, for a whole hour', ([, more, machine]) => {
    const log = new DeletionLog([stored(1, more)], 500, machine);
    expect(log.keys('C', 499 + hourMs)).toEqual(['V/1']);
    expect(log.keys('C', 500 + hourMs)).toEqual([]);
  });

  test('and can’t be told from before gets the stamp of now, so that the next process can tell', () => {
    const log = new DeletionLog([stored(1), stored(2, { boot: 'two' })], 0, boot('one', 5.7));
    expect(log.restamped).toEqual({ boot: 'one', bootMs: 5 });
    expect(new DeletionLog([stored(1, { boot: '' })], 0).restamped).toBeUndefined();
    expect(new DeletionLog([], 0, boot('one')).restamped).toBeUndefined();
  });
});

test('each connection has its own', () => {
  const log = new DeletionLog([], 0);
  recordDeletion(log, 'V/a', 0);
  recordDeletion(log, 'V/b', 0, 'D');
  expect([log.keys('C', 0), log.keys('D', 0), log.keys('E', 0)]).toEqual([['V/a'], ['V/b'], []]);
});

test('what left now is written with the stamp of now, whole milliseconds', () => {
  const log = new DeletionLog([], 0, boot('one', 12.9));
  expect(log.numbered('V/a', { connection: 'C', atMs: 3 })).toEqual({
    connection: 'C',
    atMs: 3,
    boot: 'one',
    bootMs: 12,
    key: 'V/a',
    id: 1,
    keptFrom: 1,
  });
  expect(new DeletionLog([], 0).numbered('V/a', { connection: 'C', atMs: 3 })).toMatchObject({
    boot: '',
    bootMs: 0,
  });
});

describe('what is sent again', () => {
  const again = { connection: 'C', atMs: 50, again: true } as const;

  test('counts from then on, once: counted from the first time, it made room for another too early', () => {
    const log = new DeletionLog([], 0);
    recordDeletion(log, 'V/a', 0);
    recordDeletion(log, 'V/b', 10);
    log.add(log.numbered('V/a', again));
    expect(log.keys('C', 49)).toEqual(['V/a', 'V/b']);
    expect(log.keys('C', 49 + hourMs)).toEqual(['V/a']);
    expect(log.keys('C', 50 + hourMs)).toEqual([]);
  });

  test('takes the place of the last time, in the file as well, and of nothing else that went', () => {
    const log = new DeletionLog([stored(3, { key: 'V/a' })], 0);
    recordDeletion(log, 'V/a', 10);
    recordDeletion(log, 'V/a', 20, 'D');
    expect(log.numbered('V/a', again)).toMatchObject({ id: 4, keptFrom: 3 });
    expect(log.numbered('V/b', again).id).toBe(6);
    expect(log.numbered('V/a', { ...again, atMs: 11 + hourMs })).toMatchObject({ id: 7, keptFrom: 5 });
  });
});

test('no number is used twice, neither after a restart nor after a write that failed', () => {
  const log = new DeletionLog([stored(7, { boot: '' }), stored(3, { boot: '' })], 0);
  expect(log.numbered('V/a', { connection: 'C', atMs: 0 }).id).toBe(8);
  expect(log.numbered('V/a', { connection: 'C', atMs: 0 }).id).toBe(9);
});

test('what is more than an hour before another is forgotten with it, and nothing younger', () => {
  const log = new DeletionLog([], 0);
  recordDeletion(log, 'V/a', 0);
  recordDeletion(log, 'V/b', 10);
  expect(recordDeletion(log, 'V/c', hourMs)).toMatchObject({ id: 3, keptFrom: 1 });
  expect(recordDeletion(log, 'V/d', hourMs + 5)).toMatchObject({ id: 4, keptFrom: 2 });
  expect(log.keys('C', 0)).toEqual(['V/b', 'V/c', 'V/d']);
  expect(recordDeletion(log, 'V/e', 9 * hourMs)).toMatchObject({ id: 5, keptFrom: 5 });
  expect(log.keys('C', 0)).toEqual(['V/e']);
});

test('what was numbered and not written counts for nothing', () => {
  const log = new DeletionLog([], 0);
  log.numbered('V/a', { connection: 'C', atMs: 0 });
  expect(log.keys('C', 0)).toEqual([]);
});
