// A state directory that is refused, or mistyped, is left as it was, and so is what it would have been among.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast } from '../support/cli.ts';
import { installation, Tree } from '../support/manifests.ts';

test.for(['dev', 'apply'])(
  '`%s` left databases, and a token in the tree whose state directory it refused',
  { timeout: 60_000 },
  async (command) => {
    const cwd = await folder();
    const tree = new Tree(join(cwd, 'tree'));
    tree.put('holdfast.yaml', installation());
    const once = command === 'dev' ? ['--once'] : [];
    const refused = await holdfast([command, 'tree', ...once, '--state-dir', 'tree/state'], { cwd });
    const stderr = expect.stringContaining('outside of the manifests');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr });
    expect(await readdir(tree.path, { recursive: true })).toEqual(['holdfast.yaml']);
  },
);

test(
  '`approve` on a mistyped state directory made a state there, and said that nothing waits',
  { timeout: 60_000 },
  async () => {
    const cwd = await folder();
    const { code, stderr } = await holdfast(['approve', '1x9k2m7q', '--state-dir', 'mistyped'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('mistyped: no state here; use'),
    });
    expect(await readdir(cwd)).toEqual([]);
  },
);
