// What is read of a volume, and what is sent of it: a field that is misread looks like an edit, and some edits replace.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { have, needsReplacement, want } from '../../../src/kinds/csi-volume/body.ts';
import { diskOf } from '../../../src/kinds/csi-volume/disk.ts';
import {
  declared,
  existing,
  firstStep,
  gib,
  planned,
  recorded,
  sent,
  writer,
  type Given,
} from './situation.ts';

const read = (volume: Partial<typeof existing>) => have({ volume: { ...existing, ...volume } });

describe('what is read of a volume', () => {
  const basics = {
    '/pluginID': 'ebs',
    '/capabilities': [writer],
    '/create/capacity/min': 10 * gib,
    '/create/capacity/max': 0,
    '/register/externalID': 'vol-1',
  };

  test('is what the service says', () => {
    expect(read({})).toStrictEqual(basics);
    expect(
      read({
        Parameters: { type: 'gp3' },
        MountOptions: { FsType: 'ext4' },
        RequestedTopologies: { Required: [{ zone: 'a' }], Preferred: [] },
        RequestedCapacityMax: 20 * gib,
      }),
    ).toStrictEqual({
      ...basics,
      '/create/capacity/max': 20 * gib,
      '/create/parameters': { type: 'gp3' },
      '/mountOptions/fsType': 'ext4',
      '/topology/required': [{ zone: 'a' }],
    });
  });

  test('and nothing that some servers leave out: it is then as it was last written', () => {
    const { RequestedCapacityMax: _max, Capacity: _capacity, MountOptions: _options, ...silent } = existing;
    const { '/create/capacity/min': _min, '/create/capacity/max': __max, ...rest } = basics;
    expect(have({ volume: { ...silent, MountOptions: null, Parameters: {} } })).toStrictEqual(rest);
    expect(have({ volume: { ...silent, Capacity: 0 } })).toStrictEqual(rest);
    expect(have({ volume: silent })).toStrictEqual(rest);
    const unclaimable = { ...silent, RequestedCapabilities: null };
    expect(have({ volume: unclaimable })).toStrictEqual({ ...rest, '/capabilities': [] });
  });
});

const needs = (spec: Partial<typeof declared>): boolean =>
  needsReplacement({ ...declared, ...spec }, recorded, existing);

describe('whether only another volume can have what is declared', () => {
  test('is so for a plugin, and not for what can be changed in place', () => {
    expect(needs({})).toBe(false);
    expect(needs({ pluginID: 'nfs' })).toBe(true);
    expect(needs({ create: { capacity: { min: '20Gi' } } })).toBe(false);
    expect(needs({ pluginID: 'nfs', create: { capacity: { min: '20Gi' } } })).toBe(true);
  });

  test('also where what was written is not shown: it differs from the record of it', () => {
    const zone = { topology: { required: [{ zone: 'b' }] } };
    const memory = { ...recorded, applied: { ...recorded.applied, '/topology/required': [{ zone: 'a' }] } };
    expect(needsReplacement({ ...declared, ...zone }, memory, existing)).toBe(true);
  });
});

describe('what is sent', () => {
  const nothing: Given = { volume: 'absent', memory: noStatus };
  const target = { namespace: 'default', id: 'data' };

  test('of where it is to be is what is declared of it, and an empty list where nothing is', () => {
    const required = [{ zone: 'a' }];
    expect(sent({ ...nothing, spec: { topology: { required } } })).toMatchObject({
      Topologies: [{ zone: 'a' }],
      RequestedTopologies: { Required: [{ zone: 'a' }], Preferred: [] },
    });
    const preferred = [{ zone: 'b' }];
    expect(sent({ ...nothing, spec: { topology: { preferred } } })).toMatchObject({
      Topologies: [],
      RequestedTopologies: { Required: [], Preferred: [{ zone: 'b' }] },
    });
  });

  test('registers a disk that is there, under the volume’s ID; a create that is not answered is told by its name', () => {
    expect(firstStep({ ...nothing, register: 'vol-9' })).toMatchObject({
      verb: 'create',
      summary: 'register vol-9',
      effect: { port: 'scheduler', op: 'volume.register', params: target },
      attempt: 'create',
      intent: { op: 'create', evidence: { name: 'data-n0nce001' } },
    });
  });

  test('brings back a disk as it was where the spec says nothing', () => {
    const disk = diskOf({ ...existing, MountOptions: { FsType: 'xfs' }, Parameters: { type: 'gp2' } });
    const memory = { ...recorded, own: { disk } };
    const given: Given = { volume: 'absent', memory };
    expect(firstStep(given).summary).toBe('register vol-1 again');
    expect(sent(given)).toMatchObject({ MountOptions: { FsType: 'xfs' }, Parameters: { type: 'gp2' } });
    const spec = { create: { capacity: { min: '10Gi' }, parameters: { type: 'gp3' } } };
    expect(sent({ ...given, spec })).toMatchObject({ Parameters: { type: 'gp2' } });
    expect(sent({ ...given, spec, memory: recorded })).toMatchObject({ Parameters: { type: 'gp3' } });
    const plain = sent({ volume: 'absent', memory: recorded });
    expect(Object(Object(plain).MountOptions).FsType ?? 'none').toBe('none');
  });

  test('changes what is to change, names it, and repeats the rest as it is: what is left out is wiped', () => {
    const given: Given = {
      spec: { mountOptions: { fsType: 'xfs' }, create: { capacity: { min: '20Gi' } } },
      volume: { MountOptions: { FsType: 'ext4' } },
    };
    const step = firstStep(given);
    expect(step.summary).toBe('update data: /create/capacity/min, /mountOptions/fsType');
    expect(sent(given)).toMatchObject({
      ExternalID: 'vol-1',
      Name: existing.Name,
      MountOptions: { FsType: 'xfs' },
      RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
      RequestedCapacityMin: 20 * gib,
    });
    const size: Given = { spec: { create: { capacity: { min: '20Gi' } } }, volume: { MountOptions: null } };
    expect(sent(size)).toMatchObject({ RequestedCapacityMin: 20 * gib, Name: existing.Name });
  });

  test('repeats ways of claiming it that are not to be changed back as they are there', () => {
    const grows: Given = {
      spec: { create: { capacity: { min: '20Gi' } } },
      policy: { drift: { ignore: ['/capabilities'] } },
    };
    const theirs = [{ AccessMode: 'multi-node-reader-only', AttachmentMode: 'block-device' }];
    for (const there of [theirs, []])
      expect(sent({ ...grows, volume: { RequestedCapabilities: there } })).toMatchObject({
        RequestedCapabilities: there,
        RequestedCapacityMin: 20 * gib,
      });
    expect(sent({ ...grows, volume: { RequestedCapabilities: null } })).toMatchObject({
      RequestedCapabilities: [],
    });
  });

  test('half of an update, where registering again does not update, is to deregister; a size can’t change there', () => {
    const options: Given = {
      upsert: false,
      spec: { mountOptions: { fsType: 'xfs' } },
      volume: { MountOptions: { FsType: 'ext4' } },
    };
    expect(firstStep(options)).toMatchObject({
      verb: 'update',
      summary: 'deregister data, to register it with its changes',
      effect: { port: 'scheduler', op: 'volume.deregister', params: target },
      intent: { op: 'update', token: '/mountOptions/fsType' },
    });
    expect(planned({ upsert: false, spec: { create: { capacity: { min: '20Gi' } } } })).toMatchObject({
      verdict: 'blocked',
      reason: 'ImmutableFieldChanged',
      message: "/create/capacity: this scheduler can't change the size of a volume",
    });
  });

  test('the other half registers no file system that was just let go of, and keeps one that was not', () => {
    const disk = { ...diskOf(existing), fsType: 'ext4' };
    const after = (token: string): Given => ({
      upsert: false,
      volume: 'absent',
      memory: { ...recorded, own: { disk }, pending: { op: 'update', token } },
    });
    expect(sent(after('/secrets,/mountOptions/fsType'))).toHaveProperty('MountOptions', {});
    expect(sent(after('/secrets'))).toMatchObject({ MountOptions: { FsType: 'ext4' } });
  });
});

const wanted = (create: object) =>
  want({ ...declared, create: { capacity: { min: '10Gi' }, ...create } }, new Map());

test('what a volume was made from is remembered, or a later edit of it would go unnoticed', () => {
  expect(wanted({ snapshotID: 's1' })).toHaveProperty(['/create/snapshotID'], 's1');
  expect(wanted({ snapshotRef: { name: 'nightly' } })).toHaveProperty(['/create/snapshotRef'], {
    name: 'nightly',
  });
  expect(Object.keys(wanted({})).filter((path) => path.includes('snapshot'))).toEqual([]);
});
