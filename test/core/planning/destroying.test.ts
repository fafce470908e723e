// What a plan destroys, and what it takes to end that or to take it back: planner.ts and absent.ts around a kind that lets
// go of a thing before it destroys it.
import { describe, expect, test } from 'vitest';
import type { Effectful, Lifecycle } from '../../../src/core/planning/lifecycle.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import { blocked, gone, type Plan, type Step } from '../../../src/core/planning/plan.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { short } from '../../support/policy-rows.ts';
import {
  declared,
  given,
  recorded,
  situation,
  toy,
  type Given,
  type ToyLive,
  type ToySpec,
} from '../../support/toy.ts';

type Toy =
  typeof toy extends Lifecycle<ToySpec, ToyLive, string, infer F, string>
    ? Lifecycle<ToySpec, ToyLive, string, F, string>
    : never;

const planOf = (more: Partial<Toy>, of: Given): Plan<string> => managed({ ...toy, ...more })(situation(of));

function stepsOf(plan: Plan<string>): readonly Partial<Step<string>>[] {
  if (plan.verdict !== 'change') throw new Error(`not a change: ${short(plan)}`);
  return plan.steps;
}

/** Deregistering loses no data, deleting does; either leaves a note of what was let go of. */
const lettingGo: Partial<Toy> = {
  data: ({ disk = '' }) => disk,
  remove: (_, live, how) => ({
    summary: `${how} it`,
    effect: how,
    destroys: how === 'Delete' ? 'data' : 'registration',
    ...(how === 'Delete' && { data: live.disk ?? '', evidence: { retired: 'r1' } }),
  }),
};

describe('each step says what it destroys', () => {
  test.for<{ why: string; of: Given; destroys: readonly (string | undefined)[] }>([
    { why: 'made', of: given('absent', 'unrecorded'), destroys: [undefined] },
    { why: 'written', of: given('sizeEdited'), destroys: [undefined] },
    { why: 'deleted', of: given('deleting', 'Delete'), destroys: ['data'] },
    { why: 'deregistered', of: given('deleting', 'Deregister'), destroys: ['registration'] },
    {
      why: 'replaced: what comes last loses the data',
      of: given('diskEdited', 'WhenUnused', 'Delete'),
      destroys: ['data', undefined, 'data'],
    },
    {
      why: 'replaced, and the old one kept',
      of: given('diskEdited', 'WhenUnused'),
      destroys: ['registration', undefined],
    },
    { why: 'brought back', of: given('absent'), destroys: [undefined] },
  ])('$why', ({ of, destroys }) => {
    expect(stepsOf(planOf(lettingGo, of)).map((step) => step.destroys)).toEqual(destroys);
  });

  test('a kind is told why it is to remove: what a replacement leaves behind is used again', () => {
    const remove: Partial<Toy> = {
      remove: (_, __, how, why) => ({ summary: `${how} to ${why}`, effect: how }),
    };
    expect(stepsOf(planOf(remove, given('deleting', 'Delete')))[0]?.summary).toBe('Delete to delete');
    expect(stepsOf(planOf(remove, given('diskEdited', 'WhenUnused')))[0]?.summary).toBe(
      'Deregister to replace',
    );
  });

  test('and whose data: what is recorded for another is known through whatever address', () => {
    expect(stepsOf(planOf(lettingGo, given('deleting', 'Delete')))[0]).toMatchObject({ data: 'ssd' });
    expect(stepsOf(planOf(lettingGo, given('foreign', 'Adopt')))[0]).toMatchObject({
      verb: 'adopt',
      data: 'ssd',
    });
    expect(stepsOf(planOf({}, given('foreign', 'Adopt')))[0]).not.toHaveProperty('data'); // it holds none
  });
});

describe('what a step is done to is recorded with it: after a crash, the name alone proves nothing', () => {
  test.for<{ why: string; of: Given }>([
    { why: 'deleting', of: given('deleting', 'Delete') },
    { why: 'replacing', of: given('diskEdited', 'WhenUnused', 'Delete') },
    { why: 'writing', of: given('sizeEdited') },
    { why: 'adopting', of: given('foreign', 'Adopt') },
    { why: 'noting what a lost create made', of: given('creating') },
  ])('$why', ({ why, of }) => {
    const identity = why === 'adopting' ? 'others-1' : 'us-1';
    expect(stepsOf(planOf({}, of))[0]).toMatchObject({ identity });
  });

  test('a removal notes which one it removes, and what the kind needs to end it', () => {
    const evidence = { removed: 'us-1', retired: 'r1' };
    for (const of of [given('deleting', 'Delete'), given('diskEdited', 'WhenUnused', 'Delete')])
      expect(stepsOf(planOf(lettingGo, of))[0]?.intent?.evidence).toEqual(evidence);
  });
});

describe('what is not proven to be ours is never destroyed', () => {
  const keeps = { keeps: () => true };

  test('it is kept as declared where the kind says so', () => {
    expect(short(planOf(keeps, given('unproven')))).toBe('in-sync');
    expect(short(planOf(keeps, given('usurped', 'sizeEdited')))).toBe('update /size');
  });

  test('its identity is not recorded by looking: else looking twice would make it ours', () => {
    expect(planOf(keeps, given('usurped'))).not.toHaveProperty('identity');
    expect(stepsOf(planOf(keeps, given('usurped', 'sizeEdited')))[0]).not.toHaveProperty('identity');
  });

  test.for(['Delete', 'Deregister'] as const)(
    'leaving with %s, it waits for a person and names both',
    (policy) => {
      expect(planOf(keeps, given('usurped', 'deleting', policy))).toMatchObject({
        reason: 'DeletionBlocked',
        message: 'what is there is not what was recorded: others-1 in the place of us-1',
      });
    },
  );

  test('and where nothing was recorded, that is named', () => {
    const message = 'what is there is not what was recorded: us-1 in the place of nothing';
    expect(planOf(keeps, given('unproven', 'deleting', 'Delete'))).toMatchObject({ message });
  });

  test('of a kind that does not keep it, it is left alone', () => {
    expect(short(planOf({}, given('usurped', 'deleting', 'Delete')))).toBe('gone kept');
  });

  test('what was let go of earlier is not ended by one that is not proven to be its heir', () => {
    const dispose = { ...keeps, dispose: () => ({ summary: 'destroy', effect: 'destroy' }) };
    expect(short(planOf(dispose, given('usurped')))).toBe('in-sync');
    expect(short(planOf(dispose, given('usurped', 'deleting', 'Delete')))).toBe(
      'blocked DeletionBlocked until live',
    );
  });
});

describe('a replacement that would fail is not begun', () => {
  const why = { reason: 'ReplacementBlocked', message: 'no such plugin', wake: { on: 'live' } } as const;
  const irreplaceable = { irreplaceable: () => blocked(why.reason, why.message, why.wake) };

  test('what can be known beforehand is asked first: a misspelt plugin cost the data', () => {
    expect(planOf(irreplaceable, given('diskEdited', 'WhenUnused', 'Delete'))).toMatchObject({
      verdict: 'blocked',
      ...why,
      changes: [{ path: '/disk' }],
    });
  });

  test('nothing else asks', () => {
    expect(short(planOf(irreplaceable, given('sizeEdited', 'WhenUnused')))).toBe('update /size');
    expect(short(planOf(irreplaceable, given('deleting', 'Delete')))).toBe('delete by Delete');
  });
});

const deletedUnder = (policy: Given['policy']): Given => ({
  ...given('absent', 'deleted', 'deleting'),
  ...(policy && { policy }),
});

describe('what was let go of is destroyed in the end', () => {
  const asked: string[] = [];
  const disposing = (answer: Effectful<string> | string | undefined): Partial<Toy> => ({
    dispose: (_, how) => {
      asked.push(how);
      return answer;
    },
  });
  const destroy: Effectful<string> = {
    summary: 'destroy d1',
    effect: 'destroy',
    destroys: 'data',
    data: 'd1',
  };
  const deleted = given('absent', 'deleted', 'deleting', 'Delete');

  test('by a step of its own, which says so', () => {
    expect(stepsOf(planOf(disposing(destroy), deleted))).toEqual([
      { ...destroy, verb: 'destroy', changes: [] },
    ]);
  });

  test('before the object leaves, and not after nothing is left to do', () => {
    expect(short(planOf(disposing(undefined), deleted))).toBe('gone removed');
  });

  test('what it waits for is told', () => {
    expect(planOf(disposing('claimed by job'), deleted)).toMatchObject({
      reason: 'DeletionBlocked',
      message: 'claimed by job',
      wake: { on: 'live' },
    });
    expect(planOf(disposing('claimed by job'), given())).toMatchObject({ reason: 'ReplacementBlocked' });
  });

  test('before anything else is done to the new one, once that is proven to stand', () => {
    const step = stepsOf(planOf(disposing(destroy), given('sizeEdited')))[0];
    expect(step).toMatchObject({ verb: 'destroy', identity: 'us-1' });
  });

  test('also where the new one leaves in turn, and before it does', () => {
    expect(stepsOf(planOf(disposing(destroy), given('deleting', 'Delete')))[0]).toMatchObject({
      verb: 'destroy',
      identity: 'us-1',
    });
  });

  test('also where another took the place of the new one: what was let go of is its own', () => {
    const steps = stepsOf(planOf(disposing(destroy), given('usurped', 'deleting', 'Delete')));
    expect(steps).toEqual([{ ...destroy, verb: 'destroy', changes: [] }]); // the other one is not recorded as its own
  });

  test.for(['Retain', 'ObserveOnly'] as const)(
    'never where nothing is to be destroyed by now: %s',
    (word) => {
      asked.length = 0;
      const policy =
        word === 'Retain'
          ? deletedUnder({ deletion: 'Retain' })
          : deletedUnder({ deletion: 'Delete', management: 'ObserveOnly' });
      expect(planOf(disposing(destroy), policy)).toEqual(gone('nothing is there'));
      expect(asked).toEqual([]);
    },
  );

  test('by the policy that holds by now, not by the one under which it was let go of', () => {
    asked.length = 0;
    planOf(disposing(undefined), given('absent', 'deleted', 'deleting', 'Deregister'));
    planOf(disposing(undefined), deleted);
    planOf(disposing(undefined), given()); // replaced under Retain
    expect(asked).toEqual(['Deregister', 'Delete', 'Deregister']);
  });
});

const pending = (op: string, more: object = {}): Given => ({
  ...given('absent'),
  memory: { ...recorded, pending: { op, token: '' }, ...more },
});

describe('what was let go of and not destroyed is brought back', () => {
  const restore: Partial<Toy> = {
    removals: ['retire'],
    restore: ({ status: memory }) =>
      memory.own === undefined
        ? undefined
        : {
            summary: `register ${memory.own} again`,
            effect: 'as it was',
            intent: { op: 'revive', token: '' },
            applied: memory.applied,
          },
  };

  test.for(['delete', 'replace', 'retire', 'destroy', 'create'])(
    'declared again while %s was under way',
    (op) => {
      expect(stepsOf(planOf(restore, pending(op)))[0]).toMatchObject({
        verb: 'revive',
        effect: 'as it was',
        changes: [],
        intent: { op: 'revive', token: '' },
        applied: recorded.applied, // as it was: what was edited since is still to be written
      });
    },
  );

  test('an edit that was to be made by replacing is still an edit of what is back', () => {
    const step = stepsOf(planOf(restore, { ...pending('replace'), spec: { ...declared, disk: 'nvme' } }))[0];
    expect(step?.applied).toMatchObject({ '/disk': 'ssd' });
  });

  test('not what was made: that is a loss, of which a person is told', () => {
    const made = {
      ...given('absent'),
      memory: { ...recorded, pending: { op: 'create', token: '', done: true } as const },
    };
    const plan = managed({ ...toy, ...restore })({ ...situation(made), nowMs: 90_000 });
    expect(short(plan)).toBe('revive /size,/disk,/owner');
  });

  test('nor by an observer, nor for one that leaves', () => {
    expect(short(planOf(restore, { ...pending('delete'), ...given('ObserveOnly') }))).toMatch(
      /^blocked ExternalNotFound/,
    );
    expect(short(planOf(restore, { ...pending('delete'), ...given('deleting', 'Delete') }))).toBe(
      'gone removed',
    );
  });

  test('where the kind knows of nothing, it is made anew', () => {
    const nothing = { ...given('absent'), memory: { ...noStatus, pending: { op: 'delete', token: '' } } };
    expect(short(planOf(restore, nothing))).toBe('create /size,/disk,/owner');
  });
});
