// An object leaves, and what is there is not as it was recorded: something else has its place, or an answer was lost.
import { expect, test } from 'vitest';
import { managed } from '../../../src/core/planning/planner.ts';
import type { Plan } from '../../../src/core/planning/plan.ts';
import { short } from '../../support/policy-rows.ts';
import { given, situation, toy, type Given, type ToyLive } from '../../support/toy.ts';

const planOf = (more: Partial<typeof toy>, of: Given): Plan<string> =>
  managed({ ...toy, ...more })(situation(of));

test('what has taken its place is told to those who wait for this one, and looked at again when it changes', () => {
  const displaced = { displaced: (_: unknown, { madeBy }: ToyLive) => `${madeBy} has taken its place` };
  const stays = { reason: 'DeletionBlocked', message: 'others has taken its place', wake: { on: 'live' } };
  expect(planOf(displaced, given('usurped', 'deleting', 'Delete'))).toMatchObject(stays);
  expect(planOf(displaced, given('usurped', 'deleting'))).toMatchObject(stays);
  expect(short(planOf(displaced, given('usurped', 'deleting', 'Deregister')))).toBe('gone kept');
  expect(short(planOf({}, given('usurped', 'deleting')))).toBe('gone kept');
});

test('what a lost answer made is taken note of where it is kept, and deleted where it is to be', () => {
  expect(planOf({}, given('creating', 'deleting'))).toMatchObject({
    steps: [{ verb: 'adopt', identity: 'us-1' }],
  });
  expect(short(planOf({}, given('creating', 'deleting', 'Delete')))).toBe('delete by Delete');
  expect(short(planOf({}, given('creating', 'usurped', 'deleting')))).toBe('gone kept');
});
