// What an operator can't see or undo: who else registered a disk, or took it over, and what a tree that can't be read hides.
import { expect, test } from 'vitest';
import {
  B,
  broken,
  declared,
  dereg,
  destroyed,
  gone,
  keeper,
  made,
  minute,
  place,
  shape,
  told,
  too,
  tree,
  type Told,
} from './accounts.ts';
import type { Declared, Place } from './oracle/record.ts';

/** A job claims the disk through another registration, which has been there for long. */
const claimedThrough = (other: Place, narrow: boolean): Told => ({
  narrow,
  entries: [
    ...made('d1'),
    { at: minute, sentAt: minute, by: { stranger: 'x' }, is: 'registered', disk: 'd1', place: other },
    ...destroyed('d1', gone + minute, {
      registrations: [place, other],
      claims: [{ allocation: 'job', place: other }],
    }),
  ],
});
const [elsewhere, hidden] = [
  { ...too, scheduler: 's2' },
  { ...too, namespace: 'team-b' },
];

/** A lets it go, and B keeps it: B was told to adopt it, and is told not to adopt by now. */
const handedOver = (adopts: boolean, until = Number.POSITIVE_INFINITY): Told => {
  const left = [tree(0, [declared]), tree(gone, [])];
  const has = tree(30_000, [{ ...declared, adoption: adopts ? 'Adopt' : 'Fail' }], { operator: 'B' });
  const edited = tree(5 * minute, [declared], { operator: 'B' });
  const back = [tree(until, [], { operator: 'B' }), tree(until + 5 * minute, [declared], { operator: 'B' })];
  return {
    entries: [
      ...made('d1'),
      dereg('d1', gone + 1),
      { at: gone + 2, sentAt: gone + 2, by: { operator: 'B' }, is: 'registered', disk: 'd1', place },
    ],
    snapshots: [...left, has, edited, ...(until < gone ? back : [])],
    end: { disks: new Map([['d1', shape]]), registrations: [{ place, disk: 'd1' }] },
  };
};

/** B adopts it, and lets it go to make another in its place. */
const replacedByAnother = (more: Partial<Declared>): Told => ({
  entries: [...made('d1'), { ...dereg('d1', gone), by: B }, ...made('d2', gone + 1, B)],
  snapshots: [tree(0, [declared]), tree(minute, [{ ...declared, ...more }], { operator: 'B' })],
  facts: [{ at: 2, operator: 'B', is: 'started' }],
  end: {
    told: [told('A'), told('B')],
    disks: new Map([
      ['d1', shape],
      ['d2', shape],
    ]),
    registrations: [{ place, disk: 'd2' }],
  },
});

/** It leaves with Deregister, another declaration has it until then, and it is back with Delete and leaves. */
const movedAway = (until: number): Told => {
  const kept = { ...declared, deletion: 'Deregister' } as const;
  const heir = { ...kept, key: 'CSIVolume/shop/heir' };
  return {
    entries: [...made('d1'), ...destroyed('d1', gone + minute)],
    snapshots: [
      tree(0, [kept, keeper]),
      tree(minute, [heir, keeper]),
      tree(until, [keeper]),
      tree(5 * minute, [kept, keeper]),
      tree(6 * minute, [declared, keeper]),
      tree(gone, [keeper]),
    ],
  };
};

/** With Retain, and its manifest goes beside one that is emptied; its disk is made minutes later, when that is mended or not. */
const madeAfterItWent = (mendedAt: number): Told => ({
  entries: made('d1', gone),
  snapshots: [
    tree(0, [{ ...declared, deletion: 'Retain' }, keeper]),
    tree(minute, [], { broken: new Set([keeper.key]), emptied: new Set([keeper.key]), unsound: true }),
    tree(mendedAt, [keeper]),
  ],
  end: { disks: new Map([['d1', shape]]), registrations: [{ place, disk: 'd1' }] },
});

/**
 * It is edited, leaves with Retain, and is back with Delete and leaves.
 * @param down when the scheduler is
 */
const awayInOutage = (down: { readonly from: number; readonly to: number }): Told => {
  const kept = { ...declared, deletion: 'Retain' } as const;
  return {
    entries: [...made('d1'), ...destroyed('d1', 30 * minute)],
    outages: [down],
    snapshots: [
      tree(0, [declared, keeper]),
      tree(2 * minute, [kept, keeper]),
      tree(5 * minute, [keeper]),
      tree(10 * minute, [declared, keeper]),
      tree(29 * minute, [keeper]),
    ],
  };
};

/** B adopts it while A has it, and is told not to adopt after that. @param leaves B lets it go in between */
const sharedSince = (leaves: boolean): Told => {
  const adopting = tree(minute, [{ ...declared, adoption: 'Adopt' }], { operator: 'B' });
  const away = tree(3 * minute, [], { operator: 'B' });
  const edited = tree(6 * minute, [declared], { operator: 'B' });
  return {
    entries: made('d1'),
    snapshots: [tree(0, [declared]), adopting, ...(leaves ? [away] : []), edited],
    facts: [{ at: 2, operator: 'B', is: 'started' }],
    end: {
      told: [told('A'), told('B')],
      disks: new Map([['d1', shape]]),
      registrations: [{ place, disk: 'd1' }],
    },
  };
};

/** With Retain; its disk is made minutes after its manifest went. @param is of the disk of the state, before that */
const madeLate = (is: 'disturbed' | 'calm'): Told => ({
  entries: made('d1', gone),
  snapshots: [tree(0, [{ ...declared, deletion: 'Retain' }, keeper]), tree(gone - 3 * minute, [keeper])],
  facts: (['disturbed', 'calm'] as const)
    .slice(0, is === 'disturbed' ? 1 : 2)
    .map((one, i) => ({ at: gone - 4 * minute + i, operator: 'A', is: one })),
  end: { disks: new Map([['d1', shape]]), registrations: [{ place, disk: 'd1' }] },
});

test.for<readonly [string, Told]>([
  ['a disk to keep, made while its state could hardly be written for minutes', madeLate('disturbed')],
  ['a claim through a registration at another scheduler', claimedThrough(elsewhere, false)],
  ['a claim through a registration that the token does not show', claimedThrough(hidden, true)],
  ['a disk that another operator adopted once, and declares still', handedOver(true)],
  ['a disk that two share, of whom one was told to adopt it then', sharedSince(false)],
  [
    'a disk that another operator, told to adopt and to keep it, let go',
    replacedByAnother({ adoption: 'Adopt', deletion: 'Deregister' }),
  ],
  ['a disk that left to be kept, was another object’s all the while, and came back', movedAway(5 * minute)],
  [
    'a disk that left to be kept and came back, all while the scheduler was down',
    awayInOutage({ from: minute, to: 11 * minute }),
  ],
  [
    'a disk to keep, made when its manifest may have been in what could not be read',
    madeAfterItWent(gone + minute),
  ],
])('nothing is broken by %s', ([, account]) => expect(broken(account)).toEqual([]));

test.for<readonly [string, string, Told]>([
  ['I2', 'a claim through a registration in another namespace', claimedThrough(hidden, false)],
  ['I2', 'a claim through a registration that the token shows', claimedThrough(too, true)],
  ['I8', 'a disk that another operator never was to adopt', handedOver(false)],
  [
    'I8',
    'a disk that another operator, told to adopt and to destroy it, let go',
    replacedByAnother({ adoption: 'Adopt' }),
  ],
  [
    'I8',
    'a disk that another operator, which was never to adopt it, let go',
    replacedByAnother({ deletion: 'Deregister' }),
  ],
  ['I7', 'a disk that two share, of whom one let it go after it was told to adopt it', sharedSince(true)],
  [
    'I8',
    'a disk that another operator had adopted and let go, and declares anew',
    handedOver(true, 7 * minute),
  ],
  ['I6', 'a disk that left to be kept, and was nobody’s for minutes', movedAway(3 * minute)],
  [
    'I6',
    'a disk that left to be kept, and came back after the scheduler was up again',
    awayInOutage({ from: 0, to: minute }),
  ],
  [
    'I6',
    'a disk that left to be kept while the scheduler was down, and of which nothing had been asked since',
    awayInOutage({ from: 4 * minute, to: 11 * minute }),
  ],
  ['I8', 'a disk made when its manifest was surely gone', madeAfterItWent(gone - 2 * minute)],
  ['I8', 'a disk made long after its manifest went, while nothing was wrong', madeLate('calm')],
])('but %s is still broken by %s', ([invariant, , account]) => expect(broken(account)).toContain(invariant));
