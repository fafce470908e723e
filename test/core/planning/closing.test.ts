// What a kind does before a create, and what it opened for that: a program that was brought to rest must not rest for ever.
import { describe, expect, test } from 'vitest';
import { afterChange } from '../../../src/core/planning/next-status.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import { blocked, type Plan, type Step } from '../../../src/core/planning/plan.ts';
import { isSuspended, suspended } from '../../../src/core/planning/policy.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { short } from '../../support/policy-rows.ts';
import { given, recorded, situation, toy, type Given } from '../../support/toy.ts';

const open = 'open';
const act = (effect: string, own: string): Step<string> => ({
  verb: 'act',
  summary: effect,
  changes: [],
  effect,
  own,
});

/** Opened before it is made, closed once it is there. */
const plan = managed({
  ...toy,
  prepare: ({ status: { own } }) =>
    own === undefined ? { verdict: 'change', steps: [act('open', open)] } : undefined,
  act: ({ status: { own } }, _, __, rest): Plan<string> =>
    own === open ? { verdict: 'change', steps: [{ ...act('close', 'closed'), closes: true }] } : rest,
});

/** As the reconciler gets it. */
function planned(of: Given, requests: Readonly<Record<string, string>> = {}): unknown {
  const s = { ...situation(of), requests };
  const found = suspended(plan(s), { ...s.policy, suspend: isSuspended(requests, s.policy) }, s.deleting);
  return found.verdict === 'change' ? (found.steps[0].effect ?? found.steps[0].verb) : short(found);
}

const nothing = given('absent', 'unrecorded', 'unheld');
const opened: Status<string> = { ...noStatus, own: open };
const creating: Status<string> = { ...opened, pending: { op: 'create', token: 'make it' } };
const there: Status<string> = { ...recorded, own: open };

test.for<{ why: string; of: Given; expect: string }>([
  { why: 'before it is made', of: nothing, expect: 'open' },
  { why: 'once only', of: { ...nothing, memory: opened }, expect: 'make' },
  { why: 'not before what was begun ends', of: given('absent', 'creating'), expect: 'make' },
  { why: 'where the service can not tell', of: given('unknown', 'unrecorded', 'Adopt'), expect: 'open' },
  { why: 'not for one that comes back', of: given('absent'), expect: 'back' },
  { why: 'not for one that leaves', of: { ...nothing, deleting: true }, expect: 'gone kept' },
  {
    why: 'not while suspended',
    of: { ...nothing, ...given('suspend') },
    expect: 'blocked Suspended until edit',
  },
])('is done $why: $expect', (row) => {
  expect(planned(row.of)).toBe(row.expect);
});

test('who suspends an object: its manifest, or whoever asks for it by an annotation', () => {
  const { policy } = situation(nothing);
  expect(isSuspended({}, policy)).toBe(false);
  expect(isSuspended({}, { ...policy, suspend: true })).toBe(true);
  expect(isSuspended({ suspend: 'true' }, policy)).toBe(true);
  expect(isSuspended({ suspend: '' }, policy)).toBe(false); // what was asked for is taken back
});

test('what has to wait before it can be made waits', () => {
  const wait = blocked('VolumeInUse', 'not yet', { on: 'live' });
  expect(managed({ ...toy, prepare: () => wait })(situation(nothing))).toEqual(wait);
});

describe('what is open is closed', () => {
  test.for<{ why: string; of: Given }>([
    { why: 'before anything else is written', of: { ...given('sizeEdited'), memory: there } },
    { why: 'while suspended', of: { ...given('suspend'), memory: there } },
  ])('$why', ({ of }) => {
    expect(planned(of)).toBe('close');
  });

  test('and nothing else is done for what is suspended', () => {
    expect(planned({ ...given('sizeEdited', 'suspend') })).toBe('blocked Suspended until edit /size');
  });

  test('which ends nothing else that was begun: its intent is the only proof of what a create made', () => {
    const after = (step: Step<string>) => afterChange(creating, step, undefined);
    expect(after({ ...act('close', 'closed'), closes: true }).pending).toEqual(creating.pending);
    expect(after(act('note', 'noted'))).not.toHaveProperty('pending');
  });
});
