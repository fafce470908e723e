// Snapshots that failed expire as if they were ready, and their data is destroyed. The status announced each that expires, and none of
// these.
import { expect, test } from 'vitest';
import type { Entry } from '../../../src/core/source/source.ts';
import { report } from '../../../src/kinds/csi-snapshot-schedule/report.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot-schedule/schema.ts';
import { firstStep, planned, situation, snapshot } from './situation.ts';

const first = snapshot('2026-05-07T03:00:00Z', 'untold');
const name = 'orders-202605070300';
const has = [first, snapshot('2026-05-08T03:00:00Z'), snapshot('2026-05-09T03:00:00Z')];

const announced = (snapshots: readonly Entry[], retention: Spec['retention'] & object) =>
  report(situation({ has: snapshots, spec: { retention } })).observed['nextDeletions'];

test('one that the next run makes expire was not announced', () => {
  const spec = { retention: { count: 3 } };
  expect(planned({ has, spec }).verdict).toBe('in-sync');
  const why = 'it failed, and no rule keeps it';
  expect(announced(has, spec.retention)).toContainEqual({ name, at: '2026-05-10T03:00:00Z', why });
  const memory = { ...situation({}).status, own: { handled: '2026-05-10T03:00:00Z' } };
  const step = firstStep({
    has: [...has, snapshot('2026-05-10T03:00:00Z')],
    spec,
    now: '2026-05-10T04:00:00Z',
    memory,
  });
  expect(step.summary).toBe(`let ${name} expire: ${why}`);
});

test('nor was one that goes now', () => {
  const spec = { retention: { count: 2 } };
  expect(firstStep({ has, spec }).summary).toContain(`let ${name} expire`);
  expect(announced(has, spec.retention)).toContainEqual(expect.objectContaining({ name }));
});

test('nor was one that is about to be too old, at the time at which it is', () => {
  const retention = { maxAge: '60h' };
  expect(planned({ has, spec: { retention } })).toMatchObject({ verdict: 'in-sync' });
  const [one] = [announced(has, retention)].flat();
  expect(one).toEqual({ name, at: '2026-05-09T15:00:00Z', why: 'it failed, and it is older than maxAge' });
});

test('one of which nothing is outside loses nothing, and is not announced', () => {
  const empty = snapshot('2026-05-07T03:00:00Z', 'failed');
  expect(announced([empty, ...has.slice(1)], { count: 2 })).not.toContainEqual(
    expect.objectContaining({ name }),
  );
});
