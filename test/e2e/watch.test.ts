// A running operator: what is edited, what drifts and what it is told.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secret, volume } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve } from '../support/service.ts';
import { measured, Operator } from './running.ts';

const boundMs = 5_000;
const flags = { mountOptions: { fsType: 'xfs' } };

test('files that are added, edited and removed are acted on within seconds', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  operator.tree.put('a.yaml', volume('a'));
  operator.tree.put('b.yaml', volume('b', { deletionPolicy: 'Delete' }));
  await operator.start();
  const volumes = async () => (await service.volumes()).map((v) => v.ID);

  operator.tree.put('sub/c.yaml', volume('c'));
  await measured('an added file', boundMs, () =>
    eventually('c', async () => (await volumes()).includes('c')),
  );

  operator.tree.put('a.yaml', volume('a', flags));
  await measured('an edited file', boundMs, () =>
    eventually('xfs', async () => (await service.volume('a')).MountOptions.FSType === 'xfs'),
  );

  operator.tree.remove('b.yaml');
  await measured('a removed file', boundMs, () =>
    eventually('no b', async () => !(await volumes()).includes('b')),
  );
  await operator.left('CSIVolume/shop/b'); // its disk goes after its registration
  expect(await service.disks()).toHaveLength(2);
});

test('an edited Secret is sent, by whoever uses it alone', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  operator.tree.put('secret.yaml', secret('shop', 'plugin', { key: 'first' }));
  operator.tree.put('user.yaml', volume('user', { secrets: { key: { name: 'plugin', key: 'key' } } }));
  operator.tree.put('other.yaml', volume('other'));
  await operator.start();
  await service.resetCounters();
  operator.tree.put('secret.yaml', secret('shop', 'plugin', { key: 'second' }));
  await eventually('a write', async () => (await service.counters()).writes === 1);
  const { routes } = await service.counters();
  expect(routes).toMatchObject({ 'PUT /v1/volume/csi/{id}': 1 });
});

test('what is changed behind its back is put right', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  operator.tree.put('a.yaml', volume('a', flags));
  expect((await operator.command('apply', 'tree')).code).toBe(0);
  await operator.start();
  const lists = async () => (await service.counters()).routes['GET /v1/volumes'] ?? 0;
  // The probe of each process, a list and the query that blocks after it: from then on whatever changes is told.
  await eventually('a watch', async () => (await lists()) > 3);
  const [disk] = await service.disks();

  await measured('a lost registration', boundMs, async () => {
    await service.call('DELETE', '/v1/volume/csi/a?namespace=default');
    await eventually('a is registered again', async () => (await service.volumes())[0]?.ID === 'a');
  });
  expect((await service.volumes())[0]?.ExternalID).toBe(disk?.externalID);

  const found = await service.volume('a');
  await measured('a changed field', boundMs, async () => {
    const drifted = { ...found, MountOptions: { FSType: 'ext4' } };
    await service.call('PUT', '/v1/volume/csi/a?namespace=default', { Volumes: [drifted] });
    await eventually('xfs again', async () => (await service.volume('a')).MountOptions.FSType === 'xfs');
  });
  expect(await service.disks()).toHaveLength(1);
});

test('a restart writes nothing; SIGTERM ends it within seconds and leaves no socket behind', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  operator.tree.put('a.yaml', volume('a'));
  const first = await operator.start();
  const files = () => readdirSync(join(operator.cwd, '.holdfast'));
  expect(files()).toContain('control.sock');
  await measured('SIGTERM', boundMs, async () => expect((await first.stop()).code).toBe(0));
  expect(files().filter((file) => /sock|\.pid$|-wal$/.test(file))).toEqual([]);

  await service.resetCounters();
  const second = await operator.start('--log-level', 'debug');
  // The probe, a list, and the query that blocks after it: restart.test.ts shows what is read one by one.
  await eventually('a list', async () => ((await service.counters()).routes['GET /v1/volumes'] ?? 0) > 2);
  expect((await second.stop()).stdout).not.toContain('"msg":"effect"');
  expect((await service.counters()).writes).toBe(0);
});

test('a second process on the same state is told who has it, and ends', async () => {
  const operator = await Operator.on(await serve());
  await operator.start();
  for (const args of [
    ['run', '--source', 'tree'],
    ['apply', 'tree'],
    ['dev', 'tree', '--once'],
  ]) {
    const { code, stderr } = await operator.command(...args);
    expect(stderr, args[0]).toMatch(
      /^holdfast: \.holdfast\/state\.lock is held by another holdfast \(pid \d+\): stop it, or wait .*\n$/,
    );
    expect(code).toBe(1);
  }
  expect(await operator.command('get')).toMatchObject({ code: 0, stderr: '' }); // nothing of "no operator"
});

test('reconcile has one object looked at again, and it alone', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  operator.tree.put('a.yaml', volume('a'));
  operator.tree.put('b.yaml', volume('b'));
  await operator.start();
  await service.resetCounters();
  const { code, stdout } = await operator.command('reconcile', 'CSIVolume/shop/a');
  expect([code, stdout]).toEqual([0, 'CSIVolume/shop/a will be reconciled now\n']);
  const reads = async () => (await service.counters()).routes['GET /v1/volume/csi/{id}'];
  await eventually('a read', async () => (await reads()) === 1);
  const missing = await operator.command('reconcile', 'CSIVolume/shop/c');
  const stderr = 'holdfast: CSIVolume/shop/c: no such object; `holdfast get CSIVolume` lists what there is\n';
  expect(missing).toEqual({ code: 1, stdout: '', stderr });
  expect(await reads()).toBe(1);
});

test('more removals than are allowed wait for exactly their approval', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  for (const name of ['a', 'b'])
    operator.tree.put(`${name}.yaml`, volume(name, { deletionPolicy: 'Delete' }));
  await operator.start();
  operator.tree.remove('a.yaml');
  operator.tree.remove('b.yaml');
  const message = await operator.reason('CSIVolume/shop/a', 'DeletionLimitExceeded');
  expect(message).toMatch(
    /^2 of 2 objects would be deleted: the connection would lose all its objects; to allow it: holdfast approve \w+$/,
  );
  const digest = message.slice(message.lastIndexOf(' ') + 1);
  const wrong = await operator.command('approve', 'wrong');
  expect(wrong.stderr).toBe(
    `holdfast: wrong: nothing waits for approval under this digest; waiting: ${digest} (2 objects)\n`,
  );
  expect([wrong.code, (await service.volumes()).length]).toEqual([1, 2]);
  const { stdout } = await operator.command('approve', digest);
  expect(stdout).toBe('approved: 2 objects may be deleted or replaced: CSIVolume/shop/a, CSIVolume/shop/b\n');
  await eventually('no volumes', async () => (await service.volumes()).length === 0);
  await eventually('no disks', async () => (await service.disks()).length === 0);
});
