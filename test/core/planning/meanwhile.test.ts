// A field that can't be written while the object is in use waits, for as long as a job runs. Others that were edited with it waited,
// too: a disk that was to be larger stayed full.
import { expect, test } from 'vitest';
import { managed } from '../../../src/core/planning/planner.ts';
import { short } from '../../support/policy-rows.ts';
import { declared, recorded, situation, toy } from '../../support/toy.ts';

const used = { ...declared, madeBy: 'us', usedBy: 'somebody' } as const;
const memory = { ...recorded, applied: { ...recorded.applied, '/label': 'old' } };
const both = { live: { ...used, label: 'old' }, memory, spec: { ...declared, size: 20, label: 'new' } };
const plan = managed(toy);

test('what disturbs nobody is written, and the rest stays recorded as it was, so that it is still an edit', () => {
  const planned = plan(situation(both));
  expect(short(planned)).toBe('update /size then update /label');
  expect(planned).toMatchObject({
    steps: [
      { applied: { '/size': 20, '/label': 'old' } },
      { summary: 'update the rest, which waits: used by somebody' },
    ],
  });
  const written = { ...both, live: { ...both.live, size: 20 } };
  const after = { ...memory, applied: { ...memory.applied, '/size': 20 } };
  expect(short(plan(situation({ ...written, memory: after })))).toBe(
    'blocked UpdateBlocked until time /label',
  );
});

test('a field that was not managed before is not recorded as written', () => {
  const { label: _label, ...live } = both.live;
  const planned = plan(situation({ ...both, live, memory: recorded }));
  expect(short(planned)).toBe('update /size then update /label');
  expect(planned).toMatchObject({
    steps: [{ applied: expect.not.objectContaining({ '/label': 'new' }) }, {}],
  });
});

test('nothing is written where that is refused, by itself or with others, nor what never reads back as written', () => {
  const waits = 'blocked UpdateBlocked until time /size,/label';
  const drifted = {
    ...both,
    memory: { ...memory, applied: { ...memory.applied, '/size': 20 }, tries: { '/size': 3 } },
  };
  expect(short(plan(situation(drifted)))).toBe(waits);
  expect(
    short(plan(situation({ ...drifted, memory: { ...drifted.memory, tries: { '/size': 2 } } }))),
  ).toMatch(/^update/);
  const alone = managed({
    ...toy,
    update: (s, live, changes) =>
      changes.length === 1 ? { path: '/size', why: 'never alone' } : toy.update(s, live, changes),
  });
  expect(short(alone(situation(both)))).toBe(waits);
});

test('nothing is written where what uses it is cleared away first', () => {
  expect(short(plan(situation({ ...both, live: { ...both.live, usedBy: 'leftovers' } })))).toBe(
    'detach then update /size,/label',
  );
});
