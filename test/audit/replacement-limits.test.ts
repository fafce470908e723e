// Finding 3: a replacement destroys as a deletion does, and nobody was asked.
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, lost, registered } from './disks.ts';
import { Operated } from './operated.ts';

const limits = { deletions: { perHour: 20, percent: 30 } };

/** Volumes whose disks go with them, and one edit of all. */
async function edited(count: number, edit: Spec) {
  const service = await serve();
  await service.call('POST', '/setup/plugins', {
    ID: 'fast',
    Capabilities: ['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME'],
  });
  const operated = await Operated.on(service, { limits });
  const declare = (more: Spec) => {
    const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
    const all = Array.from({ length: count }, (_, i) => volume(`v${i}`, { ...policies, ...more }));
    operated.tree.put('volumes.yaml', ...all);
  };
  declare({ create: { capacity: { min: '1Gi' }, parameters: { tier: 'slow' } } });
  await operated.converge();
  const before = await diskIDs(service);
  expect(before).toHaveLength(count);
  declare({ create: { capacity: { min: '1Gi' }, parameters: { tier: 'slow' } }, ...edit });
  return { service, operated, before };
}

const edits = [
  {
    what: '40 of 40, by one edit of parameters,',
    count: 40,
    edit: { create: { capacity: { min: '1Gi' }, parameters: { tier: 'quick' } } },
  },
  { what: '8 of 8, by another pluginID,', count: 8, edit: { pluginID: 'fast' } },
];

test.each(edits)('disks were destroyed, $what and nobody had said yes', async ({ count, edit }) => {
  const { service, operated, before } = await edited(count, edit);
  const { code, stdout } = await operated.apply();
  expect(await lost(service, before), stdout).toEqual([]);
  expect(code).toBe(3);
  expect(Object.keys(await registered(service))).toHaveLength(count);

  expect(await operated.waiting()).not.toEqual([]);
  const after = await operated.applyApproving();
  expect(after.code, after.stdout).toBe(0);
  expect(await lost(service, before)).toHaveLength(count);
  const disks = Object.values(await registered(service));
  expect(new Set(disks).size).toBe(count);
  expect(await lost(service, disks)).toEqual([]);
});

test.each([
  { what: 'one replacement, within the limits', count: 4, replaced: 1 },
  { what: '8 replacements, beyond them', count: 8, replaced: 8 },
])('$what: the plan did not say that data goes', async ({ count, replaced }) => {
  const { operated } = await edited(count, {});
  const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
  const all = Array.from({ length: count }, (_, i) => {
    const tier = i < replaced ? 'quick' : 'slow';
    return volume(`v${i}`, { ...policies, create: { capacity: { min: '1Gi' }, parameters: { tier } } });
  });
  operated.tree.put('volumes.yaml', ...all);
  const { code, stdout } = await operated.plan();
  expect(code, stdout).toBe(2);
  expect(stdout).toMatch(new RegExp(`\\nDestroys data: .*\\bv0\\b.*\\nPlan: .*\\b${replaced} to replace`));
});
