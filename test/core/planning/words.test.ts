// What people read of a plan where no kind words it: before they approve or run it, they have to see what it comes to.
import { expect, test } from 'vitest';
import type { Plan } from '../../../src/core/planning/plan.ts';
import { planned, rows } from '../../support/policy-rows.ts';
import { given, toy, type Word } from '../../support/toy.ts';

function wordsOf(plan: Plan<string>): readonly string[] {
  switch (plan.verdict) {
    case 'change':
      return plan.steps.map((step) => step.summary);
    case 'gone':
      return [plan.because];
    case 'blocked':
      return [plan.message];
    case 'in-sync':
      return [];
  }
}

test.for<{ why: string; given: readonly Word[]; expect: readonly string[] }>([
  {
    why: 'taking over is one thing, what is written then another',
    given: ['foreign', 'sizeEdited', 'Adopt'],
    expect: ['take over what is there', 'bring it in line'],
  },
  {
    why: 'what is taken over would not stay',
    given: ['foreign', 'diskEdited', 'Adopt', 'WhenUnused'],
    expect: ['take over what is there', 'replace it by a new one'],
  },
  {
    why: 'why something is taken over that nobody asked to',
    given: ['creating', 'sizeEdited'],
    expect: ['take note of what a create made whose answer was lost'],
  },
  {
    why: 'after the removal there will be a new one',
    given: ['diskEdited', 'WhenUnused'],
    expect: ['Deregister it', 'create it anew'],
  },
  {
    why: 'why one that leaves is made',
    given: ['absent', 'creating', 'deleting', 'Delete'],
    expect: ['repeat the create whose answer was lost, to delete what it made'],
  },
  {
    why: 'why one that leaves is brought back',
    given: ['absent', 'reviving', 'deleting', 'Delete'],
    expect: ['disk-1, to delete it'],
  },
  { why: 'the policy keeps it', given: ['deleting'], expect: ['kept as it is'] },
  {
    why: 'it is kept as another’s',
    given: ['foreign', 'deleting', 'Delete'],
    expect: ['what is there is not ours'],
  },
  { why: 'there is nothing to keep', given: ['absent', 'deleting'], expect: ['nothing is there'] },
  { why: 'it went before', given: ['absent', 'deleted', 'deleting', 'Delete'], expect: ['nothing is there'] },
  { why: 'what is to be seen', given: ['absent', 'ObserveOnly'], expect: ['nothing is there to observe'] },
  {
    why: 'why it is not simply made again',
    given: ['absent', 'unrevivable'],
    expect: ['it was here and is gone; it held data, so it is not made anew'],
  },
])('a plan says what it comes to: $why', (row) => {
  expect(wordsOf(planned(given(...row.given)))).toEqual(row.expect);
});

const changed = (plan: Plan<string>) => {
  if (plan.verdict === 'change') return plan.steps.flatMap((step) => step.changes);
  return plan.verdict === 'blocked' ? plan.changes : [];
};

test('whatever is said to change is a field of the kind', () => {
  const all = Object.values(rows).flat();
  const paths = all.flatMap((row) => changed(planned(given(...row.given)))).map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !(path in toy.fields))).toEqual([]);
});
