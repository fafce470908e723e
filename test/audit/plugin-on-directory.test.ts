// `kubectl holdfast` is about the cluster. Whoever types `apply -f manifests` after kubectl means the cluster, not a second operator
// of their own, with a state of its own, on the same services.
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../coverage/sources.ts';
import { holdfast } from '../support/cli.ts';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { registered } from './disks.ts';
import { Operated } from './operated.ts';

async function plugin() {
  const service = await serve();
  const operated = await Operated.on(service);
  operated.tree.put('orders.yaml', volume('orders'));
  const program = join(operated.cwd, 'kubectl-holdfast');
  await symlink(join(root, 'src/cli/holdfast.mjs'), program);
  const asked = (...args: readonly string[]) => holdfast(args, { cwd: operated.cwd, program });
  return { service, operated, asked };
}

test('`kubectl holdfast apply` made the volumes of a directory, from the machine of whoever typed it', async () => {
  const { service, operated, asked } = await plugin();
  const applied = await asked('apply', '-f', 'tree');
  expect(await registered(service)).toEqual({});
  expect(await readdir(operated.cwd)).not.toContain('.holdfast');
  expect(applied).toMatchObject({
    code: 1,
    stderr:
      'holdfast: there is no command apply of kubectl holdfast, which is about the cluster: `kubectl apply` declares what the operator there reconciles; `holdfast apply` reconciles a directory\n',
  });
});

test.for([
  [
    ['run', '--source', 'tree'],
    'holdfast: --source tree: kubectl holdfast is about the cluster, --source kubernetes; `holdfast run` takes a directory\n',
  ],
  [
    ['run', 'tree'],
    /^error: .*not specified\n\(--source tree: kubectl holdfast is about the cluster, --source kubernetes; .*\)\n/,
  ],
  [['run'], /^error: .*not specified\n\(did you mean --source kubernetes\?\)\n/],
  [['dev', 'tree'], /^holdfast: there is no command dev of kubectl holdfast.*`holdfast dev` runs them/],
  [['backup', 'state.bak'], /^holdfast: there is no command backup of kubectl holdfast.*is in the cluster/],
  [
    ['delete', 'csivol', 'orders'],
    /^holdfast: there is no command delete of kubectl holdfast.*`kubectl delete` does that/,
  ],
] as const)('so it did with `%s`, or had advice for a directory', async ([line, message]) => {
  const { service, operated, asked } = await plugin();
  const refused = await asked(...line);
  expect(await registered(service)).toEqual({});
  expect(await readdir(operated.cwd)).not.toContain('.holdfast');
  const stderr: unknown = typeof message === 'string' ? message : expect.stringMatching(message);
  expect(refused).toMatchObject({ code: 1, stderr });
});

test('its help has what it can do, and no more', async () => {
  const { asked } = await plugin();
  const { stdout } = await asked('--help');
  expect(stdout).toMatch(/^ +plan /m);
  expect(stdout).not.toMatch(/^ +(apply|backup|dev) /m);
});
