// The oracle says no to nothing but what must never be: what nobody could have known, and what was asked for.
import { expect, test } from 'vitest';
import {
  A,
  asDeclared,
  B,
  broken,
  declared,
  dereg,
  destroyed,
  gone,
  keeper,
  made,
  minute,
  none,
  others,
  place,
  registeredToo,
  retiredIsGone,
  shape,
  stays,
  theirDisks,
  told,
  too,
  tree,
  waiting,
  wider,
  type Told,
} from './accounts.ts';
import type { Fact } from './oracle/record.ts';

const unreadable = {
  ...waiting('A'),
  leaving: false,
  conditions: [{ ...waiting('A').conditions[0]!, reason: 'DeclarationUnreadable' }],
};
const widened = [stays[0]!, tree(gone, [{ ...declared, replace: 'WhenUnused', source: wider }, keeper])];
const moved = { ...declared, key: 'CSIVolume/shop/renamed', replace: 'WhenUnused', source: wider } as const;
/** The new one stands. */
const replaced = [...made('d1'), dereg('d1', gone + 1), ...made('d2', gone + 2)];
const muchLater = retiredIsGone.map((one) => ({ ...one, at: gone + minute, sentAt: gone + minute }));
const copied = (facts: readonly ('copied' | 'accepted')[]): readonly Fact[] =>
  facts.map((is, i) => ({ at: minute + i, operator: 'A', is }));
const renamed = [
  tree(0, [declared, keeper]),
  tree(gone, [{ ...declared, key: 'CSIVolume/shop/renamed' }, keeper]),
];
const leftToB = [
  tree(0, [declared]),
  tree(gone, []),
  tree(0, [{ ...declared, adoption: 'Adopt' }], { operator: 'B' }),
];
/** One leaves, and then the manifest of another can't be used. */
const besideARefusedFile = (hides: boolean): Told => ({
  entries: asDeclared,
  snapshots: [
    tree(0, [declared, keeper]),
    tree(gone - 2 * minute, [keeper]),
    tree(gone, [], { broken: new Set([keeper.key]), unsound: true, hides }),
  ],
});
/** One leaves while the file of another is empty, since `emptiedAt`. The state is lost in between. */
const besideAnEmptyFile = (emptiedAt: number): Told => {
  const keys = new Set([keeper.key]);
  const adopted = { ...declared, adoption: 'Adopt' } as const;
  const empty = { emptied: keys, broken: keys, unsound: true };
  return {
    entries: asDeclared,
    snapshots: [tree(0, [adopted, keeper]), tree(emptiedAt, [adopted], empty), tree(gone, [], empty)],
    facts: [{ at: 3 * minute, operator: 'A', is: 'lost' }],
  };
};
const tenPercent = { limits: { perHour: 100, percent: 10 } };
/** One that is known leaves with four that are not. */
const tenPercentOfSix = [
  tree(0, [{ ...declared, adoption: 'AdoptIfIdentical' }, keeper, ...others], tenPercent),
  tree(gone, [keeper], tenPercent),
];

test.for<readonly [string, Told]>([
  [
    'a disk that was to be kept so shortly before it left that nobody can have seen it',
    {
      entries: asDeclared,
      snapshots: [
        tree(0, [declared, keeper]),
        tree(gone - 5_000, [{ ...declared, deletion: 'Retain' }, keeper]),
        tree(gone, [keeper]),
      ],
    },
  ],
  [
    'the old disk once the new one stands',
    {
      entries: [
        ...made('d1'),
        { at: gone + 1, sentAt: gone, by: A, is: 'deregistered', disk: 'd1', place, claims: [] },
        ...made('d2', gone + 2),
        ...destroyed('d1', gone + 3, {
          place: { ...place, id: 'holdfast-retired-1' },
          registrations: [],
        }).slice(0, 1),
      ],
      snapshots: [stays[0]!, tree(gone, [{ ...declared, replace: 'WhenUnused', source: wider }, keeper])],
      end: { registrations: [{ place, disk: 'd2' }] },
    },
  ],
  [
    'a disk that others register after the last look',
    {
      entries: [...registeredToo, ...destroyed('d1', gone + 50, { registrations: [place, too] })],
    },
  ],
  [
    'a disk that others register and claim after the last look',
    {
      entries: [
        ...registeredToo,
        ...destroyed('d1', gone + 50, {
          registrations: [place, too],
          claims: [{ allocation: 'job', place: too }],
        }),
      ],
    },
  ],
  [
    'a disk that another operator has by now, as it was told to',
    {
      entries: made('d1'),
      snapshots: leftToB,
      end: { disks: new Map([['d1', shape]]), registrations: [{ place, disk: 'd1' }] },
    },
  ],
  [
    'a disk that another operator had, as it was told to, and says why it still has',
    {
      entries: made('d1'),
      snapshots: [...leftToB, tree(gone, [], { operator: 'B' })],
      end: { told: [waiting('B')], disks: new Map([['d1', shape]]), registrations: [{ place, disk: 'd1' }] },
    },
  ],
  [
    'what waits for a moment only, as a try does',
    { entries: [], end: { told: [waiting('A')], toldBefore: [told('A')] } },
  ],
  [
    'that limits do not hold on any more, an hour after they were changed',
    {
      entries: [],
      snapshots: [tree(0, [keeper], { limits: { perHour: 1, percent: 10 } }), tree(5 * minute, [keeper])],
      end: { idleWrites: ['1 commits'] },
    },
  ],
  [
    'what a state held that was copied, once a person has said to go on from it',
    {
      entries: [...made('d1', 100, B), ...destroyed('d1', gone + minute)],
      facts: copied(['copied', 'accepted']),
    },
  ],
  [
    'that another operator, which was told to share the volume, just took its registration from the new one',
    {
      entries: [...replaced, dereg('d2', gone + 10, B), ...retiredIsGone],
      snapshots: widened,
      end: { registrations: [{ place, disk: 'd2' }] },
    },
  ],
  [
    'a disk that is registered at another scheduler, which the operator is not connected to',
    {
      entries: [
        ...made('d1'),
        ...destroyed('d1', gone + minute, { registrations: [place, { ...too, scheduler: 's2' }] }),
      ],
    },
  ],
  [
    'a disk that was made after its object had left, and destroyed at once, whoever names it by now',
    { entries: [...made('d1', gone + minute), ...destroyed('d1', gone + minute + 300)], snapshots: renamed },
  ],
  [
    'that what is not known any more, since the state was lost, is no part of the whole',
    {
      entries: asDeclared,
      snapshots: tenPercentOfSix,
      facts: [{ at: minute, operator: 'A', is: 'lost' }],
    },
  ],
  [
    'a disk of a create that came when what it made was gone already, since it had been repeated',
    {
      entries: [
        ...made('d1', gone),
        ...destroyed('d1', gone + minute),
        ...made('d2', gone + 2 * minute).map((one) => ({ ...one, sentAt: gone - 1 })),
      ],
      end: { registrations: [{ place, disk: 'd2' }] },
    },
  ],
  ['what had left before the manifest of another was refused', besideARefusedFile(false)],
  [
    'what leaves beside an empty file of which only the state, which was lost, knew',
    besideAnEmptyFile(minute),
  ],
  [
    'what waits for a manifest that stands there and is not mended',
    {
      entries: [],
      snapshots: [stays[0]!, tree(gone, [keeper], { broken: new Set([declared.key]), unsound: true })],
      end: { told: [unreadable], toldBefore: [unreadable] },
    },
  ],
  [
    'a replacement of what has moved, which a person let go under its new name',
    {
      entries: [...replaced, ...retiredIsGone],
      snapshots: [
        tree(0, [declared, keeper], none),
        tree(minute, [{ ...moved, source: declared.source }, keeper], none),
        tree(gone - minute, [moved, keeper], none),
      ],
      facts: [{ at: gone - 1, operator: 'A', is: 'approved', keys: [moved.key], digest: 'x' }],
      end: { registrations: [{ place, disk: 'd2' }] },
    },
  ],
  [
    'a disk whose registration went by a request for the one before, which was doubled',
    { entries: [...made('d1', gone), { ...dereg('d1', gone + 500), sentAt: gone - 1 }] },
  ],
])('nothing is broken by %s', ([, account]) => expect(broken(account)).toEqual([]));

test.for<readonly [string, string, Told]>([
  [
    'I1',
    'what a copied state held, while nobody has said to go on from it',
    { entries: [...made('d1', 100, B), ...destroyed('d1', gone + minute)], facts: copied(['copied']) },
  ],
  [
    'I5',
    'the old disk, where the new one lost its registration to somebody before the last look',
    { entries: [...replaced, dereg('d2', gone + 3, B), ...muchLater], snapshots: widened },
  ],
  [
    'I3',
    'a disk that whoever names it by now may have had for long',
    { entries: [...made('d1', gone + minute), ...destroyed('d1', gone + 2 * minute)], snapshots: renamed },
  ],
  [
    'I2',
    'a disk that others registered before the last look, and claim',
    {
      entries: [
        ...registeredToo,
        ...destroyed('d1', gone + 200, { claims: [{ allocation: 'job', place: too }] }),
      ],
    },
  ],
  [
    'I8',
    'a disk that another operator had, and says nothing of',
    {
      entries: made('d1'),
      snapshots: [...leftToB, tree(gone, [], { operator: 'B' })],
      end: { disks: new Map([['d1', shape]]), registrations: [{ place, disk: 'd1' }] },
    },
  ],
  ['I1', 'what had left before the manifest of another could not be read', besideARefusedFile(true)],
  ['I1', 'what leaves beside a file that is emptied later', besideAnEmptyFile(4 * minute)],
  [
    'I4',
    'the same of a whole that is known',
    { entries: [...asDeclared, ...theirDisks], snapshots: tenPercentOfSix },
  ],
  [
    'I8',
    'a disk of a create that came late, and was not repeated',
    {
      entries: made('d2', gone + 2 * minute).map((one) => ({ ...one, sentAt: gone - 1 })),
      end: { registrations: [{ place, disk: 'd2' }] },
    },
  ],
  [
    'I8',
    'a disk whose registration went by a request of its own',
    { entries: [...made('d1', gone), dereg('d1', gone + 500)] },
  ],
  [
    'I11',
    'what waits for a manifest that can be read by now',
    { entries: [], snapshots: stays, end: { told: [unreadable], toldBefore: [unreadable] } },
  ],
])('but %s is still broken by %s', ([invariant, , account]) => expect(broken(account)).toContain(invariant));
