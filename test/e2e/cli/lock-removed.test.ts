// Who removes the state of a running process to start afresh, or its lock, lets a second one in: both acted on the same tree.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, Holdfast, holdfast } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

test.each([{ removed: /^state\./ }, { removed: /^state\.lock$/ }])(
  'a process whose $removed was removed does nothing any more, and its log says what to do',
  async ({ removed }) => {
    const cwd = await folder();
    const tree = new Tree(join(cwd, 'tree')).connect(await serve());
    const first = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd });
    await first.says(/"msg":"running"/, 9_000);
    const state = join(cwd, '.holdfast');
    for (const file of readdirSync(state)) if (removed.test(file)) rmSync(join(state, file));
    tree.put('data.yaml', volume('data'));
    await first.says(
      /"StateUnavailable".*is not locked by this process any more.*start holdfast again/,
      9_000,
    );
    const second = await holdfast(['apply', 'tree'], { cwd });
    expect(second.code, second.stdout).toBe(0);
    expect((await first.stop()).stdout).not.toContain('"verb":"create"');
  },
);
