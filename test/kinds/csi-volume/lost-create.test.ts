// A create whose answer was lost may have made a disk under the name that was sent. An edit gives another name: made under
// that one, the first disk would be left behind, and nobody would know of it.
import { describe, expect, test } from 'vitest';
import { noMemory, type Memory } from '../../../src/core/resource.ts';
import type { Own } from '../../../src/kinds/csi-volume/body.ts';
import { firstStep, outline, sent, type Given } from './situation.ts';

const nothing: Given = { volume: 'absent', memory: noMemory };

/** What is remembered while this create is under way. */
function during(given: Given): Memory<Own> {
  const { intent, applied = {} } = firstStep({ ...nothing, ...given });
  if (!intent) throw new Error('no intent');
  return { ...noMemory, applied, pending: intent };
}

const name = (given: Given): unknown => Object(sent(given))['Name'];
const topology = { required: [{ zone: 'a' }] };
const gp3 = { create: { capacity: { min: '10Gi' }, parameters: { type: 'gp3' } } };
const lost = during({});

const edits: readonly { readonly what: string; readonly before: Given; readonly edited: Given }[] = [
  { what: 'parameters', before: {}, edited: { spec: gp3 } },
  { what: 'parameters let go', before: { spec: gp3 }, edited: {} },
  { what: 'plugin', before: {}, edited: { spec: { pluginID: 'other' } } },
  { what: 'topology', before: { spec: { topology } }, edited: {} },
];

describe.for(edits)('$what edited', ({ before, edited }) => {
  const memory = during(before);

  test('the same create is sent again, under the old name', () => {
    const again = { ...nothing, ...edited, memory };
    expect(name(again)).toBe(name({ ...nothing, ...before }));
    expect(sent(again)).toEqual(sent({ ...nothing, ...before }));
    expect(firstStep(again)).toMatchObject({ intent: memory.pending, applied: memory.applied });
  });

  test('also to delete what it made', () => {
    const leaving = {
      ...nothing,
      ...edited,
      memory,
      deleting: true,
      policy: { deletion: 'Delete' },
    } as const;
    expect(outline(leaving)).toBe('create by volume.create');
    expect(name(leaving)).toBe(name({ ...nothing, ...before }));
  });

  test('after three failures the edit is tried: it may be what the create needs', () => {
    const tried = { ...nothing, ...edited, memory: { ...memory, tries: { create: 3 } } };
    expect(name(tried)).toBe(name({ ...nothing, ...edited }));
  });
});

test('each failure counts', () => {
  expect(firstStep({ ...nothing, memory: lost, spec: gp3 }).attempt).toBe('create');
});

test('without an edit it is the same create by itself', () => {
  expect(sent({ ...nothing, memory: lost })).toEqual(sent(nothing));
});

test('where memory does not fit the name, nothing is made up', () => {
  const damaged = { ...lost, applied: { ...lost.applied, '/pluginID': 'other' } };
  expect(name({ ...nothing, spec: gp3, memory: damaged })).toBe(name({ ...nothing, spec: gp3 }));
});

test('a list of a topology that is left empty changes no name', () => {
  const both = { spec: { topology: { ...topology, preferred: [] } } };
  expect(name({ ...nothing, ...both })).toBe(name({ ...nothing, spec: { topology } }));
});
