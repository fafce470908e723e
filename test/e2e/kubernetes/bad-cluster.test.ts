// A cluster that lacks something, or comes and goes, with the program running: what is missing is named, nothing outside is
// destroyed, and it goes on by itself.
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { secret, volume } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, withinMs } from './installed.ts';
import { house, kubectl, operator } from './objects.ts';

const hangMs = 30_000;
const roles = '/apis/rbac.authorization.k8s.io/v1';
const role = `${roles}/clusterroles/holdfast`;
const leaseRole = `${roles}/namespaces/holdfast-system/roles/holdfast-lease`;
const rule = z.looseObject({ resources: z.array(z.string()), verbs: z.array(z.string()) });
const granted = z.looseObject({ rules: z.array(rule) });

describe.skipIf(assets === undefined)('a cluster on bad days (skipped where there is none)', () => {
  let cluster: Cluster;
  let at: Installed;
  beforeAll(async () => {
    cluster = await installedCluster({ controllers: false });
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    at = await Installed.on(cluster);
  });

  const declare = async (...names: readonly string[]): Promise<void> => {
    await at.apply(...names.map((name) => volume(name, { deletionPolicy: 'Delete' })));
    await at.ready(...names.map((name) => `CSIVolume/shop/${name}`));
  };

  /** Takes a verb away until the test is over, or `undo` is called. */
  const without = async (path: string, resource: string, verb: string): Promise<() => Promise<void>> => {
    const { body } = await cluster.call('GET', path);
    const before = granted.parse(body);
    const put = async (rules: z.infer<typeof granted>['rules']) => {
      const contentType = 'application/merge-patch+json';
      const { status } = await cluster.call('PATCH', path, { body: { rules }, contentType });
      if (status !== 200) throw new Error(`${path}: ${status}`);
    };
    const undo = () => put(before.rules);
    onTestFinished(undo);
    const left = before.rules.map((one) => ({
      ...one,
      verbs: one.resources.includes(resource) ? one.verbs.filter((held) => held !== verb) : one.verbs,
    }));
    await put(left.filter(({ verbs }) => verbs.length > 0));
    return undo;
  };

  const rights: readonly (readonly [path: string, resource: string, verb: string, line: RegExp])[] = [
    [
      role,
      'csivolumes',
      'list',
      /no permission: list csivolumes of holdfast\.dev\/v1alpha1 in all namespaces/,
    ],
    [role, 'csivolumes', 'watch', /no permission: watch csivolumes/],
    [role, 'csivolumes', 'patch', /no permission: patch csivolumes/],
    [role, 'csivolumes/status', 'update', /no permission: update csivolumes\/status/],
    [role, 'secrets', 'watch', /no permission: watch secrets/],
    [
      leaseRole,
      'leases',
      'update',
      /"about":"lease holdfast-system\/holdfast","message":".*cannot update resource/,
    ],
    [
      leaseRole,
      'leases',
      'create',
      /"about":"lease holdfast-system\/holdfast","message":".*cannot create resource/,
    ],
  ];
  test.each(rights)(
    '%s without %s %s: a line says so, and with it, it goes on',
    async (path, resource, verb, line) => {
      const undo = await without(path, resource, verb);
      const process = at.run();
      await process.says(line, withinMs);
      await undo();
      await process.says(/"msg":"leading"/, withinMs);
      expect((await process.stop()).code).toBe(0);
    },
  );

  test('without events: a line says so, and all else goes on', async () => {
    await without(role, 'events', 'create');
    const process = await at.start();
    await at.connect();
    await declare('data');
    await process.says(/"about":"events","message":".*cannot create resource/, withinMs);
    expect((await at.services.held()).volumes).toEqual(['data']);
  });

  test('without Secrets: the condition says so, and with them, it goes on', async () => {
    await at.connect();
    const undo = await without(role, 'secrets', 'get');
    await at.start();
    await at.apply(
      secret('shop', 'plugin', { key: 'not-for-logs' }),
      volume('data', { secrets: { key: { name: 'plugin', key: 'key' } } }),
    );
    const { message } = await at.reason('CSIVolume/shop/data', 'DependencyNotReady');
    expect(message).toMatch(/cannot get resource .*secrets/);
    await undo();
    await at.annotate('CSIVolume/shop/data', { 'holdfast.dev/reconcile': 'now' });
    await at.ready('CSIVolume/shop/data');
  });

  test('that lets no status be written any more: the log and an event say so, and with the right, it goes on', async () => {
    const process = await at.start();
    await at.connect();
    await declare('data');
    const undo = await without(role, 'csivolumes/status', 'update');
    const asked = [
      'auth',
      'can-i',
      'update',
      'csivolumes.holdfast.dev/data',
      '--subresource=status',
      '-n',
      'shop',
    ];
    const isDenied = async () => (await cluster.kubectl(asked, { user: operator })).stdout.trim() === 'no';
    await eventually('the right is gone', isDenied);
    await at.annotate('CSIVolume/shop/data', { 'holdfast.dev/reconcile': 'now' });
    const said =
      /"about":"CSIVolume\/shop\/data","message":".*cannot update resource \\"csivolumes\/status\\"/;
    await process.says(said, withinMs);
    const events = await eventually('an event', async () => {
      const found = await kubectl(cluster, ['get', 'events', '-n', 'shop', '-o', 'json']);
      return found.includes("its record can't be written: csivolumes.status: ") && found;
    });
    expect(events).toContain('"PermissionDenied"');
    await undo();
    await process.says(/"about":"CSIVolume\/shop\/data","msg":"can be used again"/, withinMs);
    const isHandled = async () =>
      (await at.get('CSIVolume/shop/data'))?.status.handledRequests?.['reconcile'] === 'now';
    await eventually('the request is recorded as handled', isHandled);
  });

  test('that lets no finalizer be taken off any more: the condition of what leaves says so, and with the right, it goes', async () => {
    await at.start();
    await at.connect();
    await declare('data');
    const undo = await without(role, 'csivolumes', 'patch');
    const asked = ['auth', 'can-i', 'patch', 'csivolumes.holdfast.dev/data', '-n', 'shop'];
    const isDenied = async () => (await cluster.kubectl(asked, { user: operator })).stdout.trim() === 'no';
    await eventually('the right is gone', isDenied);
    await at.delete('CSIVolume/shop/data');
    const { message } = await at.reason('CSIVolume/shop/data', 'PermissionDenied', 'Stalled');
    expect(message).toMatch(/cannot patch resource .*csivolumes/);
    expect(await at.services.held()).toEqual({ volumes: [], disks: [] });
    await undo();
    await at.annotate('CSIVolume/shop/data', { 'holdfast.dev/reconcile': 'now' });
    await at.gone('CSIVolume/shop/data');
  });

  // The preflight does not ask for it: who declares no schedule does not need it, and nothing would be done meanwhile.
  test('without the right to make snapshots as objects: their schedule says so, all else goes on, and with it, it goes on', async () => {
    const undo = await without(role, 'csisnapshots', 'create');
    await at.start();
    await at.connect();
    await declare('data');
    const schedule = 'CSISnapshotSchedule/shop/nightly';
    const year = new Date().getUTCFullYear();
    await at.apply({
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'CSISnapshotSchedule',
      metadata: { namespace: 'shop', name: 'nightly' },
      spec: { connectionRef: { name: 'main' }, volumeRef: { name: 'data' }, schedule: '0 0 1 1 *' },
    });
    await at.ready(schedule);
    await at.patch(schedule, { status: { own: { handled: `${year - 1}-06-01T00:00:00Z` } } }, '/status');
    const { message } = await at.reason(schedule, 'PermissionDenied', 'Stalled');
    expect(message).toMatch(/cannot create resource .*csisnapshots/);
    await undo();
    await at.annotate(schedule, { 'holdfast.dev/reconcile': 'now' });
    await at.ready(schedule, `CSISnapshot/shop/nightly-${year}01010000`);
  });

  test('an API server that is killed and comes back: the same process goes on', async () => {
    const process = await at.start();
    await at.connect();
    await declare('one');
    await cluster.restart();
    await declare('two');
    await at.ready('CSIVolume/shop/one');
    expect((await at.services.held()).volumes).toEqual(['one', 'two']);
    expect((await process.stop()).code).toBe(0);
  });

  test('an API server that hangs: nobody acts meanwhile, and the same process goes on after that', async () => {
    const process = await at.start();
    await at.connect();
    await declare('one');
    cluster.signal('SIGSTOP');
    onTestFinished(() => cluster.signal('SIGCONT'));
    await process.says(/"leading":false/, withinMs);
    await at.services.scheduler.call('DELETE', '/v1/volume/csi/one?namespace=default&force=true');
    const { writes } = await at.services.scheduler.counters();
    await pause(hangMs - 10_000); // what is tried: the lease is lost after 10 s
    expect((await at.services.scheduler.counters()).writes).toBe(writes);
    cluster.signal('SIGCONT');
    await declare('two');
    await at.ready('CSIVolume/shop/one');
    expect((await at.services.held()).volumes).toEqual(['one', 'two']);
    expect((await process.stop()).code).toBe(0);
  });

  test('definitions that are missing at the start, and go while it runs: it waits, goes on, and destroys nothing', async () => {
    await kubectl(cluster, ['delete', '-k', join(house, 'crds')]);
    const process = at.run();
    await process.says(
      /does not serve CSIVolume of holdfast\.dev\/v1alpha1: is the CustomResourceDefinition csivolumes/,
      withinMs,
    );
    await kubectl(cluster, ['apply', '-k', join(house, 'crds')]);
    await process.says(/"msg":"leading"/, withinMs);
    await at.connect();
    await declare('one', 'two');
    const held = await at.services.held();

    await kubectl(cluster, ['delete', 'crd', 'csivolumes.holdfast.dev', '--wait=false']);
    const { message } = await at.reason('CSIVolume/shop/one', 'DeletionLimitExceeded');
    expect(message).toContain('lose all its objects');
    expect(await at.services.held()).toEqual(held);
    for (const name of ['one', 'two'])
      await at.patch(`CSIVolume/shop/${name}`, { metadata: { finalizers: null } });
    await process.says(/"about":"csivolumes","message"/, withinMs);
    await kubectl(cluster, ['apply', '-k', join(house, 'crds')]);
    await process.says(/"about":"csivolumes","msg":"can be used again"/, 60_000);
    expect(await at.services.held()).toEqual(held);
    await declare('three');
    expect((await process.stop()).code).toBe(0);
  });
});
