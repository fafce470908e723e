// What a person says by a command, as the oracle takes it: what was approved may go, from then on; a suspension that was never
// answered may hold or not.
import { expect, test } from 'vitest';
import {
  afterwards,
  asDeclared,
  broken,
  declared,
  dereg,
  destroyed,
  gone,
  keeper,
  limited,
  made,
  minute,
  none,
  others,
  place,
  retiredIsGone,
  theirDisks,
  told,
  tree,
  waiting,
  wider,
  type Told,
} from './accounts.ts';
import type { Fact } from './oracle/record.ts';

const oneAnHour = { limits: { perHour: 1, percent: 100 } };
/** Two leave one after the other, and a person lets the first one go at that instant. Its disk is destroyed at three minutes. */
const twoLeave = (approvedAt: number): Told => ({
  entries: [
    ...made('d1'),
    ...made('d2').map((one) => ({ ...one, place: keeper.place })),
    dereg('d1', gone + 1),
    ...retiredIsGone.map((one) => ({ ...one, at: gone + 3 * minute, sentAt: gone + 3 * minute })),
    { ...dereg('d2', gone + 5 * minute), place: keeper.place },
  ],
  snapshots: [
    tree(0, [declared, keeper, ...others], oneAnHour),
    tree(gone, [keeper, ...others], oneAnHour),
    tree(gone + 4 * minute, others, oneAnHour),
  ],
  facts: [{ at: approvedAt, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
  end: { told: [{ ...waiting('A'), key: keeper.key }] },
});
/** Its replacement is approved at that instant; then it is renamed. */
const replacedAfterMove = (approvedAt: number): Told => {
  const asks = { ...declared, replace: 'WhenUnused', source: wider } as const;
  return {
    entries: [...made('d1'), dereg('d1', gone + 1), ...made('d2', gone + 2), ...retiredIsGone],
    snapshots: [
      tree(0, [declared, keeper], none),
      tree(40, [asks, keeper], none),
      tree(gone - minute, [{ ...asks, key: 'CSIVolume/shop/renamed' }, keeper], none),
    ],
    facts: [{ at: approvedAt, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
    end: { registrations: [{ place, disk: 'd2' }] },
  };
};
/** It is suspended by command before it leaves; a person resumes it at that instant. */
const resumed = (at: number): Told => ({
  entries: asDeclared,
  facts: [suspendedBy('true', minute), suspendedBy(undefined, at)],
});
const suspendedBy = (token: string | undefined, at: number): Fact => ({
  at,
  operator: 'A',
  is: 'asked',
  key: declared.key,
  name: 'suspend',
  token,
  unanswered: false,
});
/** Its replacement is approved, and is sent although its manifest has gone. */
const replacedAndRemoved = (removedAt: number): Told => ({
  entries: [...made('d1'), dereg('d1', gone)],
  snapshots: [
    tree(0, [declared, keeper, ...others], none),
    tree(40, [{ ...declared, replace: 'WhenUnused', source: wider }, keeper, ...others], none),
    tree(removedAt, [keeper, ...others], none),
  ],
  facts: [{ at: gone - 2 * minute, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
  end: { told: [waiting('A')] },
});
/** It leaves with Retain, alone or with all others, is declared again with Delete, and leaves. */
const backToGo = (withAll: boolean): Told => {
  const retained = { ...declared, deletion: 'Retain' } as const;
  return {
    entries: asDeclared,
    snapshots: [
      tree(0, [retained, keeper]),
      tree(minute, withAll ? [] : [keeper]),
      tree(4 * minute, [declared, keeper]),
      tree(gone, [keeper]),
    ],
  };
};
/** An edit that can't be made, which says to keep it; then it leaves, and a person lets it go. */
const refusedAndGone = (unread: boolean, approvedAt = gone + 1, first = declared): Told => ({
  entries: asDeclared,
  snapshots: [
    tree(0, [first, keeper]),
    tree(4 * minute, [{ ...first, source: wider, deletion: 'Retain' }, keeper]),
    tree(gone, [keeper]),
  ],
  facts: [{ at: approvedAt, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x', unread }],
});
/** It leaves with Retain beside a manifest that stays, comes back with Delete, and leaves. @param beside since it left */
const keptBeside = (beside: typeof keeper): Told => {
  const retained = { ...declared, deletion: 'Retain' } as const;
  return {
    entries: asDeclared,
    snapshots: [
      tree(0, [retained, keeper]),
      tree(minute, [beside]),
      tree(4 * minute, [declared, keeper]),
      tree(gone, [keeper]),
    ],
  };
};
/** A person lets it go, and before it does its manifest is back for minutes: empty, or as it was. */
const backUntilGone = (isEmpty: boolean): Told => {
  const empty = { ...none, broken: new Set([declared.key]), unsound: true };
  return {
    entries: asDeclared,
    snapshots: [
      limited,
      tree(gone - 5 * minute, [keeper], none),
      isEmpty ? tree(gone - 3 * minute, [keeper], empty) : tree(gone - 3 * minute, [declared, keeper], none),
      afterwards,
    ],
    facts: [{ at: gone - 4 * minute, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
  };
};
/** The same, and for that long before the edit that can't be made it was suspended. */
const suspendedBefore = (forMs: number): Told => {
  const { snapshots = [], ...account } = refusedAndGone(true);
  const [first, refused, away] = snapshots;
  if (!first || !refused || !away) throw new Error('it was declared, edited and removed');
  const rests = tree(refused.at - forMs, [{ ...declared, suspended: true }, keeper]);
  return { ...account, snapshots: [first, rests, refused, away] };
};
/** Of six objects five leave, and one of them has a disk. @param theirs disks of the others */
const fiveLeave = (theirs: Told['entries']): Told => {
  const tenPercent = { limits: { perHour: 100, percent: 10 } };
  return {
    entries: [...asDeclared, ...theirs],
    snapshots: [tree(0, [declared, keeper, ...others], tenPercent), tree(gone, [keeper], tenPercent)],
  };
};
/** It is suspended once its state was put back, to when it was not; a person says to go on from that, and it leaves. */
const putBack = (restoredAt: number): Told => ({
  entries: asDeclared,
  snapshots: [
    tree(0, [declared, keeper]),
    tree(minute, [{ ...declared, suspended: true }, keeper]),
    tree(gone, [keeper]),
  ],
  facts: [
    { at: restoredAt, operator: 'A', is: 'restored' },
    { at: restoredAt + 1, operator: 'A', is: 'accepted' },
  ],
});
/** The change that takes it away raises the limits, too. */
const raisedBy = (raisedAt: number): Told => {
  const destroyedAt = 90 * minute;
  const retired = { place: { ...place, id: 'holdfast-retired-1' }, registrations: [] };
  return {
    entries: [
      ...made('d1'),
      dereg('d1', destroyedAt),
      ...destroyed('d1', destroyedAt + 20, retired).slice(0, 1),
    ],
    snapshots: [tree(0, [declared, keeper], none), tree(raisedAt, [keeper])],
  };
};
const suspending: Fact = {
  at: gone,
  operator: 'A',
  is: 'asked',
  key: declared.key,
  name: 'suspend',
  token: 'true',
  unanswered: true,
};
test.for<readonly [string, Told]>([
  [
    'what a person let go before another file could not be read for a while',
    {
      entries: asDeclared,
      snapshots: [
        limited,
        tree(gone - 3 * minute, [keeper], none),
        tree(gone - minute, [keeper], { ...none, unsound: true }),
        afterwards,
      ],
      facts: [{ at: gone - 2 * minute, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
    },
  ],
  [
    'what a person let go, though it is more than the limits allow',
    {
      entries: asDeclared,
      snapshots: [limited, afterwards],
      facts: [{ at: gone + 1, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
    },
  ],
  [
    'what a person let go before it was back for so short that nobody can have seen that',
    {
      entries: asDeclared,
      snapshots: [
        limited,
        tree(gone - 5 * minute, [keeper], none),
        tree(gone - 30_000, [declared, keeper], none),
        afterwards,
      ],
      facts: [{ at: gone - 4 * minute, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
    },
  ],
  [
    'what had been held back by the limits when it left with Retain, and is declared with Delete',
    backToGo(true),
  ],
  ['a replacement that a person let go, of what was removed right before', replacedAndRemoved(gone - 500)],
  ['a replacement that a person let go before it moved', replacedAfterMove(gone - 2 * minute)],
  ['what a person let go when its deletion was half done', twoLeave(gone + 2 * minute)],
  ['what was suspended, has left, and is resumed', resumed(gone + 1)],
  [
    'another disk than is asked for, while a suspension may have been noted that was never answered',
    {
      entries: made('d1'),
      snapshots: [tree(0, [{ ...declared, source: wider }])],
      facts: [suspending],
      end: { told: [told('A')], registrations: [{ place, disk: 'd1' }] },
    },
  ],
  [
    'what a person let go who was told that its last manifest, which could not be used, may have kept it',
    refusedAndGone(true),
  ],
  [
    'what was declared before a state was put back, from which a person said to go on',
    putBack(gone - 30_000),
  ],
  ['what a person let go so, and was suspended too shortly before for anybody to see', suspendedBefore(14)],
  ['what a person let go before its manifest was back, and empty', backUntilGone(true)],
  [
    'what had left with Retain only while an edit beside it could not be made',
    keptBeside({ ...keeper, source: wider }),
  ],
  ['one that leaves with four that never had anything outside', fiveLeave([])],
  [
    'one that leaves with four whose volumes somebody else has',
    fiveLeave(theirDisks.map((entry) => ({ ...entry, by: { stranger: 'x' } }))),
  ],
  ['what leaves with limits that were raised for it more than an hour ago', raisedBy(29 * minute)],
  [
    'a disk whose suspension was never answered, and so may not have been noted',
    { entries: asDeclared, facts: [{ ...suspending, at: minute }] },
  ],
])('nothing is broken by %s', ([, account]) => expect(broken(account)).toEqual([]));

test.for<readonly [string, string, Told]>([
  [
    'I4',
    'a replacement of what has moved, where a person let its first disk go, another one',
    replacedAfterMove(50),
  ],
  ['I4', 'a replacement that a person let go, of what was removed before', replacedAndRemoved(gone - minute)],
  ['I6', 'what had left with Retain', backToGo(false)],
  [
    'I6',
    'what a person let go with others, and was not told that it may be one to keep',
    refusedAndGone(false),
  ],
  ['I6', 'what a person let go before it left, and could not be used', refusedAndGone(true, gone - minute)],
  [
    'I6',
    'what could not be used, and was never to be deleted',
    refusedAndGone(true, gone + 1, { ...declared, deletion: 'Retain' }),
  ],
  ['I6', 'what a person let go so, and was suspended before, for all to see', suspendedBefore(2 * minute)],
  ['I4', 'one that leaves with four that have disks, too', fiveLeave(theirDisks)],
  ['I6', 'what was declared long after a state was put back', putBack(gone - 3 * minute)],
  ['I4', 'what leaves with limits that were raised for it less than an hour ago', raisedBy(31 * minute)],
  ['I4', 'what a person let go when nothing of it was left', twoLeave(gone + 3.5 * minute)],
  ['I6', 'what was suspended, has left, and is resumed too late', resumed(gone + 10 * minute)],
  [
    'I6',
    'a disk whose suspension was answered',
    { entries: asDeclared, facts: [{ ...suspending, at: minute, unanswered: false }] },
  ],
  ['I4', 'what a person let go before it was back', backUntilGone(false)],
  ['I6', 'what had left with Retain beside an edit that can be made', keptBeside(keeper)],
])('but %s is still broken by %s', ([invariant, , account]) => expect(broken(account)).toContain(invariant));
