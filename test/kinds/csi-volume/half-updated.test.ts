// Where the scheduler knows no updates, an update deregisters the volume and registers it anew. A volume that leaves between the two
// and is to be kept was left registered nowhere.
import { expect, test } from 'vitest';
import type { Status } from '../../../src/core/status/status.ts';
import { parseOwn, type Own } from '../../../src/kinds/csi-volume/disk.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { firstStep, outline, planned, recorded, type Given } from './situation.ts';

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

test.for(['Adopt', 'AdoptIfIdentical'] as const)(
  'another disk that took its place meanwhile is not adopted (adoptionPolicy: %s): nobody would know of the first any more',
  (adoption) => {
    const other = { volume: { ExternalID: 'vol-2', CreateIndex: 9 }, policy: { adoption } };
    const refused =
      /^vol-1 was deregistered to be updated, and vol-2 has taken its place: deregister that one/;
    for (const op of ['update', 'revive'])
      expect(planned({ ...other, memory: half(op) })).toMatchObject({
        verdict: 'blocked',
        reason: 'AdoptionRefused',
        message: expect.stringMatching(refused),
      });
    // Once it is registered again, nobody is told of an update.
    expect(planned({ ...other, memory: half('revive', true) })).toMatchObject({
      message: expect.stringMatching(/^vol-1 is not registered here any more, and vol-2 has taken its place/),
    });
  },
);

test.for([
  { deletion: 'Retain', goes: 'blocked' },
  { deletion: 'Delete', goes: 'blocked' },
  { deletion: 'Deregister', goes: 'gone' },
] as const)(
  'while another disk has its place, it leaves only where it is to be registered nowhere ($deletion)',
  ({ deletion, goes }) => {
    const volume = { ExternalID: 'vol-2', CreateIndex: 9 };
    const plan = planned({ deleting: true, policy: { deletion }, volume, memory: half('update') });
    expect(plan.verdict).toBe(goes);
    if (plan.verdict !== 'blocked') return;
    expect([plan.reason, plan.message]).toEqual([
      'DeletionBlocked',
      'vol-1 was deregistered to be updated, and vol-2 has taken its place: deregister that one, and vol-1 is registered again; ' +
        'to keep vol-2 instead, remove the manifest, run holdfast orphan, and declare it anew with Adopt',
    ]);
  },
);

test('it is let go of as it is once it is registered, or where somebody else deregistered it', () => {
  expect(csiVolume.isHalfRemoved(half('revive', true))).toBe(false);
  expect(csiVolume.isHalfRemoved({ ...recorded, pending: { op: 'revive', token: '' } })).toBe(false);
  expect(csiVolume.isHalfRemoved(half('create'))).toBe(false);
  expect(outline({ ...leaves, memory: recorded })).toBe('gone kept');
});

test('in a restored state, what has its place may have come after it: the advice to deregister that was wrong, and nothing was adopted', () => {
  const { own, ...kept } = csiVolume.keep(half('update'));
  const memory: Status<Own> = { ...kept, own: parseOwn(own) ?? {} };
  const there = { memory, volume: { ExternalID: 'vol-2', CreateIndex: 9 } };
  expect(firstStep({ ...there, policy: { adoption: 'Adopt' } })).toMatchObject({ verb: 'adopt' });
  expect(planned(there)).toMatchObject({ message: expect.stringContaining('it exists and is not ours') });
  expect(planned({ ...there, deleting: true })).toMatchObject({ verdict: 'gone', foreign: 'vol-2 9' });
  // Where it is still registered nowhere, it is registered again as ever.
  expect(csiVolume.isHalfRemoved(memory)).toBe(true);
  for (const given of [{}, leaves])
    expect(firstStep({ ...given, volume: 'absent', memory })).toMatchObject({
      verb: 'revive',
      own: recorded.own,
    });
});
