// What was half done when it was declared again or edited, as the oracle takes it: it goes on, or is taken back.
import { expect, test } from 'vitest';
import {
  broken,
  declared,
  dereg,
  gone,
  keeper,
  made,
  minute,
  none,
  others,
  place,
  retiredIsGone,
  told,
  tree,
  waiting,
  wider,
  type Told,
} from './accounts.ts';

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
    entries: [
      ...made('d1'),
      dereg('d1', gone),
      ...made('d2', gone + 2),
      ...retiredIsGone.map((one) => ({ ...one, at, sentAt: at })),
    ],
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
