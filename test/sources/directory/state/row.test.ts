// One row at a time: what a declaration, its end, a command and a person's word make of it. What an object is, and what may
// go, is read from rows; a change that changes nothing must give the same row, for it is not written then.
import { describe, expect, test } from 'vitest';
import { ConflictError, SpecError, UsageError } from '../../../../src/core/errors.ts';
import {
  approve,
  causeOf,
  comeBack,
  declare,
  entryOf,
  isCurrent,
  layOver,
  leave,
  owned,
  refuse,
  setHeld,
  type Row,
} from '../../../../src/sources/directory/state/row.ts';
import { declared, memory, volume, onceRequests } from './data.ts';

const key = volume('data');
const fresh = (facts: Parameters<typeof declared>[1] = {}): Row =>
  declare(undefined, declared(key, facts), () => 'drawn');
const undrawn = (): string => {
  throw new Error('a UID was drawn for what has one');
};
/** As a visit leaves it: it holds something, and a person was asked. */
const lived = (facts: Parameters<typeof declared>[1] = {}): Row => ({
  ...setHeld(fresh(facts), true),
  status: { ...memory, awaits: { digest: 'd1', id: 'drawn 2 is deleted' } },
});
const labelled = (hash: string, labels?: Readonly<Record<string, string>>) => ({
  ...declared(key),
  hash,
  ...(labels && { labels }),
});
const leaving = (row: Row): Row => leave(row) ?? row;

describe('a declaration', () => {
  test('is a new object with a drawn UID: nothing is approved, asked for, answered or remembered', () => {
    const { key: declaredKey, requests, spec, origin, hash } = declared(key, { requests: { rotate: '1' } });
    expect(fresh({ requests: { rotate: '1' } })).toEqual({
      object: {
        key: declaredKey,
        uid: 'drawn',
        generation: 1,
        deleting: false,
        held: false,
        requests,
        spec,
        origin,
      },
      status: { applied: {}, handledRequests: {}, tries: {}, history: [], conditions: [] },
      hash,
      approved: '',
      overlay: {},
      answered: {},
    });
  });

  test('has the labels of its manifest, whatever they were before, and is no other object for them', () => {
    const row = declare(undefined, labelled('h1', { team: 'shop' }), () => 'drawn');
    expect(row.object.labels).toEqual({ team: 'shop' });
    const moved = declare(row, labelled('h2', { team: 'blog' }), undrawn);
    expect(moved.object).toStrictEqual({ ...row.object, labels: { team: 'blog' } });
    const { labels: _labels, ...bare } = row.object;
    expect(declare(moved, labelled('h3'), undrawn).object).toStrictEqual(bare);
    expect(causeOf(row, moved)).toBeUndefined();
  });

  test('is as old as its first declaration, where that was told', () => {
    const row = declare(undefined, declared(key), () => 'drawn', '2026-11-22T10:00:00Z');
    expect(row.object.createdAt).toBe('2026-11-22T10:00:00Z');
    const edited = declare(row, declared(key, { spec: { size: 2 } }), undrawn, '2026-11-23T10:00:00Z');
    expect(edited.object.createdAt).toBe('2026-11-22T10:00:00Z');
    expect('createdAt' in fresh().object).toBe(false);
    expect('labels' in fresh().object).toBe(false);
  });

  test('that says the same leaves the row as it is', () => {
    const row = lived();
    expect(declare(row, declared(key), undrawn)).toBe(row);
    expect(isCurrent(row, declared(key))).toBe(true);
  });

  test.for<{ what: string; facts: Parameters<typeof declared>[1]; generation: number }>([
    { what: 'another spec', facts: { spec: { size: 2 } }, generation: 2 },
    { what: 'another request', facts: { requests: { rotate: '2' } }, generation: 1 },
    { what: 'another file', facts: { origin: 'moved.yaml' }, generation: 1 },
  ])('of $what is the same object: generation $generation', ({ facts, generation }) => {
    const row = lived();
    const now = declared(key, facts);
    const after = declare(row, now, undrawn);
    expect(isCurrent(row, now)).toBe(false);
    const { requests, origin, spec, hash } = now;
    expect(after).toEqual({ ...row, hash, object: { ...row.object, requests, origin, spec, generation } });
  });

  test('written otherwise keeps the spec that is there: nobody has to look at it again', () => {
    const row = lived();
    const after = declare(row, { ...declared(key), hash: 'another' }, undrawn);
    expect(after.object).toEqual(row.object);
    expect(after.object.spec).toBe(row.object.spec);
    expect(after.hash).toBe('another');
  });

  test('takes back what was asked by command when it asks for something else under that name, and only then', () => {
    const row = { ...fresh({ requests: { suspend: 'no' } }), overlay: { suspend: 'yes', rotate: '1' } };
    expect(declare(row, declared(key, { requests: { suspend: 'now' } }), undrawn).overlay).toEqual({
      rotate: '1',
    });
    const same = declared(key, { requests: { suspend: 'no', other: 'x' } });
    expect(declare(row, same, undrawn).overlay).toEqual(row.overlay);
  });
});

describe('leaving', () => {
  test('names one leaving by the generation, and forgets nothing: approved for one, it was good for the next', () => {
    const row = lived();
    const gone = leaving(row);
    expect(gone).toEqual({ ...row, object: { ...row.object, deleting: true, generation: 2 } });
    expect(leave(gone)).toBe(gone);
    expect(leave(undefined)).toBeUndefined();
  });

  test.for<[string, (row: Row) => Row | undefined]>([
    ['its manifest is back', (row) => declare(row, declared(key), undrawn)],
    ['its manifest is back, and can’t be used', comeBack],
  ])('ends where %s, with another generation and the same UID', ([, back]) => {
    const row = lived();
    const after = back(leaving(row));
    expect(after).toEqual({ ...row, object: { ...row.object, generation: 3 } });
  });

  test('that never was has no end', () => {
    const row = lived();
    expect(comeBack(row)).toBe(row);
    expect(comeBack(undefined)).toBeUndefined();
  });

  test('makes what the manifest says no longer current: declared as before, it must not go on leaving', () => {
    expect(isCurrent(leaving(lived()), declared(key))).toBe(false);
  });
});

test('an object is held or let go of once, and nothing else changes', () => {
  const row = fresh();
  const held = setHeld(row, true);
  expect(held).toEqual({ ...row, object: { ...row.object, held: true } });
  expect(setHeld(held, true)).toBe(held);
  expect(setHeld(held, false)).toEqual(row);
});

describe('what a change asks for', () => {
  test('is a look as after an edit where the generation is another, or the object is new', () => {
    const row = fresh();
    expect(causeOf(undefined, row)).toBe('edited');
    expect(causeOf(row, declare(row, declared(key, { spec: { size: 2 } }), undrawn))).toBe('edited');
    expect(causeOf(row, leaving(row))).toBe('edited');
  });

  test('is an answer to a request, wherever that was given; the same as a copy asks for nothing', () => {
    const row = fresh();
    expect(causeOf(row, declare(row, declared(key, { requests: { rotate: '1' } }), undrawn))).toBe(
      'requested',
    );
    expect(causeOf(row, layOver(row, 'rotate', '1'))).toBe('requested');
    expect(causeOf(row, { ...row, overlay: {}, status: memory })).toBeUndefined();
    const asked = layOver(row, 'rotate', '1');
    expect(causeOf(asked, layOver(asked, 'rotate', undefined))).toBe('requested');
  });
});

describe('a person’s word', () => {
  test('is good for what waits under that digest, and is recorded as what it is good for', () => {
    const row = lived();
    expect(approve(row, 'd1')).toEqual({ ...row, approved: 'drawn 2 is deleted' });
    expect(approve(row, 'd2')).toBe(row);
    const nothing = { ...row, status: memory };
    expect(approve(nothing, 'd1')).toBe(nothing);
  });

  test('given twice changes nothing, and for another going takes the place of the first', () => {
    const row = approve(lived(), 'd1');
    expect(approve(row, 'd1')).toBe(row);
    const again = { ...row, status: { ...memory, awaits: { digest: 'd1', id: 'drawn 4 is deleted' } } };
    expect(approve(again, 'd1').approved).toBe('drawn 4 is deleted');
  });
});

const ann = 'ann, 2026-11-20T11:00Z';

describe('a command', () => {
  test('is kept with who gave it and when, for as long as it stands', () => {
    const row = layOver(layOver(fresh(), 'suspend', 'true', ann), 'rotate', '1');
    expect(row.askers).toEqual({ suspend: ann });
    expect(entryOf(row, { onceRequests }).object.byCommand).toEqual({ suspend: ann, rotate: '' });
    expect(layOver(row, 'suspend', undefined)).not.toHaveProperty('askers');
    expect(layOver(row, 'suspend', undefined, ann)).not.toHaveProperty('askers'); // nothing is asked for any more
    expect(layOver(fresh(), 'suspend', 'true', 'x'.repeat(1_000)).askers?.['suspend']).toHaveLength(128);
  });

  test('lays a request over those of the manifest, and takes it back', () => {
    const row = fresh({ requests: { suspend: 'no' } });
    const once = layOver(row, 'rotate', '1');
    expect(once).toEqual({ ...row, overlay: { rotate: '1' } });
    const twice = layOver(once, 'suspend', 'yes');
    expect(twice.overlay).toEqual({ rotate: '1', suspend: 'yes' });
    expect(layOver(twice, 'suspend', 'yes')).toBe(twice);
    expect(layOver(twice, 'rotate', undefined).overlay).toStrictEqual({ suspend: 'yes' });
    expect(layOver(row, 'rotate', undefined)).toBe(row);
  });

  test.for(['rotate', 'a', '0', 'a.b-c', 'a'.repeat(63)])('may be named %s', (name) => {
    expect(layOver(fresh(), name, 'x').overlay).toEqual({ [name]: 'x' });
  });

  test.for(['', 'A', '-a', 'a-', '.a', 'a.', 'a b', ' a', 'a\n', 'a/b', 'a'.repeat(64)])(
    'may not be named %j',
    (name) => {
      expect(() => layOver(fresh(), name, 'x')).toThrow(UsageError);
    },
  );

  test('with a wrong name is told which, as far as it is worth showing', () => {
    const shown = `expected the name of a request, got "${'A'.repeat(80)}"`;
    expect(() => layOver(fresh(), 'A'.repeat(500), 'x')).toThrow(new UsageError(shown));
  });

  test('holds at most 1024 characters', () => {
    expect(layOver(fresh(), 'rotate', 'x'.repeat(1_024)).overlay['rotate']).toHaveLength(1_024);
    expect(() => layOver(fresh(), 'rotate', 'x'.repeat(1_025))).toThrow(
      new UsageError('rotate: expected at most 1024 characters, got 1025'),
    );
  });
});

test('a row is written to by those who know its UID: another object of that name is not theirs', () => {
  const row = fresh();
  expect(owned(row, 'CSIVolume/shop/data', 'drawn')).toBe(row);
  for (const [other, reason] of [
    [row, 'replaced'],
    [undefined, 'gone'],
  ] as const)
    expect(() => owned(other, 'CSIVolume/shop/data', 'another')).toThrow(
      new ConflictError(reason, 'CSIVolume/shop/data with UID another no longer exists'),
    );
});

test('a manifest that can not be used is noted once, and what it declared before stays for the day when it leaves', () => {
  const row = fresh();
  const refused = refuse(row);
  expect(refused).toStrictEqual({ ...row, hash: '', object: { ...row.object, refused: true } });
  expect(refuse(refused)).toBe(refused);
  expect(refuse(undefined)).toBeUndefined();
});

describe('the engine sees', () => {
  const row = lived({ requests: { suspend: 'no' } });

  test.for([{}, { distrusted: true }, { problem: undefined }])(
    'the row itself where there is nothing to add: %j',
    (circumstances) => {
      expect(entryOf(row, { onceRequests, ...circumstances })).toBe(row);
    },
  );

  test('what was asked by command before what the manifest asks', () => {
    const { object, status: remembered } = entryOf(layOver(row, 'suspend', 'yes', ann), { onceRequests });
    const asked = { requests: { suspend: 'yes' }, byCommand: { suspend: ann } };
    expect(object).toEqual({ ...row.object, ...asked });
    expect(remembered).toBe(row.status);
    expect(object.spec).toBe(row.object.spec);
  });

  test.for([
    { problem: new SpecError('/spec/size', 'a number', 'a text') },
    { heldBack: 'its manifest is gone, and others can’t be used' },
  ])('what is wrong with it, and nothing else: %j', (wrong) => {
    const { object, status } = entryOf(row, { onceRequests, ...wrong });
    expect([object, status]).toStrictEqual([{ ...row.object, ...wrong }, row.status]);
  });
});
