// Whoever starts a second process beside one that leads is told what it waits for.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, withinMs } from './installed.ts';

describe.skipIf(assets === undefined)('a second process on a cluster (skipped where there is none)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await installedCluster({ controllers: false });
  });
  afterAll(() => cluster?.stop());

  test('says that it asks for the Lease, and with --once that it had none', async () => {
    const at = await Installed.on(cluster);
    await at.start();
    await at.connect();
    await at.ready('SchedulerConnection/main');
    const second = at.run();
    await second.says(/"lease":"holdfast","msg":"asks for the Lease, and changes nothing until/, withinMs);
    expect(second.stdout).not.toContain('"msg":"leading"');
    await second.stop();

    const { code, stdout, stderr } = await at.run('--once', '--timeout', '5').ended;
    expect([code, stderr]).toEqual([
      3,
      'nothing was done: this process did not get the Lease holdfast; another one may hold it\n',
    ]);
    expect(stdout).toContain('1 of 1 ready');
  });
});
