// The scheduler refuses other mount options for a volume that is claimed, and grows it all the same. Who edited both waited for the
// job to end with a full disk.
import { describe, expect, test } from 'vitest';
import { allocation, claimedBy, outline, sent, type Given } from './situation.ts';

const flags = '/mountOptions/mountFlags';
const MountOptions = { FsType: 'ext4', MountFlags: ['[REDACTED]'] };
const noatime: Given['wrote'] = { [flags]: ['noatime'] };
const both: Given = {
  spec: { create: { capacity: { min: '20Gi' } }, mountOptions: { fsType: 'xfs', mountFlags: ['ro'] } },
  volume: { ...claimedBy(allocation('a1')), MountOptions },
  wrote: noatime,
};

describe('an edit of the size and of mount options while it is claimed', () => {
  test('grows it, with the mount options that it has', () => {
    expect(outline(both)).toMatch(/^update by volume.register \/create\/capacity\/min/);
    expect(sent(both)).toMatchObject({
      RequestedCapacityMin: 20 * 2 ** 30,
      MountOptions: { FsType: 'ext4', MountFlags: ['noatime'] },
    });
  });

  test('waits where its flags are not known, for whatever is sent would be others', () => {
    const { wrote: _wrote, ...unknown } = both;
    expect(outline(unknown)).toMatch(/^blocked UpdateBlocked until live .*capacity/);
  });

  test('waits where an edit of its flags had no answer: they may be the old ones or the new ones', () => {
    expect(outline({ ...both, wrote: { [flags]: null } })).toMatch(
      /^blocked UpdateBlocked until live .*capacity/,
    );
  });

  test('waits, or is refused, where an update is made by registering anew', () => {
    expect(outline({ ...both, upsert: false })).toMatch(/^stalled ImmutableFieldChanged/);
  });

  test('is made whole once it is claimed no more', () => {
    const free = { ...both, volume: { MountOptions } };
    expect(sent(free)).toMatchObject({ MountOptions: { FsType: 'xfs', MountFlags: ['ro'] } });
  });
});
