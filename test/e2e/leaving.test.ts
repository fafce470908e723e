// What disappears all at once is kept until a person says that it was meant.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, Holdfast, holdfast } from '../support/cli.ts';
import { connection, installation, secret, Tree, volume } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve, serviceToken, type Service } from '../support/service.ts';
import { endState } from './end-state.ts';

/** A tree that is in sync: two volumes whose disks go with them, the Secret of their connection in a file of its own. */
async function converged(service: Service) {
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  tree.put('connection.yaml', connection(service));
  tree.put('token.yaml', secret('system', 'scheduler', { token: serviceToken }));
  for (const name of ['a', 'b']) tree.put(`${name}.yaml`, volume(name, { deletionPolicy: 'Delete' }));
  const command = (...args: readonly string[]) => holdfast(args, { cwd });
  expect(await command('apply', 'tree')).toMatchObject({ code: 0, stderr: '' });
  await service.resetCounters();
  return { cwd, tree, command, before: await endState(service) };
}

test('volumes that disappear together with their connection wait for approval', async () => {
  const service = await serve();
  const { tree, command, before } = await converged(service);
  for (const file of ['a.yaml', 'b.yaml', 'connection.yaml']) tree.remove(file);
  const { code, stdout } = await command('apply', 'tree');
  expect(code).toBe(3);
  expect(stdout).toMatch(
    /CSIVolume +shop\/a +False +DeletionLimitExceeded +2 of 2 objects would be deleted: the connection would lose all its objects; to allow it: holdfast approve \w+\n/,
  );
  expect(stdout).toMatch(
    /SchedulerConnection +main +False +DeletionBlocked +still used by CSIVolume\/shop\/a and 1 more\n/,
  );
  expect(await endState(service)).toEqual(before);
});

test('an emptied directory is a mistake, and nothing leaves', async () => {
  const service = await serve();
  const { tree, command, before } = await converged(service);
  for (const file of ['a.yaml', 'b.yaml', 'connection.yaml', 'token.yaml', 'holdfast.yaml'])
    tree.remove(file);
  const { code, stderr } = await command('apply', 'tree', '--timeout', '5');
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^holdfast\.yaml: is missing; it names this installation and looks like this: \{.*\}\n$/,
  );
  expect((await command('validate', 'tree')).code).toBe(1);
  tree.remove('.');
  const gone = await command('apply', 'tree');
  expect(gone).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'holdfast: tree: expected a directory or a file of manifests, or a saved plan, and there is none\n',
  });
  expect(await endState(service)).toEqual(before);
  expect((await service.counters()).writes).toBe(0);
});

test('a tree of another installation is refused', async () => {
  const service = await serve();
  const { tree, command, before } = await converged(service);
  tree.put('holdfast.yaml', installation('other'));
  const { code, stderr } = await command('apply', 'tree');
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^holdfast: holdfast\.yaml names the installation "other", but this state belongs to "test"\. /,
  );
  expect(await endState(service)).toEqual(before);
});

test('a tree that is named otherwise under a running operator shows wherever somebody looks, for no edit counts any more', async () => {
  const service = await serve();
  const { cwd, tree, command } = await converged(service);
  const running = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd });
  await running.says(/"msg":"running"/);
  tree.put('holdfast.yaml', installation('other'));
  const told = 'holdfast.yaml: names the installation "other", but this state belongs to "test". ';
  await eventually('the problem in `get`', async () => {
    const { stdout } = await command('get');
    return stdout.includes(`1 invalid, when the files were last read:\n  ${told}`);
  });
  const named = await command('validate', 'tree', '--state-dir', '.holdfast');
  expect(named).toMatchObject({ code: 1, stderr: expect.stringContaining(told) });
  expect(named.stdout).toMatch(/, 1 problem\n$/);
  // Without the option, the state may be that of another tree, which is no mistake.
  const unnamed = await command('validate', 'tree');
  expect(unnamed).toMatchObject({ code: 0, stderr: expect.stringContaining(`warning: ${told}`) });
  tree.put('holdfast.yaml', installation('test'));
  await running.says(/"msg":"problem solved"/);
  expect((await command('get')).stdout).not.toContain('invalid');
  expect(await command('validate', 'tree', '--state-dir', '.holdfast')).toMatchObject({
    code: 0,
    stderr: '',
  });
});
