// Where the scheduler knows no updates, an update deregisters the volume and registers it anew. A volume that leaves between the two
// and is to be kept was left registered nowhere.
import { expect, test } from 'vitest';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { firstStep, outline, recorded, type Given } from './situation.ts';

const token = '/mountOptions/fsType,/capabilities';
const half = (op: string, done?: true) => ({
  ...recorded,
  pending: { op, token, ...(done && { done }) },
});
const leaves: Given = { deleting: true, policy: { deletion: 'Retain' }, volume: 'absent' };

test.for(['update', 'revive'])(
  'it is registered again before it is let go of, after an intent to %s',
  (op) => {
    expect(csiVolume.isHalfRemoved(half(op))).toBe(true);
    const step = firstStep({ ...leaves, memory: half(op) });
    // Should the answer get lost, the next visit still knows of what it is the other half.
    expect(step).toMatchObject({ verb: 'revive', changes: [], intent: { op: 'revive', token } });
  },
);

test('that an update was answered does not tell that it is registered again', () => {
  expect(csiVolume.isHalfRemoved(half('update', true))).toBe(true);
});

test('it is let go of as it is once it is registered, or where somebody else deregistered it', () => {
  expect(csiVolume.isHalfRemoved(half('revive', true))).toBe(false);
  expect(csiVolume.isHalfRemoved({ ...recorded, pending: { op: 'revive', token: '' } })).toBe(false);
  expect(csiVolume.isHalfRemoved(half('create'))).toBe(false);
  expect(outline({ ...leaves, memory: recorded })).toBe('gone kept');
});
