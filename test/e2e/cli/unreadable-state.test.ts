// A user who may not read the state is told so. Once such a user was shown a plan as if there were no state, in which a
// destruction was missing, or heard that there was no state.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folder, holdfast } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

test('every command that reads the state of another user says that it may not', async () => {
  const cwd = await folder();
  await chmod(cwd, 0o777);
  new Tree(join(cwd, 'tree')).connect(await serve()).put('a.yaml', volume('a'));
  const state = join(cwd, '.holdfast');
  await mkdir(state);
  await writeFile(join(state, 'state.sqlite'), '');
  await chmod(state, 0o000);
  onTestFinished(() => chmod(state, 0o700));
  const expected =
    "holdfast: .holdfast/state.sqlite can't be read: EACCES: permission denied: " +
    'check its owner and its mode, or run this as the user that runs the operator\n';
  const lines = [
    'plan tree',
    'plan tree --out plan.json',
    'validate tree',
    'adopt',
    'get',
    'get --watch',
    'get csivol a -n shop',
    'describe csivol a -n shop',
    'backup to.sqlite',
  ];
  for (const line of lines) {
    const ended = await holdfast(line.split(' '), { cwd, unprivileged: true });
    expect({ line, ...ended }).toEqual({ line, code: 1, stdout: '', stderr: expected });
  }
});
