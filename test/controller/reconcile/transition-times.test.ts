// How long something has been so, as far as this process knows: what every wait of a plan is counted from.
import { expect, test } from 'vitest';
import { TransitionTimes } from '../../../src/controller/reconcile/transition-times.ts';
import type { Moment } from '../../../src/core/planning/situation.ts';
import { gone } from '../../../src/core/planning/plan.ts';

function process() {
  const transitionTimes = new TransitionTimes();
  let since: readonly number[] = [];
  const ask = (key: string, nowMs: number, ...what: readonly string[]): readonly number[] => {
    const plan = (moment: Moment) => {
      since = what.map((one) => moment.since(one));
      return gone('for the test', false);
    };
    transitionTimes.plan(key, { plan }, { nowMs: () => nowMs, wallMs: () => 0 });
    return since;
  };
  return { transitionTimes, ask };
}

test('it counts from the first plan that asks, and on for as long as plans ask', () => {
  const { ask } = process();
  expect(ask('a', 5, 'x')).toEqual([5]);
  expect(ask('a', 7, 'x', 'y')).toEqual([5, 7]);
  expect(ask('a', 9, 'y', 'x', 'x')).toEqual([7, 5, 5]);
});

test('what a plan does not ask for is over: should it come again, it counts anew', () => {
  const { ask } = process();
  ask('a', 5, 'x', 'y');
  ask('a', 6, 'y');
  expect(ask('a', 7, 'x', 'y')).toEqual([7, 5]);
  ask('a', 8);
  expect(ask('a', 9, 'x', 'y')).toEqual([9, 9]);
});

test('objects don’t count for each other', () => {
  const { ask } = process();
  ask('a', 5, 'x');
  expect(ask('b', 7, 'x')).toEqual([7]);
  expect(ask('a', 9, 'x')).toEqual([5]);
});

test('an object that is gone leaves nothing to the next of its name', () => {
  const { transitionTimes, ask } = process();
  ask('a', 5, 'x');
  transitionTimes.forget('a');
  expect(ask('a', 7, 'x')).toEqual([7]);
});
