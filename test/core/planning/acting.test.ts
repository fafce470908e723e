// What a kind does beyond writing fields (a rotation, an output), what is remembered then, and an object whose record is lost:
// what nobody remembers must neither be written again nor be taken for written as declared.
import { noStatus, type FieldChange } from '../../../src/core/status/status.ts';
import { describe, expect, test } from 'vitest';
import type { Plan, Step } from '../../../src/core/planning/plan.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import { short } from '../../support/policy-rows.ts';
import { declared, given, recorded, situation, toy, type Given, type Word } from '../../support/toy.ts';

const turn: Step<string> = { verb: 'act', summary: 'turn it', effect: 'turn', changes: [] };
const keeps = (): boolean => true;

/** The plan of a kind that has this to do. */
const acting = (step: Step<string>, of: Given): Plan<string> =>
  managed({ ...toy, keeps, act: () => ({ verdict: 'change', steps: [step] }) })(situation(of));

describe('what there is to do beyond the fields', () => {
  test('is done before any field is written, and the kind knows which ones will be', () => {
    const asked: (readonly FieldChange[])[] = [];
    const plan = managed({
      ...toy,
      act: (_, __, differing) => {
        asked.push(differing);
        return { verdict: 'change', steps: [turn] };
      },
    })(situation(given('sizeEdited')));
    expect(short(plan)).toBe('act');
    expect(asked).toEqual([[{ path: '/size', desired: 20, live: 10, cause: 'edit' }]]);
  });

  test('notes what it is done to, and leaves alone what is remembered of the fields', () => {
    const step = { ...turn, identity: 'us-1' };
    expect(acting(turn, given('sizeEdited'))).toEqual({ verdict: 'change', steps: [step] });
  });

  test('whatever is to follow is shown too', () => {
    const later = { verb: 'act', summary: 'tell of it', changes: [] } as const;
    const plan = managed({ ...toy, keeps, act: () => ({ verdict: 'change', steps: [turn, later] }) });
    for (const of of [given(), given('unrecorded')])
      expect(plan(situation(of))).toMatchObject({ steps: [turn, later] });
  });
});

describe('with nothing remembered', () => {
  const lost: Given = {
    ...given('unrecorded'),
    spec: { ...declared, size: 20, note: 'x', label: 'gold' },
  };
  const seen = { '/size': 10, '/disk': 'ssd', '/owner': 'ann', '/note': 'x', '/label': null };

  test('what can not be read is trusted: it would be written again because the record is lost', () => {
    expect(short(managed({ ...toy, keeps })(situation(given('unrecorded', 'noteDeclared'))))).toBe('in-sync');
    expect(short(managed({ ...toy, keeps })(situation(given('noteDeclared'))))).toBe('update /note');
  });

  test('what is there counts as written once something is done: what differs is still to be written', () => {
    expect(acting(turn, lost)).toEqual({ verdict: 'change', steps: [{ ...turn, applied: seen }] });
    const after = {
      ...lost,
      ...given('Ignore'),
      spec: lost.spec ?? {},
      memory: { ...recorded, applied: seen },
    };
    expect(short(managed(toy)(situation(after)))).toBe('update /size,/label');
  });

  test('unless the kind knows better what the step leaves behind', () => {
    const applied = { '/size': 1 };
    expect(acting({ ...turn, applied }, lost)).toMatchObject({ steps: [{ applied }] });
  });
});

const half = (op: string, ...words: readonly Word[]): Given => ({
  ...given('absent', 'sizeEdited', ...words),
  memory: { ...recorded, pending: { op, token: '' } },
});

describe('an update by registering anew', () => {
  const anew = managed({
    ...toy,
    update: () => ({ summary: 'take it away, to register it again', effect: 'away', halfway: true }),
  });

  test('notes that it was begun: without it, a crash half way would look like a loss', () => {
    const both = given('labelEdited');
    const plan = anew(situation({ ...both, spec: { ...both.spec, size: 20 } }));
    expect(plan).toMatchObject({
      steps: [{ verb: 'update', intent: { op: 'update', token: '/size,/label' } }],
    });
  });

  test('where the object leaves half way, it is brought back to be deleted: else nobody would delete what it stood for', () => {
    for (const op of ['update', 'revive']) {
      expect(anew(situation(half(op, 'deleting', 'Delete')))).toMatchObject({
        steps: [
          {
            verb: 'revive',
            summary: 'disk-1, to delete it',
            effect: 'back',
            changes: [],
            applied: { '/size': 20, '/disk': 'ssd', '/owner': 'ann' },
          },
        ],
      });
    }
  });

  test.for<{ why: string; of: Given }>([
    { why: 'nothing was begun that leaves something behind', of: half('rotate', 'deleting', 'Delete') },
    { why: 'what it stood for is to be kept', of: half('update', 'deleting', 'Deregister') },
    {
      why: 'nobody can bring it back',
      of: {
        ...given('absent', 'deleting', 'Delete'),
        memory: { ...noStatus, pending: { op: 'update', token: '' } },
      },
    },
  ])('else it is gone: $why', ({ of }) => {
    expect(short(anew(situation(of)))).toBe('gone removed');
  });
});
