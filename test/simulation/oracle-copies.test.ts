// Whose a disk is once its object was put back or copied in a cluster: another one's, so the oracle has to tell them apart.
import { describe, expect, test } from 'vitest';
import {
  A,
  B,
  broken,
  declared,
  destroyed,
  gone,
  keeper,
  made,
  minute,
  place,
  shape,
  told,
  tree,
  type Told,
} from './accounts.ts';

const copy = { ...declared, key: 'CSIVolume/blog/data' };
const adopting = { ...copy, adoption: 'Adopt' } as const;
const goneAt = (at: number) => ({ at, operator: 'A', is: 'gone', key: declared.key }) as const;
const all = (at: number, ...objects: readonly (typeof declared)[]) => tree(at, [...objects, keeper]);

/** The object is gone without its disk, another one comes, which leaves at `gone`, and then the disk is destroyed. */
const destroyedFor = (another: typeof declared): Told => ({
  entries: [...made('d1'), ...destroyed('d1', gone + minute)],
  snapshots: [all(0, declared), all(2 * minute), all(4 * minute, another), all(gone)],
  facts: [goneAt(2 * minute)],
});
/** It comes while the first one is still there. */
const together = (goneFirstAt: number): Told => ({
  ...destroyedFor(copy),
  snapshots: [all(0, declared), all(minute, declared, copy), all(2 * minute, copy), all(gone)],
  facts: [goneAt(goneFirstAt)],
});
/** The object is gone, and its disk stands there when all is at rest. */
const readyAs = (another: typeof declared): Told => ({
  entries: made('d1'),
  snapshots: [all(0, declared), all(2 * minute), all(4 * minute, another)],
  facts: [goneAt(2 * minute)],
  end: { told: [{ ...told('A'), key: another.key }], disks: new Map([['d1', shape]]) },
});
const foundAt = (at: number): Told => ({
  entries: [...made('d1'), { at, sentAt: at, by: A, is: 'found', disk: 'd1', place }],
  snapshots: [all(0, declared), all(2 * minute), all(4 * minute, declared)],
  facts: [goneAt(2 * minute)],
  end: { registrations: [{ place, disk: 'd1' }] },
});

describe('in a cluster, where it is known when objects are gone', () => {
  test.for<readonly [string, Told]>([
    ['a disk that a copy was told to adopt', destroyedFor(adopting)],
    ['a disk that a copy took over while its object left', together(3 * minute)],
    ['an object that is put back and was told to adopt', readyAs({ ...declared, adoption: 'Adopt' })],
    ['an answer that was lost a moment before its object was gone', foundAt(2 * minute + 1_000)],
  ])('nothing is broken by %s', ([, account]) => expect(broken({ ...account, inCluster: true })).toEqual([]));

  test.for<readonly [string, string, Told]>([
    ['I1', 'a disk that is destroyed for a copy', destroyedFor(copy)],
    ['I1', 'a disk that is destroyed for an object that was put back', destroyedFor(declared)],
    ['I7', 'a copy that is ready with the disk of who is gone', readyAs(copy)],
    ['I7', 'an object that was put back, and is ready with the disk of who is gone', readyAs(declared)],
    ['I7', 'an object that was put back, and finds that disk by its create', foundAt(5 * minute)],
    [
      'I3',
      'a disk that is destroyed for a copy while its object is there',
      {
        ...destroyedFor(copy),
        snapshots: [all(0, declared), all(minute, declared, copy), all(gone, declared)],
        facts: [],
      },
    ],
  ])('but %s is broken by %s', ([invariant, , account]) =>
    expect(broken({ ...account, inCluster: true })).toContain(invariant),
  );
});

test.for<readonly [string, Told]>([
  ['who is declared again', { ...destroyedFor(declared), facts: [] }],
  [
    'who goes on from the state of another operator, which had the disk made',
    {
      entries: [...made('d1', 100, B), ...destroyed('d1', gone + minute)],
      snapshots: [all(2 * minute, declared), all(gone)],
      facts: [
        { at: 3 * minute, operator: 'A', is: 'copied' },
        { at: 4 * minute, operator: 'A', is: 'accepted' },
      ],
    },
  ],
])('in a directory it is who it was: %s', ([, account]) => expect(broken(account)).toEqual([]));
