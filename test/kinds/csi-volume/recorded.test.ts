// What is recorded and told of a volume that was seen: what is forgotten here is never destroyed, or never brought back.
import { describe, expect, test } from 'vitest';
import { DiskNotes } from '../../../src/api/scheduler/disks.ts';
import type { VolumeRead } from '../../../src/api/scheduler/wire.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { diskOf, type Own } from '../../../src/kinds/csi-volume/disk.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { volumeVersion } from '../../../src/schema/scheduler/volume-version.ts';
import { connectionTo } from '../../api/servers.ts';
import { after, id as retiredID, previous } from './going.ts';
import { observe, replaces, type Around } from './observe.ts';
import { allocation, claimedBy, declared, existing, key, recorded } from './situation.ts';

const opened = (spec: object) => csiVolume.open({ key, spec: { ...declared, ...spec }, requests: {} }, {});

const ownedBy = (own: Own) => csiVolume.data({ ...noStatus, own });

test('what the engine goes by: whose names may collide, what may be asked, and what others do behind its back', () => {
  expect(csiVolume.external({ backend: 'x' })).toEqual({ backend: 'x', type: 'scheduler/volume' });
  expect(csiVolume.requests).toEqual([
    { name: 'force-release', help: expect.stringMatching(/^release claims/) },
  ]);
  const deletion = { method: 'DELETE', path: 'volume/csi/a%2Fb' };
  expect(csiVolume.interference?.({ backend: 'x', id: 'a/b' })).toEqual(deletion);
});

test('a disk is its own from its declaration on: until it is registered, nobody else may destroy it', () => {
  const { create: _, ...registered } = declared;
  const spec = { ...registered, register: { externalID: 'vol-28d1' } };
  expect(csiVolume.open({ key, spec, requests: {} }, {}).declaredData(noStatus)).toEqual([
    { name: 'vol-28d1' },
  ]);
  expect(opened({}).declaredData(noStatus)).toEqual([]);
});

test('the snapshot that it starts from is named until its disk is made: nobody may destroy that meanwhile', () => {
  const spec = { create: { capacity: { min: '1Gi' }, snapshotID: 'snap-1' } };
  const named = [{ name: 'snapshot snap-1 of ebs', ifAllowed: true }];
  expect(opened(spec).declaredData(noStatus)).toEqual(named);
  expect(opened(spec).declaredData({ ...recorded, own: { previous } })).toEqual(named);
  expect(opened(spec).declaredData(recorded)).toEqual([]);
  expect(opened({ ...spec, managementPolicy: 'ObserveOnly' }).declaredData(noStatus)).toEqual([]);
});

test('access has to give the disk that it registers and the snapshot that it starts from, beside its name', () => {
  const { create: _, ...registered } = declared;
  const ofDisk = { ...registered, register: { externalID: 'vol-28d1' } };
  expect(csiVolume.open({ key, spec: ofDisk, requests: {} }, {}).reaches).toEqual(['vol-28d1']);
  expect(opened({ create: { capacity: { min: '1Gi' }, snapshotID: 'snap-1' } }).reaches).toEqual(['snap-1']);
  expect(opened({}).reaches).toEqual([]);
});

test('what has a disk to destroy, or to bring back, is half removed', () => {
  expect(csiVolume.isHalfRemoved({ ...recorded, own: { previous } })).toBe(true);
  expect(csiVolume.isHalfRemoved(recorded)).toBe(false);
  expect(csiVolume.isHalfRemoved(noStatus)).toBe(false);
});

describe('what is recorded', () => {
  const other: VolumeRead = { ...existing, ExternalID: 'vol-2', PluginID: 'nfs', CreateIndex: 9 };
  const disk = diskOf(other);
  const ownAfter = async (own: Own, more: Around = {}, pending?: Status<Own>['pending']) => {
    const memory = { ...recorded, identity: 'vol-2 9', own, ...(pending && { pending }) };
    const { seen } = await observe({ volumes: { data: other }, memory, ...more });
    return seen.afterRest({ applied: {} }).own;
  };
  const deletes: Around = { spec: { deletionPolicy: 'Delete' } };

  test('is the disk as it was seen, and where nothing is seen, what was known', async () => {
    expect(await ownAfter({})).toEqual({ disk });
    expect(await ownAfter({ disk, restored: true })).toEqual({ disk });
    const { seen } = await observe({ memory: noStatus });
    expect(seen.afterRest({ applied: {} }).own).toEqual({ disk: diskOf(existing) });
    expect(await ownAfter({ disk: diskOf(existing) }, { volumes: {} })).toEqual({ disk: diskOf(existing) });
  });

  test('is a disk that is still to be destroyed: forgotten, it would stay for ever', async () => {
    expect(await ownAfter({ previous }, deletes)).toEqual({ disk, previous });
  });

  test('is not one that is to be kept, is back in its place, or is destroyed', async () => {
    const { retired: _, ...kept } = previous;
    expect(await ownAfter({ previous: kept }, deletes)).toEqual({ disk });
    expect(await ownAfter({ previous })).toEqual({ disk });
    const half = { ...previous, kept: true } as const;
    expect(await ownAfter({ previous: half }, deletes)).toEqual({ disk });
    const registered = { volumes: { data: other, [retiredID]: { ...existing, ID: retiredID } } };
    expect(await ownAfter({ previous: half }, { ...deletes, ...registered })).toEqual({
      disk,
      previous: half,
    });
    const back = { ...deletes, volumes: { data: existing } };
    expect(await ownAfter({ previous }, back)).toEqual({ disk: diskOf(existing) });
    const destroyed = { op: 'destroy-previous', token: retiredID, done: true } as const;
    expect(await ownAfter({ previous }, deletes, destroyed)).toEqual({ disk });
  });

  test('is kept where it was half gone in an earlier state, the disk may be of before, and all else stays', () => {
    const half = { ...noStatus, own: { disk, previous, refused: { wanted: 'x', why: 'y' } } };
    const kept = { ...previous, kept: true };
    expect(csiVolume.keep(half)).toStrictEqual({
      ...half,
      own: { ...half.own, previous: kept, restored: true },
    });
    const whole = { ...noStatus, own: { disk } };
    expect(csiVolume.keep(whole)).toStrictEqual({ ...whole, own: { disk, restored: true } });
    expect(csiVolume.keep(noStatus)).toBe(noStatus);
  });

  test('is a refused replacement, until another is declared', async () => {
    const failed = after('replace', { tries: { create: 1 }, refusal: 'no quota' });
    const around = { spec: replaces, memory: failed, volumes: {} };
    const { plan } = await observe(around);
    const step = plan.verdict === 'change' ? plan.steps[0] : undefined;
    const { refused } = Object(step?.own);
    expect(refused).toMatchObject({ why: 'no quota' });
    expect(await ownAfter({ refused }, { spec: replaces })).toEqual({ disk, refused });
    expect(await ownAfter({ refused }, { spec: { ...replaces, pluginID: 'zfs' } })).toEqual({ disk });
  });

  test('names the disks that are its own, so that no other object may destroy them', () => {
    const before = { ...previous, disk };
    expect(ownedBy({ disk: diskOf(existing), previous: before })).toEqual(['vol-1', 'vol-2']);
    expect([ownedBy({ previous: before }), ownedBy({}), csiVolume.data(noStatus)]).toEqual([
      ['vol-2'],
      [],
      [],
    ]);
  });
});

const reported = async (volume: Partial<VolumeRead>) =>
  (await observe({ volumes: { data: { ...existing, ...volume } } })).seen.report();

const told = async (around: Around) => Object((await observe(around)).seen.report()).version;

describe('what is told of a volume', () => {
  test('is where it is, what it is, and who claims it', async () => {
    expect(await reported(claimedBy(allocation('a1')))).toMatchObject({
      index: 7,
      observed: {
        id: 'data',
        namespace: 'default',
        externalID: 'vol-1',
        pluginID: 'ebs',
        capacity: existing.Capacity,
        claims: ['a1'],
      },
    });
    const many = Array.from({ length: 25 }, (_, at) => allocation(`a${at + 10}`));
    expect(Object((await reported(claimedBy(...many))).observed).claims).toHaveLength(20);
    const { Capacity: _capacity, ...sizeless } = existing;
    expect((await observe({ volumes: { data: sizeless } })).seen.report().observed).toMatchObject({
      capacity: 0,
    });
    expect((await observe({ volumes: {} })).seen.report()).toEqual({ observed: {}, conditions: [] });
  });

  test('is the version by which a list alone tells that it is unchanged, where a list tells all of it', async () => {
    const version = volumeVersion(existing);
    expect(await told({})).toBe(version);
    expect(await told({ memory: { ...recorded, own: { previous } } })).toBeUndefined();
    const disks = new DiskNotes();
    disks.note('ebs', new Map([['vol-1', 'bad blocks']]));
    expect(await told({ disks })).toBeUndefined();
    expect(await told({ disks, memory: { ...recorded, own: { previous } } })).toBeUndefined();
  });

  test.for<{ why: string; volume: Partial<VolumeRead>; status: string; reason: string; message: string }>([
    {
      why: 'of its nodes',
      volume: { NodesHealthy: 1, NodesExpected: 2 },
      status: 'True',
      reason: 'PluginHealthy',
      message: 'plugin ebs: nodes 1/2 healthy',
    },
    {
      why: 'and of its controllers, where it has some',
      volume: { ControllerRequired: true, ControllersHealthy: 3, ControllersExpected: 4, Schedulable: false },
      status: 'False',
      reason: 'PluginUnhealthy',
      message: 'plugin ebs: controllers 3/4, nodes 0/0 healthy',
    },
    {
      why: 'as far as it is told',
      volume: { ControllerRequired: true },
      status: 'True',
      reason: 'PluginHealthy',
      message: 'plugin ebs: controllers 0/0, nodes 0/0 healthy',
    },
  ])('is the health of its plugin $why', async ({ volume, status, reason, message }) => {
    const { conditions } = await reported(volume);
    expect(conditions).toEqual([{ type: 'Schedulable', status, reason, message }]);
  });

  test('is what others get who refer to it', () => {
    const place = { backend: 'b1', namespace: 'default' };
    const ofPlugin = { pluginID: 'ebs' };
    expect(opened({}).outputs(recorded)).toEqual({
      volumeID: 'data',
      externalID: 'vol-1',
      ...ofPlugin,
      ...place,
    });
    for (const memory of [noStatus, { ...noStatus, own: {} }, { ...noStatus, observed: { id: 5 } }])
      expect(opened({}).outputs(memory)).toEqual({ volumeID: '', externalID: '', ...ofPlugin });
  });

  test('is told of one that is only observed, too: a snapshot can be taken of it', () => {
    const observed = { ...noStatus, observed: { id: 'data' } };
    expect(opened({ managementPolicy: 'ObserveOnly' }).outputs(observed)).toMatchObject({ volumeID: 'data' });
  });
});

describe('a snapshot can be taken of it while an edit of it waits', () => {
  const seen: Status<Own> = { ...recorded, observed: { externalID: 'vol-1' } };
  const { externalRef: _, ...ofNobody } = seen;
  const pending = (op: string) => ({ ...seen, pending: { op, token: '', done: true as const } });

  test('which is told under the plugin that it is of: the declared one may wait for a replacement', () => {
    expect(csiVolume.isPresent(seen)).toBe(true);
    expect(opened({ pluginID: 'nfs' }).outputs(seen)).toMatchObject({ pluginID: 'ebs' });
  });

  test('also while the disk that it had before could not be destroyed yet', () => {
    expect(csiVolume.isPresent(pending('retire-previous'))).toBe(true);
    expect(csiVolume.isPresent(pending('destroy-previous'))).toBe(true);
    expect(csiVolume.isPresent({ ...seen, own: { ...seen.own, previous } })).toBe(true);
  });

  test('also after it was registered again, where an edit still waits', () => {
    expect(csiVolume.isPresent(pending('revive'))).toBe(true);
    expect(csiVolume.isPresent({ ...seen, pending: { op: 'revive', token: '' } })).toBe(false);
  });

  test.for<{ why: string; memory: Status<Own> }>([
    { why: 'let go of its disk', memory: { ...seen, own: { previous } } },
    ...['replace', 'create', 'delete', 'retire', 'destroy', 'update'].map((op) => ({
      why: `may be without its disk, after an intent to ${op}`,
      memory: pending(op),
    })),
  ])('not if it $why', ({ memory }) => {
    expect(csiVolume.isPresent(memory)).toBe(false);
  });

  test.for<{ why: string; memory: Status<Own> }>([
    { why: 'was never made, or is only observed', memory: noStatus },
    { why: 'is of somebody else', memory: ofNobody },
    { why: 'was seen absent', memory: { ...seen, observed: {} } },
    { why: 'was not seen yet', memory: recorded },
    { why: 'has another disk', memory: { ...seen, observed: { externalID: 'vol-9' } } },
    ...['replace', 'delete'].map((op) => ({
      why: `was to ${op} its disk, without an answer`,
      memory: { ...seen, pending: { op, token: '' } },
    })),
  ])('only if it is Ready, where it $why', ({ memory }) => {
    expect(csiVolume.isPresent(memory)).toBeUndefined();
  });
});

const named = (spec: object) => [opened(spec).externalName, opened(spec).locate(connectionTo([]), new Map())];

test('a volume is where its declaration says, by its own name where it says nothing', () => {
  expect(named({})).toEqual(['data', { backend: 'b1', namespace: 'default', id: 'data' }]);
  expect(named({ externalName: 'legacy' })).toEqual([
    'legacy',
    { backend: 'b1', namespace: 'default', id: 'legacy' },
  ]);
});

test('a volume waits for its connection and its Secrets', () => {
  const { references } = opened({ secrets: { user: { name: 'csi', key: 'user' } } });
  expect(references.map(({ field }) => field)).toEqual(['/connectionRef', '/secrets/user']);
  expect(csiVolume.connectionField).toBe('/connectionRef');
});
