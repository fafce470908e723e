// Hints are weighed against what was seen: a change must not be overlooked, and old news must not cost a look.
import { expect, test } from 'vitest';
import { ObservedVersions } from '../../../src/controller/index/observed-versions.ts';
import { refText } from '../../../src/core/resource.ts';

const disk = { type: 'scheduler/volume', backend: 'b1', namespace: 'shop', id: 'data' } as const;
const allocation = { type: 'scheduler/allocation', backend: 'b1', allocation: 'a1' } as const;
const key = 'CSIVolume/shop/data';

test('what a look has covered is old news; what came later is not', () => {
  const hints = new ObservedVersions();
  hints.observed(disk, 7);
  expect(hints.changed(disk, 7, [key])).toEqual([]);
  expect(hints.changed(disk, 8, [key])).toEqual([key]);
});

test('what nobody asks for any more is forgotten: objects come and go for ever', () => {
  const hints = new ObservedVersions();
  hints.observed(disk, 7);
  hints.forget(refText(disk));
  expect(hints.changed(disk, 7, [key])).toEqual([key]);
});

test('a visit hears of its own write before it has looked again: that costs no second visit', () => {
  const hints = new ObservedVersions();
  hints.begin(key);
  expect(hints.changed(disk, 8, [key])).toEqual([]);
  hints.observed(disk, 8);
  expect(hints.end(key)).toBe(false);
});

test('somebody else’s write during a visit, after its last look, makes it look again', () => {
  const hints = new ObservedVersions();
  hints.begin(key);
  hints.changed(disk, 8, [key]);
  hints.observed(disk, 8);
  hints.changed(disk, 9, [key]);
  expect(hints.end(key)).toBe(true);
});

test('an older hint that comes later does not take the place of the newer one', () => {
  const hints = new ObservedVersions();
  hints.begin(key);
  hints.changed(disk, 9, [key]);
  hints.changed(disk, 8, [key]);
  hints.observed(disk, 8);
  expect(hints.end(key)).toBe(true);
});

test('whoever waits for something that nobody declares is woken by it, until it waits no more', () => {
  const hints = new ObservedVersions();
  hints.waits(key, [allocation]);
  expect(hints.changed(allocation, 3, [])).toEqual([key]);
  hints.waits(key, []);
  expect(hints.changed(allocation, 4, [])).toEqual([]);
});

test('what a visit comes to wait for may have ended meanwhile: it looks again at once, not when its timer fires', () => {
  const hints = new ObservedVersions();
  hints.begin(key);
  hints.begin('CSIVolume/shop/other');
  hints.changed(allocation, 3, []);
  hints.waits(key, [allocation]);
  expect(hints.end(key)).toBe(true);
  hints.begin(key);
  hints.waits(key, [allocation]);
  expect(hints.end(key)).toBe(false);
});
