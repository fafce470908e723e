// What a plan says of a plugin that the scheduler does not have: what the create would be told.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SchedulerDialectName } from '../../../src/api/dialects.ts';
import { planOf } from '../../../src/runtime/dry-run.ts';
import { folder } from '../../support/cli.ts';
import { secret, Tree, volume, type Spec } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

async function plannedOn(dialect: SchedulerDialectName, volumes: readonly Spec[], rules?: string) {
  const service = await serve(dialect);
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  tree.put('volumes.yaml', ...volumes);
  if (rules !== undefined) {
    await service.call('POST', '/v1/acl/policy/least', { Name: 'least', Rules: rules });
    const least = { Name: 'least', Type: 'client', Policies: ['least'] };
    const { SecretID: token } = await service.call<{ SecretID: string }>('POST', '/v1/acl/token', least);
    tree.put('connection-secret.yaml', secret('system', 'least', { token }));
    tree.connect(service, { auth: { tokenSecretRef: { namespace: 'system', name: 'least', key: 'token' } } });
  }
  await service.call('POST', '/setup/counters/reset');
  const { objects } = await planOf(
    tree.path,
    { stateDir: join(cwd, '.holdfast') },
    AbortSignal.timeout(20_000),
  );
  const { routes } = await service.counters();
  const lists = Object.entries(routes).filter(([route]) => route.includes('/v1/plugins'));
  return { objects, lists: lists.reduce((sum, [, n]) => sum + n, 0) };
}

test.for(['cluster', 'nomad'] as const)(
  '%s: a create for which there is no plugin is held back, those that have one are not, and each plugin is asked for once',
  async (dialect) => {
    const missing = ['a', 'b', 'c'].map((name) => volume(name, { pluginID: 'ceph' }));
    const { objects, lists } = await plannedOn(dialect, [...missing, volume('d')]);
    const held = objects.map((one) => ('held' in one ? `${one.key} ${one.held.reason}` : one.key));
    expect(held).toEqual([
      ...['a', 'b', 'c'].map((name) => `CSIVolume/shop/${name} PluginNotFound`),
      'CSIVolume/shop/d',
      'SchedulerConnection/main',
    ]);
    expect(objects[0]).toMatchObject({
      plan: { verdict: 'change' },
      held: { message: 'the scheduler has no CSI plugin ceph, but ebs, hostpath, nfs' },
    });
    expect(lists).toBe(2);
  },
);

test('where plugins may not be listed, nothing is known of them, and the plan is as without', async () => {
  const capabilities = ['csi-list-volume', 'csi-read-volume', 'csi-write-volume'];
  const rules = JSON.stringify({ namespace: { default: { capabilities } } });
  const { objects, lists } = await plannedOn('nomad', [volume('a', { pluginID: 'ceph' })], rules);
  expect(objects[0]).toMatchObject({ key: 'CSIVolume/shop/a', plan: { verdict: 'change' } });
  expect(objects[0]).not.toHaveProperty('held');
  expect(lists).toBe(1);
});
