// What is told of a snapshot: to people, to volumes that are made from it, and to the engine.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { connectionTo } from '../../api/servers.ts';
import { outlineOf } from '../outline.ts';
import { observe, opened, type Around } from './observe.ts';
import { answered, declared, existing, named, ofVolume, own, recorded, told } from './situation.ts';

const readiness = async (around: Around) => {
  const { conditions, unready } = (await observe(around)).seen.report();
  const [{ type, status, reason, message } = {}, ...more] = conditions;
  expect([type ?? 'SnapshotReady', more]).toEqual(['SnapshotReady', []]);
  return { status, reason, message, unready };
};

const at = (spec: Spec) => [opened(spec).externalName, opened(spec).locate(connectionTo([]), new Map())];

const ofAnother = 'snap-1 is of the disk vol-2, and orders was recorded on vol-1 when it was taken';

describe('what is told', () => {
  test('is what people ask for', async () => {
    expect((await observe()).seen.report().observed).toStrictEqual({
      id: 'snap-1',
      pluginID: 'ebs',
      volumeID: 'orders',
      sizeBytes: 1_024,
      externalVolumeID: 'vol-1',
      takenAt: '2023-11-14T22:13:20.000Z',
    });
  });

  test('is as much as is known', async () => {
    const { own: _own, ...unowned } = recorded;
    const bare = {
      ID: 'snap-1',
      IsReady: true,
      SizeBytes: null,
      ExternalSourceVolumeID: null,
      CreateTime: 1e18,
    };
    const { seen } = await observe({ spec: named, memory: unowned, listed: [bare] });
    expect(seen.report().observed).toStrictEqual({ id: 'snap-1', pluginID: 'ebs' });
    expect((await observe({ listed: 'incapable' })).seen.report().observed).toStrictEqual({
      id: 'snap-1',
      pluginID: 'ebs',
      volumeID: 'orders',
      takenAt: '2023-11-14T22:13:20.000Z',
    });
    expect((await observe({ listed: [] })).seen.report().observed).toStrictEqual({});
    const unadopted = await observe({ spec: named, memory: noStatus, listed: 'incapable' });
    expect(unadopted.seen.report()).toEqual({ observed: {}, conditions: [] });
  });

  test.for<{ why: string; around: Around; expect: object }>([
    {
      why: 'ready',
      around: {},
      expect: { status: 'True', reason: 'ReadyToUse', message: '', unready: undefined },
    },
    {
      why: 'worked on',
      around: { listed: [{ ...existing, IsReady: false }] },
      expect: {
        status: 'False',
        reason: 'SnapshotNotReady',
        message: 'the plugin still works on snap-1',
        unready: { reason: 'SnapshotNotReady', message: 'the plugin still works on snap-1' },
      },
    },
    {
      why: 'of a disk that somebody else registered, as it is listed',
      around: { listed: [{ ...existing, ExternalSourceVolumeID: 'vol-2' }] },
      expect: { status: 'True', unready: { reason: 'VolumeReplaced', message: ofAnother } },
    },
    {
      why: 'of a disk that somebody else registered, as its create told',
      around: { listed: 'incapable', memory: { ...recorded, own: { ...own, source: 'vol-2' } } },
      expect: { status: 'True', unready: { reason: 'VolumeReplaced', message: ofAnother } },
    },
    {
      why: 'of the recorded disk by the word of its create, and listed with another spelling of it',
      around: {
        listed: [{ ...existing, ExternalSourceVolumeID: 'projects/p/disks/vol-1' }],
        memory: { ...recorded, own: { ...own, source: 'vol-1' } },
      },
      expect: { status: 'True', reason: 'ReadyToUse', unready: undefined },
    },
    { why: 'gone', around: { listed: [] }, expect: { status: undefined, unready: undefined } },
    {
      why: 'gone before it was ready',
      around: { listed: [], memory: answered },
      expect: { status: undefined, unready: undefined },
    },
    {
      why: 'not ours',
      around: { spec: named, memory: noStatus },
      expect: { status: 'True', reason: 'ReadyToUse' },
    },
    {
      why: 'not listed, and told to be ready',
      around: { listed: 'incapable' },
      expect: {
        status: 'True',
        reason: 'ReadyToUse',
        message: 'as it was told when it was taken',
        unready: undefined,
      },
    },
    {
      why: 'not listed, and not ready when it was taken',
      around: { listed: 'incapable', memory: answered },
      expect: {
        status: 'Unknown',
        reason: 'SnapshotsNotListed',
        message:
          'snap-1 was not ready when it was taken, and ebs lists no snapshots (it lacks LIST_SNAPSHOTS)',
        unready: {
          reason: 'SnapshotNotReady',
          message:
            'snap-1 was not ready when it was taken, and ebs lists no snapshots (it lacks LIST_SNAPSHOTS)',
        },
      },
    },
  ])('$why', async ({ around, expect: outcome }) => {
    expect(await readiness(around)).toMatchObject(outcome);
  });

  test('one that is only observed is not ready before it can be used', async () => {
    const spec: Spec = { ...named, managementPolicy: 'ObserveOnly' };
    const { plan, seen } = await observe({
      spec,
      memory: noStatus,
      listed: [{ ...existing, IsReady: false }],
    });
    expect(outlineOf(plan)).toBe('in-sync');
    expect(seen.report().unready).toMatchObject({ reason: 'SnapshotNotReady' });
  });

  test('is what a volume needs that is made from it', () => {
    expect(opened(declared).outputs(recorded)).toEqual({ snapshotID: 'snap-1', pluginID: 'ebs' });
    // Only observed: nothing is recorded.
    expect(opened(named).outputs(noStatus)).toEqual({ snapshotID: 'snap-1', pluginID: 'ebs' });
    // For a dry run.
    expect(opened(declared).outputs(noStatus)).toEqual({ snapshotID: 'yet to be taken', pluginID: '' });
    // What was recorded can't be read: the volume would start empty.
    const damaged = { ...recorded, own: { id: 5 } };
    expect(opened(declared).outputs(damaged)).toEqual({ snapshotID: '', pluginID: '' });
  });
});

const toldOf = (source: string) => ({ ...answered, own: { ...told, source } });
const listedOf = (source: string) => [{ ...existing, ExternalSourceVolumeID: source }];
const recordedOf = async (around: Around) => (await observe(around)).seen.afterRest({ applied: {} }).own;

test('what its create told of its disk stays recorded once it is listed, and counts before the list', async () => {
  const spelled = { listed: listedOf('projects/p/disks/vol-1'), memory: toldOf('vol-1') };
  expect(await recordedOf(spelled)).toMatchObject({ disk: 'vol-1', source: 'vol-1' });
  expect(await recordedOf({ listed: listedOf('vol-1'), memory: answered })).not.toHaveProperty('source');
  const another = await readiness({ listed: listedOf('vol-1'), memory: toldOf('vol-2') });
  expect(another.unready).toEqual({ reason: 'VolumeReplaced', message: ofAnother });
});

test('its data are known by snapshot and plugin, so that two objects never have the same', () => {
  expect(csiSnapshot.data(recorded)).toEqual(['snapshot snap-1 of ebs']);
  expect(csiSnapshot.data(noStatus)).toEqual([]);
  for (const damage of [
    { id: '' },
    { pluginID: '' },
    { ready: 1 },
    { id: 'x'.repeat(1_025) },
    { takenAt: '' },
  ])
    expect(csiSnapshot.data({ ...recorded, own: { ...own, ...damage } })).toEqual([]);
});

describe('where it is', () => {
  const place = { backend: 'b1', namespace: 'default' };

  test.for<{ spec: Spec; name: string; snapshot: string }>([
    { spec: declared, name: 'nightly', snapshot: 'shop/nightly' },
    { spec: { ...declared, externalName: 'other' }, name: 'other', snapshot: 'shop/other' },
    // Access is given by the name of what is read.
    { spec: ofVolume, name: 'legacy', snapshot: 'shop/nightly' },
    { spec: { ...ofVolume, externalName: 'mine' }, name: 'legacy', snapshot: 'shop/mine' },
    { spec: named, name: 'snap-1', snapshot: 'ebs/snap-1' },
    { spec: { ...named, externalName: 'mine' }, name: 'snap-1', snapshot: 'ebs/snap-1' },
  ])('$snapshot, to be allowed as $name', ({ spec, name, snapshot }) => {
    expect(at(spec)).toEqual([name, { ...place, snapshot }]);
  });
});

test('it is kept unless somebody says otherwise', () => {
  expect(opened(declared).policy).toMatchObject({ deletion: 'Retain', adoption: 'Fail' });
  expect(opened(declared, { deletion: 'Delete' }).policy.deletion).toBe('Delete');
  expect(opened({ ...declared, deletionPolicy: 'Retain' }, { deletion: 'Delete' }).policy.deletion).toBe(
    'Retain',
  );
});

test('it is found through its connection, and is no volume', () => {
  expect(opened(declared).references.map(({ field }) => field)).toEqual(['/connectionRef', '/volumeRef']);
  expect(csiSnapshot.connectionField).toBe('/connectionRef');
  expect(csiSnapshot.external({ backend: 'b1' })).toEqual({ type: 'scheduler/snapshot', backend: 'b1' });
});
