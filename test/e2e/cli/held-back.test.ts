// An object whose file is broken, or whose deletion a broken file holds back, is shown as that: not as absent, nor in sync.
import { expect, test } from 'vitest';
import { volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';
import { Operator } from '../running.ts';

test('plan, get and describe say of both why they stay as they are, and plan fails', async () => {
  const operator = await Operator.on(await serve());
  for (const name of ['gone', 'broken', 'well']) operator.tree.put(`${name}.yaml`, volume(name));
  const run = await operator.start('--listen', 'off');
  operator.tree.put('broken.yaml', volume('broken', { pluginId: 'hostpath' }));
  operator.tree.remove('gone.yaml');
  const heldBack =
    "DeletionHeldBack: its manifest is gone, and it is not deleted while 1 file can't be used (broken.yaml)";
  await operator.reason('CSIVolume/shop/gone', 'DeletionHeldBack', 'Synced');
  await operator.reason('CSIVolume/shop/broken', 'InvalidSpec');

  const plan = await operator.command('plan', 'tree');
  expect(plan.code).toBe(1);
  expect(plan.stdout).toContain(`CSIVolume/shop/gone\n  x ${heldBack}\n`);
  expect(plan.stdout).toMatch(/CSIVolume\/shop\/broken\n {2}x .*unknown field "pluginId"/);
  expect(plan.stdout).toContain('No changes; 1 blocked, 1 invalid, 2 in sync');
  const { stdout: table } = await operator.command('get', 'csivol', '-n', 'shop');
  expect(table).toMatch(/shop\/gone +True +DeletionHeldBack .*its manifest is gone/);
  expect(table).toMatch(/shop\/broken +False +InvalidSpec .*unknown field "pluginId"/);
  expect(table).toMatch(/shop\/well +True +InSync /);
  const { stdout: described } = await operator.command('describe', 'CSIVolume/shop/gone');
  expect(described).toContain('DeletionHeldBack');
  expect((await run.stop()).code).toBe(0);
});
