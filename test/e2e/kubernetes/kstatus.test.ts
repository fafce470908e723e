// What Helm and Flux wait by: kstatus itself, asked about every version of every object that a watch shows.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { action, volume } from '../../support/manifests.ts';
import { hasGo } from '../go.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, type Live } from './installed.ts';
import { applyQuickstart, house, kubectl } from './objects.ts';
import { versions } from './versions.ts';

const buildMs = 600_000;

/** Of each, in order. */
function kstatus(objects: readonly Live[]): readonly string[] {
  const input = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const options = { cwd: join(house, 'test/e2e/kstatus'), encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  return execFileSync('go', ['run', '.'], { ...options, input })
    .split('\n')
    .slice(0, -1);
}

/** What its conditions come to for people. */
function meant({ metadata, status }: Live): string {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const is = (type: 'Ready' | 'Stalled') => {
    const found = conditionOf(status.conditions ?? [], type);
    return found?.status === 'True' && found.observedGeneration === metadata.generation;
  };
  if (is('Stalled')) return 'Failed';
  return is('Ready') ? 'Current' : 'InProgress';
}

describe.skipIf(assets === undefined || !hasGo)('kstatus (skipped without Go)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    kstatus([]); // built before anything is timed
    cluster = await installedCluster();
  }, buildMs);
  afterAll(() => cluster?.stop());

  test('agrees with the conditions of every version, and never says Current too early', async () => {
    const at = await Installed.on(cluster);
    const seen = await versions(cluster);
    await at.apply(volume('early')); // nobody has seen it yet, and its connection is missing
    await at.start();
    await applyQuickstart(cluster);
    await at.connect({ access: [{ namespaces: ['*'], actions: ['Signal'] }] });
    await at.ready('CSIVolume/shop/early', 'CSIVolume/shop/orders', 'LDAPStaticRole/shop/web');

    await at.patch('CSIVolume/shop/early', { spec: { mountOptions: { fsType: 'xfs' } } });
    await at.ready('CSIVolume/shop/early');
    await at.apply(volume('twin', { externalName: 'early' }));
    await at.reason('CSIVolume/shop/twin', 'ExternalNameConflict', 'Stalled');
    const signal = { action: { signal: { name: 'SIGHUP' } } };
    await at.apply(action('reload', signal), action('vain', { ...signal, selector: { job: 'nobody' } }));
    await at.ready('AllocationAction/shop/reload');
    await at.reason('AllocationAction/shop/vain', 'ActionFailed', 'Stalled');
    await kubectl(cluster, ['delete', 'ldapstaticrole', 'web', '-n', 'shop', '--timeout=60s']);
    await kubectl(cluster, ['delete', 'csivolume', 'twin', '-n', 'shop', '--timeout=60s']);

    const said = kstatus(seen);
    expect(said).toHaveLength(seen.length);
    const shown = (status: (object: Live, at: number) => string | undefined) =>
      seen.map(
        (object, i) =>
          `${object.kind}/${object.metadata.name} ${JSON.stringify(object.status)}: ${status(object, i)}`,
      );
    expect(shown((_, i) => said[i])).toEqual(shown(meant));
    const counts = Object.entries(Object.groupBy(said, (one) => one)).map(
      ([one, all]) => `${one} ${all?.length}`,
    );
    report(`kstatus of ${seen.length} versions: ${counts.join(', ')}`);
    expect(new Set(said)).toEqual(new Set(['InProgress', 'Current', 'Failed', 'Terminating']));
  });
});
