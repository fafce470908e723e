// What was half done when it was declared again or edited, as the oracle takes it: it goes on, or is taken back.
import { expect, test } from 'vitest';
import {
  A,
  broken,
  asDeclared,
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
  retiredIsGone,
  theirDisks,
  told,
  tree,
  waiting,
  wider,
  type Told,
} from './accounts.ts';
import type { Declared, Entry } from './oracle/record.ts';

const oneAnHour = { limits: { perHour: 1, percent: 100 } };
/** One leaves, and is declared again while its deletion is half done, or was done at that instant; then another one leaves. */
const backHalfway = (destroyedAt = 10 * minute): Told => ({
  entries: [
    ...made('d1'),
    ...made('d2').map((one) => ({ ...one, place: keeper.place })),
    dereg('d1', gone + 1),
    ...retiredIsGone.map((one) => ({ ...one, at: gone + destroyedAt, sentAt: gone + destroyedAt })),
    { ...dereg('d2', gone + 5 * minute), place: keeper.place },
  ].filter(({ at }) => at < gone + 10 * minute),
  snapshots: [
    tree(0, [declared, keeper, ...others], oneAnHour),
    tree(gone, [keeper, ...others], oneAnHour),
    tree(gone + 2 * minute, [declared, keeper, ...others], oneAnHour),
    tree(gone + 4 * minute, [declared, ...others], oneAnHour),
  ],
  facts: [],
  end: { told: [{ ...waiting('A'), key: keeper.key }, waiting('A')] },
});
/** The first disk is replaced: its registration goes, the new disk stands, and then the old one is destroyed. */
const replacing = (begunAt: number, goneAt: number, madeAt?: number): readonly Entry[] => [
  ...made('d1', madeAt),
  dereg('d1', begunAt),
  ...made('d2', begunAt + 2),
  ...retiredIsGone.map((one) => ({ ...one, at: goneAt, sentAt: goneAt })),
];
/** It is removed as its approved replacement begins, and is back before the old disk is destroyed. */
const goneAndBack = (removedAt: number): Told => {
  const { snapshots = [], ...account } = replacedTwice(gone + 2 * minute);
  const [first, asks] = snapshots;
  if (!first || !asks) throw new Error('it was declared and edited');
  const back = { ...asks, at: gone + minute - 100 };
  return { ...account, snapshots: [first, asks, tree(removedAt, [keeper], none), back] };
};
/** Its replacement is approved, and it is edited once more at that instant. The old disk is destroyed at a minute. */
const replacedTwice = (editedAt: number): Told => {
  const asks = { ...declared, replace: 'WhenUnused', source: wider } as const;
  const at = gone + minute;
  return {
    entries: replacing(gone, at),
    snapshots: [
      tree(0, [declared, keeper], none),
      tree(40, [asks, keeper], none),
      tree(
        editedAt,
        [{ ...asks, source: { create: { parameters: { class: 'other' }, required: '' } } }, keeper],
        none,
      ),
    ],
    facts: [{ at: gone - 2 * minute, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
    end: {
      told: [{ ...told('A'), conditions: waiting('A').conditions }],
      registrations: [{ place, disk: 'd2' }],
    },
  };
};

/** The manifest of another is back when it leaves, is emptied for good after so long, and had been gone for minutes. */
const besideOneBackAndEmpty = (afterMs: number, goneFor = 5 * minute): Told => {
  const empty = { broken: new Set([keeper.key]), emptied: new Set([keeper.key]), unsound: true };
  return {
    entries: asDeclared,
    snapshots: [
      tree(0, [declared, keeper]),
      tree(gone - goneFor, [declared]),
      tree(gone - afterMs - 1, [declared, keeper]),
      tree(gone - 1, [keeper]),
      tree(gone, [], empty),
    ],
  };
};

test.for([
  ['minutes', 5 * minute],
  ['seconds, so that it may have been forgotten', 10_000],
] as const)(
  'nothing is broken by what leaves beside a file, gone for %s, that was emptied before anybody can have seen what it declares',
  ([, goneFor]) => expect(broken(besideOneBackAndEmpty(30, goneFor))).toEqual([]),
);

test.for<readonly [string, Told]>([
  ['that was read before it was emptied', besideOneBackAndEmpty(2 * minute)],
  ['that was gone too shortly to be forgotten', besideOneBackAndEmpty(30, 100)],
])('but what leaves beside a file %s still breaks I1', ([, account]) =>
  expect(broken(account)).toContain('I1'),
);

test.for<readonly [string, Told]>([
  ['what leaves after another that was declared again before its disk was destroyed', backHalfway()],
  ['an approved replacement of what is edited before its old disk is destroyed', replacedTwice(gone + 1_000)],
  ['an approved replacement of what was removed as it began, and is back', goneAndBack(gone - 100)],
])('nothing is broken by %s', ([, account]) => expect(broken(account)).toEqual([]));

test.for<readonly [string, Told]>([
  ['what leaves after another that was declared again once its disk was destroyed', backHalfway(minute)],
  ['an approved replacement of what is edited before it begins', replacedTwice(gone - minute)],
  ['an approved replacement of what was removed before it began', goneAndBack(gone - minute)],
])('but %s is still broken by I4', ([, account]) => expect(broken(account)).toContain('I4'));

const third = { perHour: 100, percent: 30 };
const five = [declared, keeper, ...others.slice(0, 3)];
const goes = (disk: string, at: number, one = declared) =>
  destroyed(disk, at, { registrations: [one.place] }).map((entry) => ({ ...entry, place: one.place }));
/** One of six goes, a person lets another one go, and then a third goes by itself: two of six, or of the five that are left. */
const afterOneLetGo = (isApproved: boolean): Told => {
  const [last] = others.slice(3);
  if (!last) throw new Error('there are six');
  const isLeft = (...went: readonly { key: string }[]) =>
    [...five, last].filter(({ key }) => !went.some((one) => one.key === key));
  return {
    entries: [
      ...made('d1'),
      ...theirDisks,
      ...goes('d1', gone),
      ...goes('d-e', gone + 5 * minute, last),
      ...goes('d-other', gone + 10 * minute, keeper),
    ],
    snapshots: [
      tree(0, isLeft(), { limits: third }),
      tree(gone - minute, isLeft(declared), { limits: third }),
      tree(gone + 2 * minute, isLeft(declared, last), { limits: third }),
      tree(gone + 9 * minute, isLeft(declared, last, keeper), { limits: third }),
    ],
    facts: isApproved
      ? [{ at: gone + 4 * minute, operator: 'A', is: 'approved', keys: [last.key], digest: 'x' }]
      : [],
  };
};

test('I4 is not broken by two of the five that are left once a person let one go', () =>
  expect(broken(afterOneLetGo(true))).not.toContain('I4'));
test('but one that nobody let go still counts', () => expect(broken(afterOneLetGo(false))).toContain('I4'));

/** It is let go while a slow disk takes its time to note that, and is declared again for a moment before it has. */
const backWhileNoted = (saidAt: number): Told => ({
  entries: [...made('d1'), ...destroyed('d1', gone + minute)],
  snapshots: [
    tree(0, [declared, keeper], none),
    tree(gone - 2 * minute, [keeper], none),
    tree(gone, [declared, keeper], none),
    tree(gone + 10_000, [keeper], none),
  ],
  facts: [{ at: gone + 5_000, saidAt, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
});

test('nothing is broken by what was let go before it was back for a moment', () =>
  expect(broken(backWhileNoted(gone - 15_000))).toEqual([]));
test('but I4 is by what was let go while it was back', () =>
  expect(broken(backWhileNoted(gone + 5_000))).toContain('I4'));

/** An edit that asks for another disk, and the disk that was made at 100 ms is replaced later on. */
const editedBeforeMade = (editedAt: number, madeAt: number): Told => {
  const asks = { ...declared, replace: 'WhenUnused' } as const;
  const there = { ...asks, source: { create: { parameters: { class: 'a' }, required: 'b' } } };
  const at = madeAt + minute;
  return {
    entries: replacing(at - 100, at, madeAt),
    snapshots: [tree(0, [asks, keeper]), tree(editedAt, [there, keeper])],
    end: { told: [told('A')], registrations: [{ place, disk: 'd2' }] },
  };
};

test('nothing is broken by the replacement of what was made by what was read before an edit', () =>
  expect(broken(editedBeforeMade(90, 100))).toEqual([]));
test('but I1 is by that of what was made long after the edit', () =>
  expect(broken(editedBeforeMade(90, 10 * minute))).toContain('I1'));

/** The new disk stands, and what asked for it is renamed, and told never to replace, before the old one is destroyed. */
const renamedHalfway = (asks: Declared['replace']): Told => {
  const edited = { ...declared, replace: asks, source: wider } as const;
  const heir = { ...edited, key: keeper.key, replace: 'Never' } as const;
  return {
    entries: replacing(gone, gone + 3_000),
    snapshots: [
      tree(0, [{ ...declared, replace: asks }]),
      tree(gone - 2_000, [edited]),
      tree(gone + 1, [heir]),
    ],
    end: { told: [{ ...told('A'), key: heir.key }], registrations: [{ place, disk: 'd2' }] },
  };
};

test('I3 is not broken by a replacement that goes on under the new name of what asked for it', () =>
  expect(broken(renamedHalfway('WhenUnused'))).not.toContain('I3'));
test('but I3 is where it never asked', () => expect(broken(renamedHalfway('Never'))).toContain('I3'));

/** Somebody destroys the new disk so long before the old one is. */
const newIsDestroyed = (beforeMs: number): Told => {
  const asks = { ...declared, replace: 'WhenUnused' } as const;
  const at = gone + minute;
  return {
    entries: [
      ...made('d1'),
      dereg('d1', gone),
      ...made('d2', gone + 2),
      { ...dereg('d2', at - beforeMs), by: { stranger: 'x' } },
      ...destroyed('d2', at - beforeMs)
        .slice(0, 1)
        .map((one) => ({ ...one, by: { stranger: 'x' } })),
      ...retiredIsGone.map((one) => ({ ...one, at, sentAt: at })),
    ],
    snapshots: [tree(0, [asks, keeper]), tree(gone - 2_000, [{ ...asks, source: wider }, keeper])],
    end: { told: [waiting('A')] },
  };
};

test('I5 is not broken where somebody destroys the new disk in the moment in which the old one goes', () =>
  expect(broken(newIsDestroyed(20))).not.toContain('I5'));
test('but it is where the new one was gone before that', () =>
  expect(broken(newIsDestroyed(10_000))).toContain('I5'));

/** An approved replacement, before which the manifest can't be read for a while, and then says the same or something else. */
const brokenForAWhile = (then: Declared['source']): Told => {
  const asks = { ...declared, replace: 'WhenUnused', source: wider } as const;
  const at = gone + 10 * minute;
  const unread = { ...none, broken: new Set([declared.key]), unsound: true };
  return {
    entries: replacing(at, at + 100),
    snapshots: [
      tree(0, [{ ...asks, source: declared.source }, keeper], none),
      tree(minute, [asks, keeper], none),
      tree(gone + minute, [keeper], unread),
      tree(gone + 4 * minute, [{ ...asks, source: then }, keeper], none),
    ],
    facts: [{ at: gone, operator: 'A', is: 'approved', keys: [declared.key], digest: 'x' }],
  };
};

test('I4 is not broken by an approved replacement of what could not be read for a while since', () =>
  expect(broken(brokenForAWhile(wider))).not.toContain('I4'));
test('but it is where it says something else since', () =>
  expect(broken(brokenForAWhile({ create: { parameters: { class: 'c' }, required: '' } }))).toContain('I4'));

/** It left, its disk went, it is declared again, and that disk is registered once more. */
const readyWithout = (by: Entry['by']): Told => {
  const at = gone + 5 * minute;
  return {
    entries: [
      ...made('d1'),
      ...destroyed('d1', gone + minute, { by }),
      { at, sentAt: at, by: A, is: 'registered', disk: 'd1', place },
    ],
    snapshots: [
      tree(0, [declared, keeper]),
      tree(gone, [keeper]),
      tree(gone + 4 * minute, [declared, keeper]),
    ],
    end: { told: [told('A')], registrations: [{ place, disk: 'd1' }] },
  };
};

test('I10 is broken by a volume that is ready with a disk that its operator destroyed, which nobody else can know', () => {
  expect(broken(readyWithout(A))).toEqual(['I10']);
  expect(broken(readyWithout({ stranger: 'x' }))).toEqual([]);
});
