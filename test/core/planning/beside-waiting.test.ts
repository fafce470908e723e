// An object that waits for something else, or can't be brought back, is corrected all the same, and nothing of it is believed too early.
import { describe, expect, test } from 'vitest';
import { blocked, gone, type Blocked, type Gone, type Plan } from '../../../src/core/planning/plan.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import { short } from '../../support/policy-rows.ts';
import { declared, given, recorded, situation, toy, type Given } from '../../support/toy.ts';

const waits: Blocked = { ...blocked('OutputConflict', 'taken', { on: 'object' }), dueMs: 5 };
const acting = (acted: Blocked | Gone, of: Given): Plan<string> =>
  managed({ ...toy, act: () => acted })(situation(of));

const back = (unwritten: readonly string[] | undefined, of: Given): Plan<string> =>
  managed({
    ...toy,
    revive: () => ({ summary: 'back', effect: 'back', ...(unwritten && { unwritten }) }),
  })(situation(of));

describe('what waits', () => {
  test('has every field as declared only where none differs: else repairs that fail would never end', () => {
    expect(acting(waits, given())).toEqual({ ...waits, converged: true });
    expect(acting(waits, given('sizeEdited'))).not.toHaveProperty('converged');
    expect(acting(gone('over', true), given())).toEqual(gone('over', true));
  });

  test('is looked after in time, although a write of its fields is refused again and again', () => {
    expect(acting(waits, given('sizeEdited'))).toMatchObject({
      verdict: 'change',
      steps: [{ verb: 'update', retryMs: 5 }],
    });
    expect(acting(waits, given('diskEdited', 'WhenUnused'))).toMatchObject({
      steps: [{ verb: 'replace', retryMs: 5 }, { verb: 'create' }],
    });
    expect(acting(gone('over', true), given('sizeEdited'))).toMatchObject({ steps: [{ verb: 'update' }] });
  });

  test('because something else has its place, waits for that to change', () => {
    const displaced = managed({ ...toy, displaced: () => 'it has its place' });
    expect(displaced(situation(given('foreign', 'Adopt')))).toMatchObject({
      reason: 'AdoptionRefused',
      message: 'it has its place',
      wake: { on: 'live' },
    });
  });
});

describe('what comes back as it was', () => {
  const applied = { '/size': 20, '/disk': 'ssd', '/owner': 'ann', '/label': 'gold' };
  const edited: Given = { ...given('absent'), spec: { ...declared, size: 20, label: 'gold' } };

  test('has what it is written with', () => {
    expect(back(undefined, edited)).toMatchObject({ steps: [{ verb: 'revive', applied }] });
  });

  test('still lacks what is not written with it: an edit of that would be lost', () => {
    const { '/label': _, ...rest } = applied;
    const plan = back(['/size', '/label'], edited);
    if (plan.verdict !== 'change') throw new Error(short(plan));
    expect(plan.steps[0].applied).toEqual({ ...rest, '/size': 10 });
  });

  test('or can not, and is to be deleted: it is gone', () => {
    const leaves: Given = {
      ...given('absent', 'deleting', 'Delete'),
      memory: { ...recorded, pending: { op: 'update', token: '' } },
    };
    const plan = managed({ ...toy, revive: () => 'it can not be brought back' })(situation(leaves));
    expect(short(plan)).toBe('gone removed');
  });
});
