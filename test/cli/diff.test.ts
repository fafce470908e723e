// Scripts that know `kubectl diff` go by its exit codes: whether something differs must not look like a failure.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apply } from '../../src/cli/commands/apply.ts';
import { diff } from '../../src/cli/commands/plan.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';
import { Tree, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';

test('0 where nothing differs, 1 where something does, 2 where it can’t be told', async () => {
  const cwd = await folder();
  const stateDir = join(cwd, '.holdfast');
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  tree.put('a.yaml', volume('a'));
  await inside((...to) => apply(tree.path, { stateDir, output: 'text', timeout: 60 }, ...to));
  const differs = () => inside((...to) => diff(tree.path, { stateDir }, ...to));
  expect((await differs()).code).toBe(0);
  tree.put('a.yaml', volume('a', { mountOptions: { fsType: 'xfs' } }));
  const { code, stdout } = await differs();
  expect([code, stdout]).toEqual([1, expect.stringContaining('/mountOptions')]);
  tree.put('b.yaml', 'kind: [');
  expect((await differs()).code).toBe(2);
});
