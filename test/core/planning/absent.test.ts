// Where nothing is there: what is known of what was brought back, and what is ended first of what was begun.
import { describe, expect, test } from 'vitest';
import type { Applied } from '../../../src/core/planning/diff.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import type { Step } from '../../../src/core/planning/plan.ts';
import { planned, short } from '../../support/policy-rows.ts';
import { given, recorded, situation, toy, type Given } from '../../support/toy.ts';

function step(of: Given): Step<string> {
  const plan = planned(of);
  if (plan.verdict !== 'change') throw new Error(`not a change: ${short(plan)}`);
  return plan.steps[0];
}

const remembering = (applied: Applied): Given => ({ ...given('absent'), memory: { ...recorded, applied } });

describe('what is brought back is as it was', () => {
  test('an edit that needs a new one is still to be made: it is not taken for made', () => {
    const { applied = {} } = step(given('absent', 'diskEdited'));
    expect(applied).toEqual(recorded.applied);
    const back = { ...given('diskEdited', 'WhenUnused'), memory: { ...recorded, applied } };
    expect(short(planned(back))).toBe('replace by Deregister /disk then create');
  });

  test('a field that the kind no longer has is forgotten', () => {
    expect(step(remembering({ ...recorded.applied, '/gone': 1 })).applied).toEqual(recorded.applied);
  });
});

describe('a lost answer leaves in doubt', () => {
  const note = given('noteDeclared').spec ?? {};

  test('what was not managed before and can be written again; doubt about any other would replace it', () => {
    expect(step(remembering({})).unsure).toEqual(['/size']);
  });

  test('what nothing shows, where it was written as something else', () => {
    expect(step(given('noteEdited', 'noteWritten')).unsure).toEqual(['/note']);
    expect(step(given('absent', 'noteEdited', 'noteWritten')).unsure).toEqual(['/note']);
  });

  test('not what is as it was, whichever of the two it is', () => {
    const before = remembering({ ...recorded.applied, '/note': 'old' });
    expect(step({ ...before, spec: note }).unsure).toEqual([]);
  });
});

test('what is on its way back without an answer is brought back again, and not made: another intent would replace its own', () => {
  const memory = { ...noStatus, own: 'disk-1' };
  const pending = { op: 'revive', token: '' };
  expect(short(planned({ ...given('absent'), memory }))).toMatch(/^create/);
  expect(short(planned({ ...given('absent'), memory: { ...memory, pending } }))).toMatch(/^revive/);
});

const both = (pending: string) => ({
  ...given('absent', 'deleting', 'Delete'),
  memory: { ...recorded, pending: { op: pending, token: '' } },
});
const plan = (of: Given, retract: boolean) =>
  managed({
    ...toy,
    dispose: () => ({ summary: 'destroy the old one', effect: 'destroy' }),
    ...(retract && { retract: () => ({ summary: 'delete it', effect: 'take back' }) }),
  })(situation(of));

describe('one that leaves without its data, and nothing is there', () => {
  const leaving = given('absent', 'deleting', 'Deregister');

  test('is gone', () => {
    expect(planned(leaving)).toMatchObject({ verdict: 'gone', because: 'nothing is there', removed: true });
  });

  test('says what may be left of a create whose answer was lost', () => {
    const pending = { op: 'create', token: '', evidence: { name: 'disk-1' } };
    expect(planned({ ...leaving, memory: { ...recorded, pending } })).toMatchObject({
      verdict: 'gone',
      because: 'if the create without a response made disk-1, that stays',
    });
  });
});

test('what a lost answer was about is recorded before it is kept: who waits to be made from it looks at the record', () => {
  expect(short(planned(given('creating', 'deleting')))).toBe('adopt');
  expect(short(planned(given('deleting')))).toBe('gone kept');
});

describe('one that leaves while a create and an end are both open', () => {
  test('the create comes first: the intent to destroy would take the place of its own, and what it made be lost', () => {
    expect(short(plan(both('create'), false))).toBe('create');
    expect(short(plan(both('create'), true))).toBe('delete by take back');
  });

  test('what is known can wait: the old one goes first', () => {
    expect(short(plan(both('update'), false))).toBe('destroy');
    expect(short(plan(both('rotate'), false))).toBe('destroy');
  });
});

const restore = () => ({ summary: 'register it again', effect: 'restore' });
const kept = (memory: NonNullable<Given['memory']>) => {
  const found = managed({ ...toy, restore })(situation({ ...given('absent', 'deleting'), memory }));
  return found.verdict === 'change' ? found.steps.map((one) => `${one.verb}: ${one.summary}`) : [];
};

describe('one that is kept, and half replaced', () => {
  test('repeats a create without an answer first: the other intent would replace the only record of its name', () => {
    const pending = { op: 'create', token: '', evidence: { name: 'disk-1' } };
    expect(kept({ ...recorded, pending })).toEqual([
      'create: repeat the create whose answer was lost, to find what it made',
    ]);
  });

  test('is brought back where no create is open', () => {
    expect(kept(recorded)).toEqual(['revive: register it again']);
  });
});
