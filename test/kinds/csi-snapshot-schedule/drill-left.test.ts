// The record of a drill may be lost while the drill is under way, as with a status that was stripped in Kubernetes. What it had made is
// an object like any other, so `holdfast unmanaged` does not list it: a volume that nobody takes away, and nobody told of.
import { expect, test } from 'vitest';
import { report } from '../../../src/kinds/csi-snapshot-schedule/report.ts';
import { begun, drill, every, made } from './drilling.ts';
import { planned, situation, type Given } from './situation.ts';

const left = (given: Given): unknown => report(situation(given)).observed['drillLeftovers'];
const volume = made('CSIVolume', 'ready');

test('what a drill made that is not recorded was told of nowhere', () => {
  const check = made('AllocationAction', 'ready');
  expect(left({ has: [volume, check] })).toEqual([
    `CSIVolume/shop/${drill.name}`,
    `AllocationAction/shop/${drill.name}`,
  ]);
});

test('a drill that is under way, what is going, and what a manifest declares are not among it', () => {
  expect(left(begun({ has: [volume] }))).toBeUndefined();
  expect(left({ has: [made('CSIVolume', 'ready', { deleting: true })] })).toBeUndefined();
  expect(left({ has: [made('CSIVolume', 'ready', { origin: 'mine.yaml' })] })).toBeUndefined();
});

test('it is left where it is: annotations do not prove whose it is', () => {
  expect(planned({ has: [volume] })).toMatchObject({ verdict: 'in-sync' });
  expect(planned({ spec: every, has: [volume] })).toMatchObject({ verdict: 'in-sync' });
});
