// A plugin that works on its snapshots for a while, and lists none. The first run is "not ready yet" for good, since nothing will
// ever tell, and a schedule (concurrencyPolicy: Forbid is the default) never takes another snapshot.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const key = 'CSISnapshotSchedule/shop/nightly';
const lastYear = `${new Date().getUTCFullYear() - 1}-06-01T00:00:00Z`;

test('a schedule took one snapshot, and no other for ever', { timeout: 240_000 }, async () => {
  const service = await serve('nomad');
  await service.call('POST', '/setup/plugins', {
    ID: 'slow',
    Capabilities: ['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME', 'CREATE_DELETE_SNAPSHOT'],
    SnapshotReadyMs: 1,
  });
  const operated = await Operated.on(service);
  const declare = (hour: number) =>
    operated.tree.put('nightly.yaml', {
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'CSISnapshotSchedule',
      metadata: { namespace: 'shop', name: 'nightly' },
      spec: { connectionRef: { name: 'main' }, volumeRef: { name: 'data' }, schedule: `0 ${hour} 1 1 *` },
    });
  const rewind = () => {
    const state = new DatabaseSync(join(operated.cwd, '.holdfast/state.sqlite'));
    state
      .prepare('UPDATE objects SET status = json_replace(status, ?, ?) WHERE key = ?')
      .run('$.own.handled', lastYear, key);
    state.close();
  };
  operated.tree.put('data.yaml', volume('data', { pluginID: 'slow' }));
  await operated.converge();
  declare(0);
  await operated.apply();
  rewind();
  await operated.apply();
  expect(await service.snapshots()).toHaveLength(1);
  declare(1);
  rewind();
  await operated.apply();
  const { stdout } = await operated.apply();
  expect(await service.snapshots(), stdout).toHaveLength(2);
});
