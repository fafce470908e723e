// What the answer to `approve` says: what goes itself, and what an object, which stays, lets expire.
import { expect, test } from 'vitest';
import { deletionID, expiryID } from '../../../src/core/planning/deletion-limits.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { approveIn } from '../../../src/runtime/place/approvals.ts';
import { carryOut, type Target } from '../../../src/runtime/place/requests.ts';

const object = { uid: 'u', generation: 1 };
const schedule = 'CSISnapshotSchedule/shop/nightly';
const other = 'CSISnapshotSchedule/shop/hourly';
const volume = 'CSIVolume/shop/data';
const expires = expiryID(object, '2026-01-05T00:00:00Z');
const leaves = deletionID(object);

async function answer(waiting: Readonly<Record<string, string>>): Promise<string> {
  const rows = new Map(
    Object.entries(waiting).map(([key, id]): [string, { status: Status }] => [
      key,
      { status: { ...noStatus, awaits: { digest: 'd', id } } },
    ]),
  );
  const target: Target = {
    toDelete: '',
    approve: (digest) => approveIn({ rows }, digest, async () => [...rows.keys()]),
    trust: async () => false,
    read: () => undefined,
    readLink: () => undefined,
    overlay: async () => {},
  };
  return (await carryOut({ do: 'approve', digest: 'd' }, target, 'ann')).message;
}

test.for([
  {
    why: 'one schedule',
    waiting: { [schedule]: expires },
    says: `what 1 object lets expire may be deleted: ${schedule}`,
  },
  {
    why: 'several, and what leaves itself',
    waiting: { [schedule]: expires, [volume]: leaves, [other]: expires },
    says: `1 object may be deleted or replaced: ${volume}; what 2 objects let expire may be deleted: ${schedule}, ${other}`,
  },
])('$why', async ({ waiting, says }) => {
  expect(await answer(waiting)).toBe(`approved: ${says}`);
});
