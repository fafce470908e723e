// What the provider says of a disk is shown, and costs nothing: no request, no change of the plan.
import { expect, test } from 'vitest';
import { DiskNotes } from '../../../src/api/scheduler/disks.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { observe } from './observe.ts';

const told = {
  type: 'Abnormal',
  status: 'True',
  reason: 'VolumeConditionAbnormal',
  message: 'bad blocks',
} as const;
const before: Status<never> = {
  ...noStatus,
  conditions: [{ ...told, observedGeneration: 1, lastTransitionTime: '2026-11-20T00:00:00Z' }],
};

async function looked(
  noted: readonly (readonly [string, string])[] | undefined,
  memory: Status<never> = noStatus,
) {
  const disks = new DiskNotes();
  if (noted) disks.note('ebs', new Map(noted));
  const { asked, plan, seen } = await observe({ disks, memory });
  const shown = seen.report().conditions.filter(({ type }) => type === told.type);
  return { shown, plan, asked };
}

test.for([
  { why: 'nothing is known', noted: undefined, memory: noStatus, expected: [] },
  { why: 'nothing is wrong', noted: [], memory: before, expected: [] },
  { why: 'another is not well', noted: [['vol-2', 'bad blocks']], memory: noStatus, expected: [] },
  { why: 'it is not well', noted: [['vol-1', 'bad blocks']], memory: noStatus, expected: [told] },
  { why: 'it was not well, and nobody has listed yet', noted: undefined, memory: before, expected: [told] },
] as const)('$why', async ({ noted, memory, expected }) => {
  const { shown, plan, asked } = await looked(noted, memory);
  expect(shown).toEqual(expected);
  expect(asked).toEqual(['volume.read']);
  expect(plan).toEqual((await looked(undefined)).plan);
});
