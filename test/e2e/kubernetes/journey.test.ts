// The quickstart on a cluster, with kubectl only, from the first apply until everything is gone; the services themselves say
// what they have.
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Draws } from '../../support/draws.ts';
import { eventually } from '../../support/poll.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import { writesOf } from './audit.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, withinMs } from './installed.ts';
import { house, kubectl } from './objects.ts';

const seed = process.env['JOURNEY_SEED'] ?? String(Date.now());
const orders = Number(process.env['JOURNEY_ORDERS'] ?? 3);
const steadyMs = 60_000;
const writesMax = 3;

const quickstart = ['connection.yaml', 'credentials.yaml', 'volumes'].flatMap((file) => [
  '-f',
  join(house, 'examples/quickstart', file),
]);
const all = [
  'csivolume/archive',
  'csivolume/orders',
  'csivolume/scratch',
  'ldapconfig/directory',
  'ldapstaticrole/web',
  'schedulerconnection/local',
  'secret/directory',
  'secret/ebs',
  'secretsconnection/local',
];

describe.skipIf(assets === undefined)('the quickstart (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await installedCluster();
  });
  afterAll(() => cluster?.stop());

  const run = (...args: readonly string[]): Promise<string> => kubectl(cluster, ['-n', 'shop', ...args]);
  const becomesReady = (): Promise<string> =>
    run('wait', '--for=condition=Ready', '--timeout=60s', ...all.filter((one) => !one.startsWith('secret/')));

  test('becomes ready, is repaired, follows an edit, and then rests', async () => {
    const at = await Installed.on(cluster);
    await at.start();
    await run('apply', ...quickstart);
    await becomesReady();
    expect(await at.services.held()).toEqual({
      volumes: ['archive', 'orders', 'scratch'],
      disks: [expect.stringContaining('orders'), expect.stringContaining('scratch')],
    });
    const made = ['orders', 'scratch'].map((name) => written(cluster, name));
    report(`writes of a created volume: ${made.map((writes) => writes.join(' and ')).join('; ')}`);
    for (const writes of made) expect(writes.length).toBeLessThanOrEqual(writesMax);

    const { scheduler } = at.services;
    await scheduler.call('DELETE', '/v1/volume/csi/archive?namespace=default&force=true');
    await eventually(
      'the deregistered volume is registered',
      async () => (await at.services.held()).volumes.includes('archive'),
      { withinMs },
    );
    await becomesReady();

    const mountOptions = { fsType: 'nfs4' };
    await run(
      'patch',
      'csivolume/archive',
      '--type=merge',
      `--patch=${JSON.stringify({ spec: { mountOptions } })}`,
    );
    await run('wait', '--for=jsonpath={.status.observedGeneration}=2', '--timeout=60s', 'csivolume/archive');
    await becomesReady();
    const { MountOptions } = await scheduler.volume('archive');
    expect(MountOptions).toMatchObject({ FsType: mountOptions.fsType });

    let described = '';
    const look = async () => {
      described = await run('describe', 'csivolume/orders');
      return described.includes('CreateSucceeded');
    };
    await eventually('its events', look, { withinMs, seen: () => described });

    // Whether it is told of events, a connection knows at its second visit only.
    await at.annotate('SchedulerConnection/local', { 'holdfast.dev/reconcile': 'now' });
    const listens = async () => {
      const conditions = (await at.get('SchedulerConnection/local'))?.status.conditions;
      return conditions?.some(({ type, status }) => type === 'EventStream' && status === 'True');
    };
    await eventually('the connection says that it listens', listens, { withinMs });
    await eventually('everything is written', () => quietMs(cluster) > 3_000, { withinMs });
    const before = notLeases(cluster).length;
    await pause(steadyMs); // what is measured
    expect(notLeases(cluster).slice(before)).toEqual([]);
  });

  for (let turn = 0; turn < orders; turn++) {
    test(`is deleted in an order drawn from ${seed}/${turn}: all goes, and no more of what is outside than it says`, async () => {
      const at = await Installed.on(cluster);
      await at.start();
      await run('apply', ...quickstart);
      await becomesReady();
      const draws = new Draws(`${seed}/${turn}`);
      const order = draws.shuffled(all);
      report(`deleted in this order: ${order.join(', ')}`);
      for (const one of order) {
        const scope = one.includes('connection') ? [] : ['-n', 'shop'];
        await kubectl(cluster, ['delete', one, '--wait=false', ...scope]);
        if (draws.below(2) === 0) await approved(at);
      }
      const seen = async () =>
        JSON.stringify((await at.all()).map(({ metadata, status }) => [metadata.name, status]));
      await eventually(
        'everything is gone',
        async () => {
          await approved(at);
          return (await at.all()).length === 0;
        },
        { withinMs: 90_000 },
      ).catch(async (error: unknown) => {
        throw new Error(`${String(error)}: ${await seen()}`);
      });
      expect(await at.services.held()).toEqual({
        volumes: ['archive', 'orders'],
        disks: [expect.stringContaining('orders')],
      });
      expect(await at.services.secrets('GET', '/v1/ldap/static-role/web')).toBeUndefined();
      expect(await at.services.secrets('GET', '/v1/ldap/config')).toBeDefined();
    });
  }
});

const notLeases = (cluster: Cluster) => writesOf(cluster).filter(({ resource }) => resource !== 'leases');

const quietMs = (cluster: Cluster): number => Date.now() - (notLeases(cluster).at(-1)?.atMs ?? 0);

const written = (cluster: Cluster, name: string): readonly string[] =>
  writesOf(cluster)
    .filter((one) => one.name === name && one.resource.startsWith('csivolumes'))
    .map(({ verb, resource, code }) => `${verb} ${resource}${code < 300 ? '' : ` (${code})`}`);

/** As a person who reads what is asked of them: what waits is approved, on its connection. */
async function approved(at: Installed): Promise<void> {
  for (const { kind, status } of await at.all()) {
    const { awaits } = status;
    const connection = kind === 'CSIVolume' ? 'schedulerconnection' : 'secretsconnection';
    const approval = `holdfast.dev/approve=${awaits?.digest}`;
    if (awaits) await at.cluster.kubectl(['annotate', '--overwrite', `${connection}/local`, approval]);
  }
}
