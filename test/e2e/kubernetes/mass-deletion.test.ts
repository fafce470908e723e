// Much that goes at once, and a volume that is declared twice: the deletion limits and the proof of ownership hold, judged
// by what the scheduler has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { folder } from '../../support/cli.ts';
import { secret, volume, type Spec } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, withinMs, type Live } from './installed.ts';
import { applyQuickstart, kubectl } from './objects.ts';
import { Typist } from './typist.ts';

const many = 40;
const defaults: Spec = { limits: undefined };
const namespace = (name: string): Spec => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const within = (space: string, name: string, object: Spec): Spec => ({
  ...object,
  metadata: { name, namespace: space },
});

describe.skipIf(assets === undefined)('deletions by the dozen (skipped where there is no Kubernetes)', () => {
  let cluster: Cluster;
  let at: Installed;
  beforeAll(async () => {
    cluster = await installedCluster();
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    at = await Installed.on(cluster);
    await at.connect(defaults);
    await at.start();
  });

  /** Waits until all that is left is held back, and gives the one digest that lets it go. */
  const heldBack = (count: number): Promise<string> => {
    const seen = new Set<string>();
    return eventually(
      `${count} wait for one approval`,
      async () => {
        seen.clear();
        const waiting = (await at.list('CSIVolume')).flatMap(({ status }) => status.awaits?.digest ?? []);
        for (const digest of waiting) seen.add(digest);
        const [digest] = seen;
        return waiting.length === count && seen.size === 1 && digest;
      },
      { withinMs, seen: () => [...seen].join() },
    );
  };
  const gone = async (space: string): Promise<void> => {
    let left: readonly Live[] = [];
    const look = async () => {
      left = (await at.list('CSIVolume')).filter(({ metadata }) => metadata.namespace === space);
      return left.length === 0;
    };
    const seen = () => JSON.stringify(left.map(({ metadata, status }) => [metadata.name, status]));
    await eventually(`all of ${space} is gone`, look, { withinMs: 2 * withinMs, seen });
  };
  const madeByHand = (ID: string): Promise<void> =>
    at.services.scheduler.call('PUT', `/v1/volume/csi/${ID}/create`, {
      Volumes: [
        {
          ID,
          Name: ID,
          Namespace: 'default',
          PluginID: 'hostpath',
          RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
        },
      ],
    });
  const approve = (digest: string): Promise<string> =>
    kubectl(cluster, ['annotate', 'schedulerconnection/main', `holdfast.dev/approve=${digest}`]);

  test('a namespace that is deleted with all that is in it waits as a whole, and goes once it is approved', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const kept = Array.from({ length: 4 }, (_, i) => `kept-${i}`);
    await at.apply(namespace('gone'), secret('gone', 'plugin', { key: 'not-for-logs' }));
    await at.apply(
      ...kept.map((name) => volume(name)),
      ...names.map((name) =>
        within(
          'gone',
          name,
          volume(name, {
            deletionPolicy: 'Delete',
            ...(name === 'a' && { secrets: { key: { name: 'plugin', key: 'key' } } }),
          }),
        ),
      ),
    );
    await at.ready(
      ...names.map((name) => `CSIVolume/gone/${name}`),
      ...kept.map((name) => `CSIVolume/shop/${name}`),
    );
    const before = await at.services.held();
    await kubectl(cluster, ['delete', 'namespace', 'gone', '--wait=false']);
    const digest = await heldBack(names.length);
    expect(await at.services.held()).toEqual(before);

    await approve(digest);
    // Its Secret went at once, and a namespace that is going takes none back.
    const blocked = await at.reason('CSIVolume/gone/a', 'DeletionBlocked');
    expect(blocked.message).toContain('/secrets/key: ');
    await at.patch('CSIVolume/gone/a', { spec: { deletionPolicy: 'Deregister' } });
    await gone('gone');
    await kubectl(cluster, ['wait', '--for=delete', 'namespace/gone', '--timeout=60s']);
    expect((await at.services.held()).volumes).toEqual(kept);
    expect((await at.services.held()).disks).toHaveLength(kept.length + 1);
  });

  test('what is still used goes by the approval of all: a second one was asked for once its users had left', async () => {
    const [role, config] = ['LDAPStaticRole/shop/web', 'LDAPConfig/shop/directory'];
    await applyQuickstart(cluster);
    await at.ready(role, config);
    const leaving = ['ldapstaticrole/web', 'ldapconfig/directory'];
    await kubectl(cluster, ['delete', ...leaving, '--namespace=shop', '--wait=false']);
    const digestOf = async (key: string) => (await at.get(key))?.status.awaits?.digest;
    const digest = await eventually('both wait for one approval', async () => {
      const [one, other] = [await digestOf(role), await digestOf(config)];
      return one === other && one;
    });
    const blocked = await at.reason(config, 'DeletionBlocked');
    expect(blocked.message).toBe(`still used by ${role}`);
    await kubectl(cluster, ['annotate', 'secretsconnection/local', `holdfast.dev/approve=${digest}`]);
    await at.gone(role);
    await at.gone(config);
  });

  test('an approval names the namespaces that it holds for, and -n is refused: it passed for an approval of one', async () => {
    const typist = new Typist(cluster, await folder());
    await at.apply(
      namespace('crew'),
      ...['a', 'b'].map((name) => volume(name, { deletionPolicy: 'Delete' })),
    );
    await at.apply(within('crew', 'c', volume('c', { deletionPolicy: 'Delete' })));
    await at.ready('CSIVolume/shop/a', 'CSIVolume/shop/b', 'CSIVolume/crew/c');
    const before = await at.services.held();
    await kubectl(cluster, ['delete', 'csivolumes', '--all', '-A', '--wait=false']);
    const digest = await heldBack(3);
    expect(await typist.typed(`approve ${digest} --context admin -n crew`)).toMatchObject({
      code: 1,
      stdout: '',
    });
    expect(await at.services.held()).toEqual(before);
    expect(await typist.said(`approve ${digest}`)).toBe(
      'approved: 3 objects in 2 namespaces (crew, shop) may be deleted or replaced: CSIVolume/crew/c, CSIVolume/shop/a, CSIVolume/shop/b\n',
    );
    await gone('shop');
    await gone('crew');
  });

  test(`all of ${many} volumes, deleted by one command, wait as a whole, and go once that is approved`, async () => {
    const names = Array.from({ length: many }, (_, i) => `data-${i}`);
    await at.apply(...names.map((name) => volume(name, { deletionPolicy: 'Delete' })));
    await at.ready(...names.map((name) => `CSIVolume/shop/${name}`));
    const before = await at.services.held();
    expect(before.disks).toHaveLength(many);
    await kubectl(cluster, ['delete', 'csivolumes', '--all', '-A', '--wait=false']);
    const digest = await heldBack(many);
    expect(await at.services.held()).toEqual(before);

    const sinceMs = performance.now();
    await approve(digest);
    await gone('shop');
    report(`${many} volumes went ${Math.round(performance.now() - sinceMs)} ms after they were approved`);
    expect(await at.services.held()).toEqual({ volumes: [], disks: [] });
  });

  test('the approval of the first digest that is shown holds for all, also where others declare something: it took sixteen', async () => {
    const names = Array.from({ length: 10 * many }, (_, i) => `early-${i}`);
    await at.apply(...names.map((name) => volume(name, { deletionPolicy: 'Delete' })));
    await at.ready(...names.map((name) => `CSIVolume/shop/${name}`));
    await kubectl(cluster, ['delete', 'csivolumes', '--all', '-A', '--wait=false']);
    const shown = async () =>
      (await at.list('CSIVolume')).find(({ status }) => status.awaits !== undefined)?.status.awaits?.digest;
    const digest = await eventually('a digest is shown', shown, { withinMs });
    await at.annotate('SchedulerConnection/main', { 'holdfast.dev/approve': digest });
    await at.apply(volume('later'));
    const left = async () =>
      (await at.list('CSIVolume')).filter(({ metadata }) => metadata.name !== 'later').length === 0;
    await eventually('all are gone', left, { withinMs: 2 * withinMs });
    await at.ready('CSIVolume/shop/later');
    expect((await at.services.held()).volumes).toEqual(['later']);
  });

  test('what is only observed leaves at once, and counts: what is destroyed after it waits', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) await madeByHand(name);
    await at.apply(
      ...names.map((name) => volume(name, { managementPolicy: 'ObserveOnly' })),
      ...['kept', 'mine'].map((name) => volume(name, { deletionPolicy: 'Delete' })),
    );
    await at.ready(...[...names, 'kept', 'mine'].map((name) => `CSIVolume/shop/${name}`));
    const before = await at.services.held();
    await kubectl(cluster, ['delete', 'csivolumes', '-n', 'shop', '--timeout=60s', ...names]);
    await kubectl(cluster, ['delete', 'csivolume/mine', '-n', 'shop', '--wait=false']);
    const { message } = await at.reason('CSIVolume/shop/mine', 'DeletionLimitExceeded');
    expect(message).toContain(
      '1 of 2 objects would be deleted: more than 30 % within an hour, counting 6 that went before;',
    );
    expect(await at.services.held()).toEqual(before);
  });

  test('a volume that another cluster declares is refused, and its deletion there destroys nothing', async () => {
    await at.apply(volume('data', { deletionPolicy: 'Delete' }));
    await at.ready('CSIVolume/shop/data');
    const before = await at.services.held();
    const other = await installedCluster({ controllers: false });
    try {
      const there = new Installed(other, at.services);
      await there.connect();
      await there.start();
      await there.apply(volume('data', { deletionPolicy: 'Delete' }));
      await there.reason('CSIVolume/shop/data', 'AdoptionRefused');
      await there.delete('CSIVolume/shop/data');
      await there.gone('CSIVolume/shop/data');
      expect(await at.services.held()).toEqual(before);
      await at.ready('CSIVolume/shop/data');
    } finally {
      await other.stop();
    }
  });
});
