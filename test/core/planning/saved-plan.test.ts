// What was saved is what a person looked at: nothing else is done, and nothing of it once the world is another.
import { describe, expect, test } from 'vitest';
import { expiryID, deletionID } from '../../../src/core/planning/deletion-limits.ts';
import {
  declarationOf,
  differences,
  goingOf,
  memoryOf,
  release,
  PlanBounds,
  type SavedObject,
} from '../../../src/core/planning/saved-plan.ts';
import type { Step } from '../../../src/core/planning/plan.ts';
import type { DeclaredObject } from '../../../src/core/resource.ts';
import { noStatus } from '../../../src/core/status/status.ts';

const digest = (value: unknown): string => JSON.stringify(value);
const key = { kind: 'Disk', namespace: 'shop', name: 'a' };
const object: DeclaredObject = {
  key,
  uid: 'u',
  generation: 2,
  deleting: false,
  held: true,
  requests: {},
  spec: { size: 1 },
};
const leaving: DeclaredObject = { ...object, deleting: true };
const saved = (more: Partial<SavedObject> = {}): SavedObject => ({
  key: 'Disk/shop/a',
  action: 'update',
  steps: [{ verb: 'update', paths: ['/size'] }],
  declared: digest(declarationOf(object)),
  remembered: digest(memoryOf(object, noStatus)),
  planned: 'p',
  ...more,
});
type Doing = Pick<Step<unknown>, 'verb' | 'destroys' | 'changes'>;
const changes = [{ path: '/size', desired: 1, cause: 'edit' }] as const;
const two = [...changes, { path: '/name', desired: 'a', cause: 'edit' }] as const;
const update: Doing = { verb: 'update', changes };
const destroy: Doing = { verb: 'delete', destroys: 'data', changes: [] };
const going = deletionID(leaving);
const goes = saved({
  action: 'destroy',
  steps: [{ verb: 'delete', destroys: 'data', paths: [] }],
  declared: digest(declarationOf(leaving)),
  going,
});
const child: DeclaredObject = {
  ...object,
  key: { ...key, name: 'child' },
  requests: { 'generated-by': 'Disk/shop/a' },
};
const decision = expiryID(object, '2026-01-02T00:00:00Z');
const expiring: DeclaredObject = {
  ...child,
  deleting: true,
  requests: { ...child.requests, expired: expiryID(object, '2026-01-01T00:00:00Z') },
};

describe('what a saved plan holds', () => {
  const of = (
    doing: Doing | typeof release,
    { plan = saved(), seen = object, begun = false, at = 'Disk/shop/a' } = {},
  ) => {
    const bounds = new PlanBounds([plan], digest);
    if (begun) bounds.made('Disk/shop/a');
    return bounds.refusal(at, seen, doing);
  };
  const at = 'Disk/shop/child';
  const replacing = saved({ steps: [{ verb: 'replace', destroys: 'data', paths: ['/size'] }] });

  const losing = (destroys: 'registration' | 'data' | 'credential') =>
    saved({ steps: [{ verb: 'update', destroys, paths: [] }] });

  test.each([
    { why: 'its first step', got: of(update) },
    {
      why: 'a first step that changes several fields',
      got: of(
        { ...update, changes: two },
        { plan: saved({ steps: [{ verb: 'update', paths: ['/size', '/name'] }] }) },
      ),
    },
    {
      why: 'what destroys nothing, after what does',
      got: of({ ...update, verb: 'create' }, { plan: replacing, begun: true }),
    },
    {
      why: 'what follows, as long as it destroys nothing',
      got: of({ ...update, verb: 'act' }, { begun: true }),
    },
    {
      why: 'a first step of one that waits, whatever it comes to',
      got: of({ ...update, changes: [] }, { plan: saved({ after: true }) }),
    },
    {
      why: 'what is lost as it said',
      got: of({ ...destroy, verb: 'destroy' }, { plan: replacing, begun: true }),
    },
    {
      why: 'the registration of what it said to destroy',
      got: of({ ...destroy, destroys: 'registration' }, { plan: replacing, begun: true }),
    },
    { why: 'that it leaves, with all steps of that', got: of(destroy, { plan: goes, seen: leaving }) },
    { why: 'that it is let go', got: of(release, { plan: goes, seen: leaving }) },
    { why: 'what a child does that it makes', got: of({ ...update, verb: 'create' }, { seen: child, at }) },
    {
      why: 'that a child expires which it lets go',
      got: of(destroy, { plan: saved({ going: decision }), seen: expiring, at }),
    },
  ])('$why', ({ got }) => expect(got).toBeUndefined());

  test.each([
    { why: 'another first step', got: of({ ...update, verb: 'act' }) },
    { why: 'a first step that changes something else', got: of({ ...update, changes: [] }) },
    { why: 'a first step that destroys, where it did not', got: of({ ...update, destroys: 'data' }) },
    { why: 'anything that destroys, later on', got: of(destroy, { begun: true }) },
    {
      why: 'data, where only a registration was to go',
      got: of(destroy, { plan: losing('registration'), begun: true }),
    },
    {
      why: 'a credential, where data were to go',
      got: of({ ...destroy, destroys: 'credential' }, { plan: losing('data'), begun: true }),
    },
    {
      why: 'a registration, where a credential was to go',
      got: of({ ...destroy, destroys: 'registration' }, { plan: losing('credential'), begun: true }),
    },
    {
      why: 'a declaration that was edited meanwhile',
      got: of(update, { seen: { ...object, spec: { size: 2 } } }),
    },
    { why: 'a request made meanwhile', got: of(update, { seen: { ...object, requests: { rotate: '1' } } }) },
    { why: 'one to which it does nothing', got: of(update, { plan: saved({ steps: [] }) }) },
    { why: 'one that it does not know', got: of(update, { at: 'Disk/shop/b' }) },
    { why: 'that one is let go which is to stay', got: of(release) },
    { why: 'that one is let go which is to stay, and was changed', got: of(release, { begun: true }) },
    { why: 'that one leaves which was to stay', got: of(destroy, { seen: leaving }) },
    {
      why: 'another leaving of the same object',
      got: of(destroy, { plan: goes, seen: { ...leaving, generation: 3 } }),
    },
    {
      why: 'to destroy what was to move',
      got: of(destroy, { plan: { ...goes, action: 'move', steps: [] }, seen: leaving }),
    },
    { why: 'to destroy a child that it makes', got: of(destroy, { seen: child, at }) },
    {
      why: 'that a child expires which is newer',
      got: of(destroy, {
        plan: saved({ going: expiryID(object, '2025-01-01T00:00:00Z') }),
        seen: expiring,
        at,
      }),
    },
  ])('not: $why', ({ got }) =>
    expect(got).toMatchObject({ reason: 'NotPlanned', stalls: true, wake: { on: 'edit' } }),
  );

  test('a refusal says why, and shows what it holds back', () => {
    const unknown = of(update, { at: 'Disk/shop/b' });
    expect(unknown?.changes).toEqual(changes);
    expect(unknown?.message).toBe('the saved plan does nothing to it: plan again');
    expect(of(release)?.changes).toEqual([]);
    expect(of({ ...update, verb: 'act' })?.message).toBe(
      'the saved plan does not hold "act" of it, as it is now: plan again',
    );
    const edited = of(update, { seen: { ...object, spec: { size: 2 } } });
    expect(edited?.message).toBe('it is declared otherwise than in the saved plan: plan again');
    expect(of(destroy, { seen: leaving })?.message).toBe(
      'the saved plan does not hold this deletion: plan again',
    );
  });
});

describe('whether the world is the one that was planned for', () => {
  const other = saved({ key: 'Disk/shop/b' });
  test.each([
    { why: 'the same', now: [saved()], says: [] },
    { why: 'one is gone', now: [], says: ['Disk/shop/a: it is gone'] },
    { why: 'one came', now: [saved(), other], says: ['Disk/shop/b: it was declared since'] },
    {
      why: 'an edit',
      now: [saved({ declared: '', planned: '' })],
      says: ['Disk/shop/a: its declaration is another'],
    },
    {
      why: 'somebody worked on it',
      now: [saved({ remembered: '', planned: '' })],
      says: ['Disk/shop/a: what the state says of it is another: it was worked on since'],
    },
    {
      why: 'it was changed outside',
      now: [saved({ planned: '', action: 'none' })],
      says: ['Disk/shop/a: what is there is another: planned was "update", now it is "none"'],
    },
    {
      why: 'what is replaced is another one',
      now: [saved({ going: 'x' })],
      says: ['Disk/shop/a: what is there is another: planned was "update", with other changes'],
    },
  ])('$why', ({ now, says }) => expect(differences([saved()], now)).toEqual(says));

  test('what is only told of an object is no difference; what is remembered is', () => {
    const of = memoryOf(object, noStatus);
    const told = { ...noStatus, observedGeneration: 1, refusal: 'no', history: [], observed: { a: 1 } };
    expect(memoryOf(object, told)).toEqual(of);
    const taken = [{ movedFrom: 'u' }, { formerUIDs: ['u'] }];
    for (const more of [{ identity: 'x' }, { pending: { op: 'create', token: 't' } }, { own: 1 }, ...taken])
      expect(memoryOf(object, { ...noStatus, ...more })).not.toEqual(of);
    expect(memoryOf({ ...object, uid: 'v' }, noStatus)).not.toEqual(of);
  });
});

test('what goes is approved with the plan; what moves to another, or stays, is not', () => {
  const moves: SavedObject = { ...goes, key: 'Disk/shop/b', action: 'move' };
  expect([...goingOf([goes, moves, saved({ key: 'Disk/shop/c' })])]).toEqual([['Disk/shop/a', going]]);
});
