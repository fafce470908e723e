// What a command in a task prints may be secret: it goes into no output, log, page, status or file.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contents, found } from '../support/canaries.ts';
import { folder, Holdfast, holdfast, type Ended } from '../support/cli.ts';
import { action, Tree } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve } from '../support/service.ts';
import { Site } from './site.ts';

const planted = { printed: 'hB6yE1wM-printed-by-a-command-2a90f7' };
const outputs = (...ended: readonly Ended[]): string => ended.map((e) => e.stdout + e.stderr).join('\n');

const prints = (name: string, ...command: readonly string[]) =>
  action(name, { selector: { job: 'web' }, action: { exec: { task: 'server', command } } });

test('what a command prints goes nowhere: its size is told, and its exit code', async () => {
  const service = await serve('nomad');
  const tasks = [{ name: 'server', env: { KEY: planted.printed } }];
  await service.call('POST', '/setup/allocations', { jobID: 'web', tasks });
  const cwd = await folder();
  const access = [{ namespaces: ['shop'], actions: ['Exec'] }];
  const tree = new Tree(join(cwd, 'tree')).connect(service, { access });
  tree.put('prints.yaml', prints('out', 'env'), prints('failing', 'sh', '-c', 'env >&2; exit 3'));
  const run = new Holdfast(['run', '--source', 'tree'], { cwd });
  const [, page = ''] = await run.says(/"status":"(http:[^"]+)"/);
  const site = new Site(page);
  const keys = ['out', 'failing'].map((name) => `AllocationAction/shop/${name}`);
  await site.listen(...keys);
  await eventually('both have ended', async () => {
    await site.read(keys);
    return site.text.includes('exit code 3') && site.text.includes('all succeeded');
  });
  const command = (args: string) => holdfast(args.split(' '), { cwd });
  const told = [await command('get'), await command('get -o json'), await run.stop()];
  expect(told[1]?.stdout).toMatch(/"stdoutBytes": *[1-9]/);
  expect(told[1]?.stdout).toMatch(/"stderrBytes": *[1-9]/);
  expect(found(outputs(...told) + site.text, planted)).toEqual([]);
  expect(found(contents(cwd, []), planted)).toEqual([]);
});
