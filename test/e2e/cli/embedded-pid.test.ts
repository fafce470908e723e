// Services that ended leave their address behind, and the system gives their process ID to another process, as happens soon in
// containers. Whoever looks ahead asked services that were gone, and said that everything is blocked.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast } from '../../support/cli.ts';

test('plan and diff read what ended services have stored, whoever has their process ID by now', async () => {
  const cwd = await folder();
  const run = (...args: string[]) => holdfast(args, { cwd });
  expect(await run('init', 'tree')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('dev', 'tree', '--once')).toMatchObject({ code: 0 });
  const plan = await run('plan', 'tree');
  expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('2 in sync') });
  const diff = await run('diff', 'tree');
  const address = join(cwd, '.holdfast/embedded.json');
  const said = JSON.parse(readFileSync(address, 'utf8'));
  writeFileSync(address, JSON.stringify({ ...said, pid: process.pid }));
  expect(await run('plan', 'tree')).toEqual(plan);
  expect(await run('diff', 'tree')).toEqual(diff);
});
