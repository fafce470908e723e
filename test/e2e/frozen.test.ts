// What is frozen for a snapshot is left alone until it is thawed. The service itself says what ran in which allocation, and in
// which order.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { folder, holdfast } from '../support/cli.ts';
import { action, snapshot, Tree, volume } from '../support/manifests.ts';
import { serviceToken } from '../support/service.ts';

const run = (...command: readonly string[]) => ({ exec: { task: 'server', command } });

test('an action on the job of a snapshot, declared together with it, runs in no allocation that is frozen', async () => {
  const server = await startScheduler({ dialect: 'nomad', token: serviceToken });
  onTestFinished(() => server.stop());
  const cwd = await folder();
  const access = [{ namespaces: ['shop'], actions: ['Exec'] }];
  const tree = new Tree(join(cwd, 'tree')).connect({ url: server.url, dialect: 'nomad' }, { access });
  tree.put('data.yaml', volume('data'));
  const apply = () => holdfast(['apply', 'tree', '--timeout', '60'], { cwd });
  expect(await apply()).toMatchObject({ code: 0 });
  const hooks = {
    selector: { job: 'shop' },
    before: run('sleep', '3'), // its calls would come meanwhile
    after: run('true', 'thaw'),
    deadline: '60s',
  };
  tree.put('nightly.yaml', snapshot('nightly', { hooks }));
  const rollout = { maxParallel: 1, pause: '1s' };
  tree.put('reload.yaml', action('reload', { action: run('true', 'reload'), rollout }));
  expect(await apply()).toMatchObject({ code: 0 });
  const executed = server.tallies().executed.map(({ allocation, words }) => ({
    allocation,
    what: words.at(-1) === '3' ? 'freeze' : words.at(-1),
  }));
  expect(executed.filter(({ what }) => what === 'reload')).toHaveLength(2);
  for (const one of new Set(executed.map(({ allocation }) => allocation))) {
    const order = executed.filter(({ allocation }) => allocation === one).map(({ what }) => what);
    expect(order.filter((what) => what !== 'reload')).toEqual(['freeze', 'thaw']);
    expect(order.indexOf('thaw') - order.indexOf('freeze')).toBe(1);
  }
});
