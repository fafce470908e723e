// A person who reads `holdfast get` learns what to do without opening another page.
import { expect, test } from 'vitest';
import { reasons } from '../../src/core/status/reasons.ts';
import { remedyLines, type Listed } from '../../src/cli/output/show.ts';

const row = (ready: string, reason: string): Listed => ({
  kind: 'CSIVolume',
  namespace: 'shop',
  name: 'a',
  ready,
  reason,
  message: 'm',
  done: [],
});

test('each reason that keeps an object from being ready is explained once', () => {
  const { cause, remedy } = reasons.VolumeInUse;
  const rows = [row('False', 'VolumeInUse'), row('True', 'InSync'), row('False', 'VolumeInUse')];
  expect(remedyLines([...rows, row('Unknown', 'Pending')])).toEqual([
    '',
    'Reasons (docs/reference/reasons.md explains them all):',
    `  Pending: ${reasons.Pending.cause} ${reasons.Pending.remedy}`,
    `  VolumeInUse: ${cause} ${remedy}`,
  ]);
});

test('where all is well, or only another version knows what is wrong, nothing is added', () => {
  expect(remedyLines([row('True', 'InSync'), row('True', 'Deleting'), row('False', 'OfTomorrow')])).toEqual(
    [],
  );
});
