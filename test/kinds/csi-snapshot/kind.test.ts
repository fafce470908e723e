// CSISnapshot on the embedded scheduler, in both dialects: whole journeys, and what is lost on the way.
import { describe, expect, onTestFinished, test } from 'vitest';
import { schedulerDialects, type SchedulerDialectName } from '../../../src/api/dialects.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { client as clientOf, connectionTo, never } from '../../api/servers.ts';
import { create, running } from '../../embedded/scheduler/running.ts';
import { Driven, type Service } from '../driven.ts';
import { declared, key, named, own, ready, volume } from './situation.ts';

const path = '/v1/volumes/snapshot';
const dialectNames = Object.keys(schedulerDialects).filter((name): name is SchedulerDialectName =>
  Object.hasOwn(schedulerDialects, name),
);
const deletes: Spec = { ...declared, deletionPolicy: 'Delete' };

const data = (spec: Spec) => csiSnapshot.open({ key, spec, requests: {} }, {}).declaredData(noStatus);

test('a snapshot is its own from its declaration on, if it may be, under the name that its owner knows it by', () => {
  const [name] = csiSnapshot.data({ ...noStatus, own });
  expect(data(named)).toEqual([{ name, ifAllowed: true }]);
  expect(data(declared)).toEqual([]);
});

/** With a volume to take a snapshot of. */
async function started(dialect: SchedulerDialectName, spec: Spec, plugin: object = {}) {
  const here = await running({ dialect });
  onTestFinished(() => here.stop());
  await here.client.put('/setup/plugins/hostpath', { SnapshotReadyMs: 0, ...plugin });
  expect((await create(here.client, 'orders')).status).toBe(200);
  const { ExternalID: externalID } = (await here.client.get('/v1/volume/csi/orders')).json();
  const resolved = () => new Map([['/volumeRef', ready({ ...volume, externalID, pluginID: 'hostpath' })]]);
  const scheduler = clientOf([here.server.url], { dialect });
  const performed: string[] = [];
  const service: Service = {
    reader: scheduler,
    perform(effect) {
      if (effect.port !== 'scheduler') throw new Error(`${effect.op} is not expected`);
      performed.push(effect.op);
      return scheduler.perform(effect, 'a test', never);
    },
  };
  const connection = connectionTo([here.server.url], { dialect });
  const driven = new Driven({ kind: csiSnapshot, key, service, resolved, connection }, spec);
  const taken = async (): Promise<readonly { readonly id: string; readonly isReady: boolean }[]> =>
    (await here.client.get('/setup/snapshots')).json().filter(({ name }: { name: string }) => name !== '');
  return { here, driven, performed, taken };
}

const inSync = { verdict: 'in-sync', drift: [] };

describe.for(dialectNames)('%s', (dialect) => {
  test('is taken once, and is in sync by its ID', async () => {
    const { here, driven, performed, taken } = await started(dialect, declared);
    for (let visit = 0; visit < 3; visit += 1) expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toEqual(['snapshot.create']);
    const [one] = await taken();
    expect(driven.memory.own).toMatchObject({
      id: one?.id,
      pluginID: 'hostpath',
      volumeID: 'orders',
      disk: (await here.client.get('/v1/volume/csi/orders')).json().ExternalID,
      ready: true,
    });
    expect(driven.memory.identity).toContain(`snapshot ${one?.id} of hostpath, `);
    expect(driven.memory.pending).toBeUndefined();
  });

  test('is waited for until it can be used', async () => {
    const { here, driven } = await started(dialect, declared, { SnapshotReadyMs: 5_000 });
    expect(await driven.visit()).toMatchObject({ verdict: 'blocked', reason: 'SnapshotNotReady' });
    expect(conditionOf(driven.memory.conditions, 'SnapshotReady')).toMatchObject({
      status: 'False',
      reason: 'SnapshotNotReady',
    });
    here.clock.advance(5_000);
    expect(await driven.visit()).toMatchObject(inSync);
    expect(conditionOf(driven.memory.conditions, 'SnapshotReady')).toMatchObject({ status: 'True' });
  });

  test.for(['lost', 'died after', 'unsent', 'died before'] as const)(
    'is taken exactly once where its create was %s',
    async (is) => {
      const { driven, taken } = await started(dialect, declared);
      await driven.visit({ step: 0, is });
      expect(await driven.visit()).toMatchObject(inSync);
      expect(await taken()).toHaveLength(1);
    },
  );

  test.for(['lost', 'died after', 'unsent', 'died before'] as const)(
    'leaves nothing where it is deleted after its create was %s',
    async (is) => {
      const { driven, taken } = await started(dialect, deletes);
      await driven.visit({ step: 0, is });
      driven.deleting = true;
      expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
      expect(await taken()).toEqual([]);
    },
  );

  test.for(['lost', 'died after', 'unsent', 'died before'] as const)(
    'is deleted where its deletion was %s',
    async (is) => {
      const { driven, taken } = await started(dialect, deletes);
      await driven.visit();
      driven.deleting = true;
      await driven.visit({ step: 0, is });
      // Driven knows no time: what may still arrive is waited for.
      const ended = await driven.visit();
      if (ended.verdict === 'gone') expect(await taken()).toEqual([]);
      else expect(ended).toMatchObject({ verdict: 'blocked', reason: 'RemovalInProgress' });
    },
  );

  test('is never taken again once somebody deleted it', async () => {
    const { here, driven, performed, taken } = await started(dialect, declared);
    await driven.visit();
    const [one] = await taken();
    await here.client.delete(`${path}?plugin_id=hostpath&snapshot_id=${one?.id}`);
    for (let visit = 0; visit < 2; visit += 1)
      expect(await driven.visit()).toMatchObject({
        verdict: 'blocked',
        reason: 'ExternalObjectLost',
        stalls: true,
      });
    expect(performed).toEqual(['snapshot.create']);
    expect(conditionOf(driven.memory.conditions, 'Stalled')).toMatchObject({ status: 'True' });
  });

  test('is deleted by its ID though no list shows it: lists may lag behind', async () => {
    const { here, driven, performed, taken } = await started(dialect, deletes);
    await driven.visit();
    const [one] = await taken();
    await here.client.delete(`${path}?plugin_id=hostpath&snapshot_id=${one?.id}`);
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
    expect(performed).toEqual(['snapshot.create', 'snapshot.delete']);
  });

  test('is not mistaken for another one that got its ID', async () => {
    const { here, driven, taken } = await started(dialect, deletes);
    await driven.visit();
    const [one] = await taken();
    await here.client.delete(`/setup/snapshots/hostpath/${one?.id}`);
    await here.client.post('/setup/snapshots', { pluginID: 'hostpath', id: one?.id, createTime: 5 });
    expect(await driven.visit()).toMatchObject({ verdict: 'blocked', reason: 'ExternalObjectLost' });
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone' });
    expect((await here.client.get('/setup/snapshots')).json()).toContainEqual(
      expect.objectContaining({ id: one?.id }),
    );
  });

  test('needs CREATE_DELETE_SNAPSHOT, and says so', async () => {
    const { driven } = await started(dialect, declared, {
      Capabilities: ['CREATE_DELETE_VOLUME', 'LIST_SNAPSHOTS'],
    });
    expect(await driven.visit()).toMatchObject({ verdict: 'failed', reason: 'PluginIncapable' });
    expect(conditionOf(driven.memory.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PluginIncapable',
      message: expect.stringContaining('it lacks CREATE_DELETE_SNAPSHOT'),
    });
  });

  test('goes by what its create told where the plugin can not list, and is deleted by its ID', async () => {
    const Capabilities = ['CREATE_DELETE_VOLUME', 'CREATE_DELETE_SNAPSHOT'];
    const { driven, taken } = await started(dialect, deletes, { Capabilities });
    expect(await driven.visit()).toMatchObject({ verdict: 'in-sync', unverified: true });
    expect(conditionOf(driven.memory.conditions, 'SnapshotReady')).toMatchObject({ status: 'True' });
    expect(conditionOf(driven.memory.conditions, 'Ready')).toMatchObject({ status: 'True' });
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
    expect(await taken()).toEqual([]);
  });

  test('is not called ready where that can not be seen', async () => {
    const Capabilities = ['CREATE_DELETE_VOLUME', 'CREATE_DELETE_SNAPSHOT'];
    const { driven } = await started(dialect, declared, { Capabilities, SnapshotReadyMs: 5_000 });
    await driven.visit();
    expect(conditionOf(driven.memory.conditions, 'SnapshotReady')).toMatchObject({
      status: 'Unknown',
      reason: 'SnapshotsNotListed',
      message: expect.stringContaining('it lacks LIST_SNAPSHOTS'),
    });
    expect(conditionOf(driven.memory.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'SnapshotNotReady',
    });
  });

  test('is found behind a thousand others, in pages', async () => {
    const { here, driven } = await started(dialect, declared, { PageMax: 100 });
    for (let at = 0; at < 1_000; at += 1)
      await here.client.post('/setup/snapshots', { pluginID: 'hostpath', id: `snap-${1_000 + at}` });
    expect(await driven.visit()).toMatchObject(inSync);
  });

  test('is adopted by its ID, and deleted then', async () => {
    const spec: Spec = { ...named, pluginID: 'hostpath', adoptionPolicy: 'Adopt', deletionPolicy: 'Delete' };
    const { here, driven, performed } = await started(dialect, spec);
    await here.client.post('/setup/snapshots', { pluginID: 'hostpath', id: 'snap-1' });
    expect(await driven.visit()).toMatchObject(inSync);
    expect(performed).toEqual([]);
    driven.deleting = true;
    expect(await driven.visit()).toMatchObject({ verdict: 'gone', removed: true });
    expect(performed).toEqual(['snapshot.delete']);
  });
});
