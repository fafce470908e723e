// A plan is read by people, often as a comment on a pull request: nothing in it may look like what it is not.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plan } from '../../src/cli/commands/plan.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';
import { Tree, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';

const hidden = /[\p{Cf}\p{Zl}\p{Zp}]/u;

test.for(['text', 'markdown'] as const)(
  'a plan as %s shows characters that hide or reorder',
  async (output) => {
    const cwd = await folder();
    const tree = new Tree(join(cwd, 'tree')).connect(await serve());
    const parameters = { tier: 'a\u202ekcab', zone: 'eu\u200b1' };
    tree.put('a.yaml', volume('a', { create: { capacity: { min: '1Gi' }, parameters } }));
    const options = { stateDir: join(cwd, '.holdfast'), output };
    const { stdout } = await inside((...to) => plan(tree.path, options, ...to));
    expect(stdout).toContain('{tier: a\\u{202e}kcab, zone: eu\\u{200b}1}');
    expect(stdout).not.toMatch(hidden);
  },
);
