// A create whose answer was lost may have made a disk under the name that was sent. An edit gives another name: made under
// that one, the first disk would be left behind, and nobody would know of it.
import { describe, expect, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Own } from '../../../src/kinds/csi-volume/disk.ts';
import { previous } from './going.ts';
import { existing, firstStep, outline, planned, sent, type Given } from './situation.ts';

const nothing: Given = { volume: 'absent', memory: noStatus };

/** What is remembered while this create is under way. */
function during(given: Given): Status<Own> {
  const { intent, applied = {} } = firstStep({ ...nothing, ...given });
  if (!intent) throw new Error('no intent');
  return { ...noStatus, applied, pending: intent };
}

/** Drawn by a later look. */
const later = 'n0nce002';
const name = (given: Given): unknown => Object(sent(given))['Name'];
const topology = { required: [{ zone: 'a' }] };
const gp3 = { create: { capacity: { min: '10Gi' }, parameters: { type: 'gp3' } } };
const lost = during({});

const edits: readonly { readonly what: string; readonly before: Given; readonly edited: Given }[] = [
  { what: 'parameters', before: {}, edited: { spec: gp3 } },
  { what: 'parameters let go', before: { spec: gp3 }, edited: {} },
  { what: 'plugin', before: {}, edited: { spec: { pluginID: 'other' } } },
  { what: 'topology', before: { spec: { topology } }, edited: {} },
  { what: 'size', before: {}, edited: { spec: { create: { capacity: { min: '30Gi' } } } } },
  {
    what: 'largest size',
    before: { spec: { create: { capacity: { min: '10Gi', max: '20Gi' } } } },
    edited: {},
  },
];

describe.for(edits)('$what edited', ({ before, edited }) => {
  const memory = during(before);

  test('the same create is sent again, under the old name', () => {
    const again = { ...nothing, ...edited, memory, nonce: later };
    expect(name(again)).toBe(name({ ...nothing, ...before }));
    expect(sent(again)).toEqual(sent({ ...nothing, ...before }));
    expect(firstStep(again)).toMatchObject({ intent: memory.pending, applied: memory.applied });
  });

  test('also to delete what it made', () => {
    const leaving = {
      ...nothing,
      ...edited,
      memory,
      nonce: later,
      deleting: true,
      policy: { deletion: 'Delete' },
    } as const;
    expect(outline(leaving)).toBe('create by volume.create');
    expect(name(leaving)).toBe(name({ ...nothing, ...before }));
  });

  test('after three failures the edit is tried: it may be what the create needs', () => {
    const after = (tries: number) => ({
      ...nothing,
      ...edited,
      nonce: later,
      memory: { ...memory, tries: { create: tries } },
    });
    expect(sent(after(2))).toEqual(sent({ ...nothing, ...before }));
    expect(sent(after(3))).toEqual(sent({ ...nothing, ...edited, nonce: later })); // and under a name of its own
    expect(firstStep(after(3)).applied).not.toEqual(memory.applied);
  });
});

test('that it is repeated is said', () => {
  expect(firstStep({ ...nothing, memory: lost, spec: gp3 }).summary).toBe(
    'repeat the create of data whose answer was lost, before it is changed',
  );
});

test('each failure counts', () => {
  expect(firstStep({ ...nothing, memory: lost, spec: gp3 }).attempt).toBe('create');
});

test('without an edit it is the same create by itself', () => {
  const again = { ...nothing, memory: lost, nonce: later };
  expect(sent(again)).toEqual(sent(nothing));
  expect(firstStep(again).summary).toBe('create data with ebs');
});

describe('an object that leaves', () => {
  const old = { ...during({}), own: { previous } };
  const after = (tries: number, deletion: 'Delete' | 'Retain' = 'Delete'): Given => ({
    ...nothing,
    deleting: true,
    policy: { deletion },
    memory: { ...old, tries: { create: 3, 'create to delete': tries } }, // before it left, and since
  });

  test('repeats the create to delete what it made; refused three times, it lets that be and goes on', () => {
    expect(outline(after(2))).toBe('create by volume.create');
    expect(outline(after(3))).toBe('destroy by volume.register'); // of the disk that it was to replace
    const { own: _, ...nothingElse } = old;
    expect(outline({ ...after(3), memory: { ...nothingElse, tries: { 'create to delete': 3 } } })).toMatch(
      /^gone/,
    );
  });

  test('counts its own: a service that failed three times before may answer by now, and the disk was left behind', () => {
    expect(firstStep(after(0))).toMatchObject({ verb: 'create', attempt: 'create to delete' });
    expect(firstStep({ ...nothing, memory: lost }).attempt).toBe('create');
  });

  test('says what may stay where somebody has taken its ID meanwhile: the disk was left behind, and nobody was told', () => {
    const taken: Given = { volume: { ...existing, Name: 'theirs' }, memory: lost };
    const left = planned({ ...taken, deleting: true, policy: { deletion: 'Delete' } });
    const because = `what is there is not ours; if the create without a response made ${String(name(nothing))}, that stays`;
    expect(left).toMatchObject({ verdict: 'gone', because });
  });

  test('repeats it also to keep all: brought back first, the old disk took the place of the only record of the new one', () => {
    expect(outline(after(2, 'Retain'))).toBe('create by volume.create');
    expect(outline(after(3, 'Retain'))).toBe('revive by volume.register'); // of the disk that it was to replace
    expect(firstStep(after(3, 'Retain')).summary).toBe(
      'register vol-1 again; if the create without a response made data-n0nce001, that stays with the provider',
    );
  });
});
