// Between the deregistration of a replaced volume and its new disk (a crash, a suspension) the snapshot that the new one is to
// start from left. No new one can be made; the old one has to come back, as for any other create that can not be made.
import { expect, test } from 'vitest';
import { after, previous } from './going.ts';
import { firstStep, outline, type Given } from './situation.ts';

const missing = { state: 'missing', message: 'CSISnapshot/shop/nightly does not exist' } as const;
const given: Given = {
  spec: { pluginID: 'nfs', create: { capacity: { min: '10Gi' }, snapshotRef: { name: 'nightly' } } },
  policy: { replace: 'WhenUnused', deletion: 'Delete' },
  plugin: { ID: 'nfs' },
  volume: 'absent',
  memory: after('replace'),
  snapshot: missing,
};

test('the old one is back where the new one has nothing to start from any more', () => {
  expect(outline(given)).toBe('revive by volume.register');
  // It is not refused: once the snapshot is there again, it is replaced.
  expect(firstStep(given).own).toEqual({ disk: previous.disk });
});

test('a snapshot that is only not ready yet is waited for, and so is a create that may have made a disk', () => {
  expect(outline({ ...given, snapshot: { ...missing, state: 'waiting' } })).toMatch(/^blocked/);
  const pending = { op: 'create', token: 'x', evidence: { name: 'data-abc', snapshot: 'snap-1' } };
  expect(outline({ ...given, memory: after('replace', { pending }) })).not.toMatch(/revive/);
});
