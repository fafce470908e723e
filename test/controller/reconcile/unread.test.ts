// What leaves after a manifest that could not be used: that one may have asked to keep it.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../src/controller/reconcile/destruction.ts';
import { shortHash } from '../../../src/core/hash.ts';
import { deletionID, unreadID } from '../../../src/core/planning/deletion-limits.ts';
import { disk, disks } from '../disks.ts';

async function refused(isDeleting: boolean, limits?: { perHour: number; percent: number }) {
  const { at, leave } = await disks(['a', 'b', 'c', 'd'], limits);
  if (isDeleting) leave('a');
  const entry = at.source.read(disk('a'));
  if (!entry) throw new Error('it is gone');
  const { object } = entry;
  const step = { verb: 'delete', changes: [], destroys: 'data', data: 'data of a' } as const;
  const destruction = {
    key: disk('a'),
    object: { ...object, refused: true as const },
    connection: 'Conn/c',
    step,
  };
  return { ask: () => refusal(destruction, at.ports), id: deletionID(object), source: at.source };
}

describe('what leaves after a manifest that could not be used', () => {
  test('lost a disk that it had asked to keep: it waits for a person, and for that leaving only', async () => {
    const { ask, id, source } = await refused(true);
    const confirmed = unreadID(id);
    const digest = shortHash(`${disk('a')} ${confirmed}`);
    const wake = { on: 'approval', id: confirmed, digest };
    expect(ask()).toMatchObject({ reason: 'DeletionUnconfirmed', wake });
    expect(ask()?.message).toMatch(
      new RegExp(`^its last manifest could not .*, or let it go: .* ${digest}$`),
    );
    source.approved = () => 'of another day';
    expect(ask()).toMatchObject({ reason: 'DeletionUnconfirmed' });
    source.approved = () => confirmed;
    expect(ask()).toBeUndefined();
  });

  test('lost it by an approval of all that left with it, which did not say so', async () => {
    const { ask, id, source } = await refused(true);
    source.approved = () => id;
    expect(ask()).toMatchObject({ reason: 'DeletionUnconfirmed' });
  });

  test('is within the limits once it was let go by itself: nobody is asked twice', async () => {
    const { ask, id, source } = await refused(true, { perHour: 0, percent: 100 });
    source.approved = () => unreadID(id);
    expect(ask()).toBeUndefined();
  });

  test('is not asked about while it stays', async () => {
    expect((await refused(false)).ask()).toBeUndefined();
  });
});
