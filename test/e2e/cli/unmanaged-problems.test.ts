// What a manifest declares that can't be used was listed as declared by nobody, and exported as a second declaration of it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

test.each(['unmanaged', 'export'])(
  '%s tells of manifests that can not be used, and fails',
  async (command) => {
    const cwd = await folder();
    const tree = new Tree(join(cwd, 'tree')).connect(await serve());
    tree.put('data.yaml', volume('data'));
    expect((await holdfast(['apply', 'tree'], { cwd })).code).toBe(0);
    const args = [command, 'tree', '--state-dir', 'lost'];
    expect((await holdfast(args, { cwd })).code).toBe(0);
    tree.put('data.yaml', volume('data', { pluginId: 'x' }));
    const { code, stdout, stderr } = await holdfast(args, { cwd });
    expect([code, stdout.includes('data')], stderr).toEqual([1, true]);
    expect(stderr).toMatch(/^data\.yaml:\d+:\d+: \/spec\/pluginId: /m);
    expect(stderr).toContain("what is listed may be declared already: 1 file can't be used (data.yaml)\n");
  },
);
