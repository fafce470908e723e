// What people and other programs do to objects that are in use: nothing outside is destroyed, and nothing is made twice.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Reason } from '../../../src/core/status/reasons.ts';
import { secret, volume, type Spec } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, withinMs, type Live } from './installed.ts';
import { house, kubectl } from './objects.ts';

const key = 'CSIVolume/shop/data';
const label = (team: string | null) => ({ metadata: { labels: { team } } });
const definition = join(house, 'crds/csivolumes.holdfast.dev.yaml');

/** A definition of earlier days, to which any capabilities are right. */
function looser(): string {
  const crd = parse(readFileSync(definition, 'utf8'));
  const { properties } = crd.spec.versions[0].schema.openAPIV3Schema;
  properties.spec.properties.capabilities = { 'x-kubernetes-preserve-unknown-fields': true };
  delete properties.spec['x-kubernetes-validations'];
  return JSON.stringify(crd);
}

describe.skipIf(assets === undefined)('objects on bad days (skipped where there is no Kubernetes)', () => {
  let cluster: Cluster;
  let at: Installed;
  beforeAll(async () => {
    cluster = await installedCluster({ controllers: false });
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    at = await Installed.on(cluster);
    await at.connect();
  });

  /** Volume `data`, ready, and what the scheduler has then. */
  const started = async (spec: Spec = {}, ...more: readonly Spec[]) => {
    const process = await at.start();
    await at.apply(...more, volume('data', { deletionPolicy: 'Delete', ...spec }));
    await at.ready(key);
    const { disks } = await at.services.held();
    expect(disks).toHaveLength(1);
    return { process, disks, object: await found() };
  };
  const found = async (): Promise<Live> => {
    const object = await at.get(key);
    if (!object) throw new Error(`${key} is gone`);
    return object;
  };
  /** Replaces the status, as a restore does. */
  const restored = async ({ metadata, ...object }: Spec & { readonly metadata: Spec }): Promise<void> => {
    const { name, namespace } = metadata;
    const body = { ...object, metadata: { name, namespace } };
    await kubectl(cluster, ['replace', '--subresource=status', '-f', '-'], JSON.stringify(body));
  };

  test('a Secret that is deleted while it is in use is waited for, and what it is for stays as it is', async () => {
    const login = secret('shop', 'plugin', { key: 'not-for-logs' });
    const { disks } = await started({ secrets: { key: { name: 'plugin', key: 'key' } } }, login);
    const { effects } = await at.services.scheduler.counters();
    await kubectl(cluster, ['delete', 'secret', 'plugin', '-n', 'shop']);
    await at.patch(key, { spec: { mountOptions: { fsType: 'xfs' } } });
    const { message } = await at.reason(key, 'DependencyNotReady');
    expect(message).toContain('plugin');
    expect((await at.services.scheduler.counters()).effects).toBe(effects);
    await at.apply(login);
    await at.annotate(key, { 'holdfast.dev/reconcile': 'now' });
    await at.ready(key);
    expect((await at.services.held()).disks).toEqual(disks);
  });

  const statuses: readonly (readonly [
    why: string,
    status: (older: Spec, now: Spec) => Spec,
    reason: Reason,
    /** By its own deletion. */
    isDestroyed: boolean,
  ])[] = [
    ['stripped', () => ({}), 'InSync', true],
    ['restored from an older backup', (older) => older, 'AdoptionRefused', false],
    ['that does not say what it is the status of', (_, { externalRef: _ref, ...now }) => now, 'InSync', true],
    [
      'in which somebody wrote another disk',
      (_, now) => ({ ...now, observed: { externalID: 'vol-0a1b2c3d4e5f6' } }),
      'InSync',
      true,
    ],
    [
      'in which nothing was ever applied',
      (_, now) => ({ ...now, applied: {} }),
      'ImmutableFieldChanged',
      true,
    ],
  ];
  test.each(statuses)(
    'a status %s: nothing is destroyed, nothing is made twice',
    async (_, of, reason, isDestroyed) => {
      const { disks, object } = await started();
      await at.patch(key, { spec: { mountOptions: { fsType: 'xfs' } } });
      await at.ready(key);
      const { effects } = await at.services.scheduler.counters();
      const before = await found();
      await restored({ ...before, status: of(object.status, before.status) });
      await at.annotate(key, { 'holdfast.dev/reconcile': 'now' });
      await eventually(
        'it was looked at',
        async () => {
          const { handledRequests } = (await found()).status;
          return JSON.stringify(handledRequests ?? {}).includes('now');
        },
        { withinMs },
      );
      await at.reason(key, reason);
      expect(await at.services.held()).toEqual({ volumes: ['data'], disks });
      expect((await at.services.scheduler.counters()).effects).toBe(effects);
      await at.delete(key);
      await at.gone(key);
      expect((await at.services.held()).disks).toEqual(isDestroyed ? [] : disks);
    },
  );

  test('a finalizer that was removed by hand is put back, and then the object goes as any other', async () => {
    const { disks } = await started();
    await at.patch(key, { metadata: { finalizers: null } });
    await eventually('it is held again', async () => (await found()).metadata.finalizers !== undefined, {
      withinMs,
    });
    await at.delete(key);
    await at.gone(key);
    expect((await at.services.held()).disks).toEqual([]);
    expect(disks).toHaveLength(1);
  });

  test('one that loses the label by which it is chosen is let be, also while it is deleted, and goes once it has it again', async () => {
    await at.patch('SchedulerConnection/main', label('shop'));
    const process = await at.start('--selector', 'team=shop');
    await at.apply(volume('data', { deletionPolicy: 'Delete' }), volume('other'));
    await at.patch(key, label('shop'));
    await at.ready(key);
    const before = await at.services.held();
    expect(before.volumes).toEqual(['data']); // nobody chose the other
    await at.patch(key, label(null));
    await at.delete(key);
    await at.patch('CSIVolume/shop/other', label('shop'));
    await at.ready('CSIVolume/shop/other');
    expect((await at.services.held()).disks).toEqual(expect.arrayContaining([...before.disks]));
    expect((await found()).metadata.finalizers).toBeDefined();
    await at.patch(key, label('shop'));
    await at.gone(key);
    expect((await at.services.held()).volumes).toEqual(['other']);
    expect((await process.stop()).code).toBe(0);
  });

  test('a copy with status, finalizer and intent, as some backups bring back, owns nothing: its deletion destroyed the disk', async () => {
    const { process, disks, object } = await started();
    await process.stop();
    await at.patch(key, { metadata: { finalizers: null } });
    await at.delete(key);
    await at.gone(key);
    const { name, namespace, annotations, finalizers } = object.metadata;
    const copy = { ...object, metadata: { name, namespace, annotations, finalizers } };
    await kubectl(cluster, ['create', '-f', '-'], JSON.stringify(copy));
    await restored(copy);
    await at.start();
    await at.reason(key, 'AdoptionRefused');
    await at.delete(key);
    await at.gone(key);
    expect(await at.services.held()).toEqual({ volumes: ['data'], disks });
  });

  test('one that an older definition let in says where its error is, disturbs no other, and can be deleted', async () => {
    const { process, disks, object } = await started();
    await process.stop();
    const takes = (capabilities: string) =>
      at.patch(key, { spec: { capabilities } }).then(
        () => true,
        () => false,
      );
    await kubectl(cluster, ['replace', '-f', '-'], looser());
    await eventually('the older definition is used', () => takes('many'), { withinMs });
    await kubectl(cluster, ['replace', '-f', definition]); // which also judges each later write of the object
    await eventually('the definition of today is used', async () => !(await takes(randomUUID())), {
      withinMs,
    });
    await at.start();
    const { message } = await at.reason(key, 'InvalidSpec', 'Stalled');
    expect(message).toContain('capabilities');

    const { externalRef } = object.status;
    await at.apply(
      volume('twin', {
        externalName: externalRef?.['id'],
        deletionPolicy: 'Delete',
        adoptionPolicy: 'Adopt',
      }),
      volume('other'),
    );
    await at.ready('CSIVolume/shop/other');
    await at.reason('CSIVolume/shop/twin', 'ExternalNameConflict');
    await at.delete('CSIVolume/shop/twin');
    await at.gone('CSIVolume/shop/twin');
    expect((await at.services.held()).disks).toEqual(expect.arrayContaining([...disks]));

    // What it asked to be done with its disk is not known: it takes a person's word, and the disk stays.
    await at.delete(key);
    await at.annotate(key, { 'holdfast.dev/force-orphan': 'its capabilities are nonsense' });
    await at.gone(key);
    expect((await at.services.held()).disks).toEqual(expect.arrayContaining([...disks]));
  });
});
