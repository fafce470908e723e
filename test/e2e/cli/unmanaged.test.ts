// A list of what nobody declares that is not whole, and does not say so, is taken for the whole.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { request } from 'undici';
import { folder, Holdfast, holdfast } from '../../support/cli.ts';
import { eventually } from '../../support/poll.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { secretsConnection } from '../../support/secrets.ts';
import { serve } from '../../support/service.ts';

test('a connection that does not answer is told of, and fails: a part is not taken for the whole', async () => {
  const cwd = await folder();
  const scheduler = await serve();
  const tree = new Tree(join(cwd, 'tree')).connect(scheduler);
  tree.put('secrets.yaml', ...secretsConnection({ url: 'http://127.0.0.1:9', dialect: 'vault' }));
  tree.put('volume.yaml', volume('data'));
  await holdfast(['apply', 'tree', '--timeout', '5'], { cwd });
  tree.remove('volume.yaml');
  const { code, stdout, stderr } = await holdfast(['unmanaged', 'tree', '--state-dir', 'other'], { cwd });
  expect(stdout).toContain('CSIVolume');
  expect(stderr).toContain('SecretsConnection/secrets: not listed: ');
  expect(code).toBe(1);

  const one = ['unmanaged', 'tree', '--state-dir', 'other', '--connection'];
  const misspelt = await holdfast([...one, 'SchedulerConnection/mian'], { cwd });
  expect(misspelt.stderr).toContain(
    'SchedulerConnection/mian: not listed: no such connection is declared, but SchedulerConnection/main, SecretsConnection/secrets',
  );
  expect(misspelt.code).toBe(1);
  expect((await holdfast([...one, 'SchedulerConnection/main'], { cwd })).code).toBe(0);
});

test('the status page lists what nobody declares, and leaves it alone', async () => {
  const cwd = await folder();
  const scheduler = await serve();
  const tree = new Tree(join(cwd, 'tree')).connect(scheduler);
  tree.put('volume.yaml', volume('data'));
  tree.put('other.yaml', volume('other'));
  await holdfast(['apply', 'tree', '--timeout', '5'], { cwd });
  tree.remove('other.yaml');
  await holdfast(['apply', 'tree', '--timeout', '5'], { cwd }); // its policy is Retain
  const before = (await scheduler.counters()).writes;
  const program = new Holdfast(['run', '--source', 'tree', '--listen', '127.0.0.1:0'], { cwd });
  const [, url = ''] = await program.says(/(http:\/\/127\.0\.0\.1:\d+)/);
  const whole = async () => {
    const text = await (await request(`${url}/unmanaged`)).body.text();
    return text.includes('Not listed') ? undefined : text; // its connection is not open yet
  };
  const page = await eventually('all is listed', whole);
  expect(page).toContain('<bdi>other</bdi>');
  expect(page).not.toContain('<bdi>data</bdi>');
  expect((await scheduler.counters()).writes).toBe(before);
});

test('a plugin that can not be listed is told of, and hides nothing of the others', async () => {
  const cwd = await folder();
  const scheduler = await serve();
  new Tree(join(cwd, 'tree')).connect(scheduler);
  const listed = await holdfast(['unmanaged', 'tree', '--state-dir', 'other'], { cwd });
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('ebs/snap-0a1b2c3d4e5f6')]);
  await scheduler.call('PUT', '/setup/plugins/hostpath', { FailsWith: 'rpc error: it is tired' });
  const { code, stdout, stderr } = await holdfast(['unmanaged', 'tree', '--state-dir', 'other'], { cwd });
  expect(stdout).toBe(listed.stdout);
  expect(stderr).toMatch(
    /CSISnapshot through SchedulerConnection\/main: not listed: hostpath: .*it is tired/,
  );
  expect(code).toBe(1);
});
