// A user who may not read the state is told so. Once such a user was shown a plan as if there were no state, in which a
// destruction was missing, or heard that there was no state.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folder, holdfast } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

const refused =
  ".holdfast/state.sqlite can't be read: EACCES: permission denied: " +
  'check its owner and its mode, or run this as the user that runs the operator\n';

/** A tree whose state is another user's. */
async function place() {
  const cwd = await folder();
  await chmod(cwd, 0o777);
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  tree.put('a.yaml', volume('a'));
  const state = join(cwd, '.holdfast');
  await mkdir(state);
  await writeFile(join(state, 'state.sqlite'), '');
  await chmod(state, 0o000);
  onTestFinished(() => chmod(state, 0o700));
  return { tree, said: (line: string) => holdfast(line.split(' '), { cwd, unprivileged: true }) };
}

test('every command that reads the state of another user says that it may not', async () => {
  const { said } = await place();
  const lines = [
    'plan tree',
    'plan tree --out plan.json',
    'validate tree --state-dir .holdfast',
    'adopt',
    'get',
    'get --watch',
    'get csivol a -n shop',
    'describe csivol a -n shop',
    'backup to.sqlite',
  ];
  for (const line of lines) {
    const ended = await said(line);
    expect({ line, ...ended }).toEqual({ line, code: 1, stdout: '', stderr: `holdfast: ${refused}` });
  }
});

test('validate checks manifests beside a state that it may not read, and says so: whoever reviews them has no right to it', async () => {
  const { tree, said } = await place();
  const warning = `warning: .holdfast: not compared with this state: ${refused}`;
  const stdout = '2 objects in 3 files, 1 warning\n';
  expect(await said('validate tree')).toEqual({ code: 0, stdout, stderr: warning });
  tree.put('a.yaml', volume('a', { pluginId: 'x' }));
  expect(await said('validate tree')).toMatchObject({ code: 1, stderr: expect.stringContaining('pluginId') });
});
