// What is recorded of a disk must be enough to register it again as it was, and what proves that a volume is ours must prove it
// of no other: without either, a disk is lost or somebody else's is destroyed.
import { describe, expect, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { diskOf, identityOf, parseOwn, registration, type Own } from '../../../src/kinds/csi-volume/disk.ts';
import { previous } from './going.ts';
import { existing, firstStep, gib, outline, recorded, sent, startMs, type Given } from './situation.ts';

const full = {
  ...existing,
  Parameters: { type: 'gp3' },
  RequestedTopologies: { Required: [{ zone: 'a' }], Preferred: [{ zone: 'b' }] },
  MountOptions: { FsType: 'ext4' },
  SnapshotID: 'snap-1',
};
const bare = {
  ID: 'data',
  Namespace: 'default',
  Name: 'n',
  ExternalID: 'vol-1',
  PluginID: 'ebs',
  ModifyIndex: 1,
  Schedulable: true,
};
const nothing = {
  externalID: 'vol-1',
  name: 'n',
  pluginID: 'ebs',
  capacity: 0,
  parameters: {},
  required: [],
  preferred: [],
  topologies: [],
  fsType: '',
  snapshotID: '',
  context: {},
  capabilities: [],
};

describe('what is recorded of a disk', () => {
  test('is all that it takes to register it again', () => {
    expect(diskOf(full)).toEqual({
      externalID: 'vol-1',
      name: existing.Name,
      pluginID: 'ebs',
      capacity: 10 * gib,
      parameters: { type: 'gp3' },
      required: [{ zone: 'a' }],
      preferred: [{ zone: 'b' }],
      topologies: [{ zone: 'a' }],
      fsType: 'ext4',
      snapshotID: 'snap-1',
      context: { lun: '3' },
      capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
    });
    expect(registration(diskOf(full), ['ro'], noStatus)).toEqual({
      ExternalID: 'vol-1',
      Name: existing.Name,
      PluginID: 'ebs',
      Capacity: 10 * gib,
      Context: { lun: '3' },
      Parameters: { type: 'gp3' },
      Topologies: [{ zone: 'a' }],
      RequestedTopologies: { Required: [{ zone: 'a' }], Preferred: [{ zone: 'b' }] },
      MountOptions: { FsType: 'ext4', MountFlags: ['ro'] },
      SnapshotID: 'snap-1',
    });
  });

  test('is empty where the service says nothing, and is then left out where empty would say something', () => {
    expect(diskOf(bare)).toEqual(nothing);
    expect(diskOf({ ...bare, MountOptions: null })).toEqual(nothing);
    const { required: _required, ...more } = diskOf(bare);
    const again = registration({ ...more, required: [] }, undefined, noStatus);
    expect([
      again['RequestedTopologies'],
      again['Parameters'],
      again['SnapshotID'],
      again['MountOptions'],
    ]).toEqual([undefined, undefined, undefined, { FsType: undefined, MountFlags: undefined }]);
  });

  test('says where it must be also if only one of the two lists does', () => {
    const at = [{ zone: 'a' }];
    for (const some of [{ required: at }, { preferred: at }])
      expect(registration({ ...diskOf(bare), ...some }, undefined, noStatus)).toMatchObject({
        RequestedTopologies: {
          Required: [],
          Preferred: [],
          ...('required' in some ? { Required: at } : { Preferred: at }),
        },
      });
  });
});

const registered = (remembered: Pick<Status<Own>, 'applied' | 'kept'>) =>
  registration(diskOf(bare), undefined, remembered)['RequestedTopologies'];

describe('where the disk was asked for, if the service does not say', () => {
  const [a, b] = [[{ zone: 'a' }], [{ zone: 'b' }]];
  test('is what was written, not what is declared since', () => {
    expect(registered({ applied: { '/topology/preferred': a } })).toEqual({ Required: [], Preferred: a });
    expect(registered({ applied: { '/topology/required': a, '/topology/preferred': b } })).toEqual({
      Required: a,
      Preferred: b,
    });
  });

  test('is what it keeps, because registering it again does not move it', () => {
    const applied = { '/topology/preferred': b };
    expect(registered({ applied, kept: { '/topology/preferred': a } })).toEqual({
      Required: [],
      Preferred: a,
    });
    expect(registered({ applied, kept: { '/topology/preferred': '' } })).toBeUndefined();
  });
});

test('a disk comes back in the size of before, which stays recorded: an edit of it would pass for made', () => {
  const grown: Given = { volume: 'absent', spec: { create: { capacity: { min: '30Gi', max: '40Gi' } } } };
  const { applied = {} } = firstStep(grown);
  expect(sent(grown)).toMatchObject({ RequestedCapacityMin: 10 * gib });
  expect(sent(grown)).not.toHaveProperty('RequestedCapacityMax');
  expect([applied['/create/capacity/min'], applied['/create/capacity/max']]).toEqual([10 * gib, undefined]);
});

describe('what is remembered', () => {
  const own: Own = { disk: diskOf(full), previous, refused: { wanted: 'w', why: 'no quota' } };

  test('is read as it was written', () => {
    const { retired: _, ...kept } = previous;
    const destroying = { ...previous, destroying: true };
    for (const one of [own, {}, { previous: kept }, { previous: destroying }])
      expect(parseOwn(one)).toEqual(one);
  });

  test.for<[string, unknown]>([
    ['is nothing', undefined],
    ['names no disk', { disk: { ...diskOf(full), externalID: '' } }],
    ['lacks a part of a disk', { disk: { externalID: 'vol-1' } }],
    ['names no ID under which a disk is to be destroyed', { previous: { ...previous, retired: '' } }],
    ['lacks what was let go of', { previous: {} }],
    ['lacks what was refused', { refused: {} }],
    ['lacks how it may be claimed', { disk: { ...diskOf(full), capabilities: [{}] } }],
  ])('and %s proves nothing', ([, raw]) => {
    expect(parseOwn(raw)).toBeUndefined();
  });
});

describe('a volume that nobody has seen yet is ours', () => {
  const leaves = { deleting: true, policy: { deletion: 'Delete' }, nowMs: startMs + 60_000 } as const;
  const { identity: _, ...unseen } = recorded;
  const during = (op: string, own: Own, volume: Given['volume'] & object = {}): string =>
    outline({ ...leaves, volume, memory: { ...unseen, own, pending: { op, token: '' } } });
  const disk = diskOf(existing);
  const other = { ExternalID: 'vol-9' };

  test.for(['update', 'revive'])('where its recorded disk was to be registered again (%s)', (op) => {
    expect(during(op, { disk })).toBe('delete by volume.deregister');
    expect(during(op, { disk }, other)).toBe('gone kept');
  });

  test('also where that disk had been let go of', () => {
    const { retired: __, ...kept } = previous;
    expect(during('revive', { previous: kept })).toBe('delete by volume.deregister');
    expect(during('revive', { previous: kept }, other)).toBe('gone kept');
  });

  test('but not by any other intent, nor where no disk is recorded', () => {
    expect(during('delete', { disk })).toBe('gone kept');
    expect(during('revive', {})).toBe('gone kept');
    const { own: __, ...none } = unseen;
    const memory = { ...none, pending: { op: 'revive', token: '' } };
    expect(outline({ ...leaves, memory })).toBe('gone kept');
    expect(outline({ ...leaves, memory: unseen })).toBe('gone kept');
  });

  test('where it has the name that was drawn for its create, and no other', () => {
    const pending = { op: 'create', token: '', evidence: { name: existing.Name } };
    const named = { ...leaves, memory: { ...unseen, pending } };
    expect(outline(named)).toBe('delete by volume.deregister');
    expect(outline({ ...named, volume: { Name: 'another' } })).toBe('gone kept');
    const nameless = { ...unseen, pending: { op: 'create', token: '' } };
    expect(outline({ ...leaves, memory: nameless })).toBe('gone kept');
  });
});

test('the same disk registered again is another registration: a record of the first is no proof of the second', () => {
  const leaves = { deleting: true, policy: { deletion: 'Delete' } } as const;
  expect(outline({ ...leaves, volume: { CreateIndex: 4 } })).toBe('gone kept');
  const memory = { ...recorded, identity: 'vol-1 4' };
  expect(outline({ ...leaves, volume: { CreateIndex: 4 }, memory })).toBe('delete by volume.deregister');
});

test('a service that tells no index is known again by what was recorded of it', () => {
  const { CreateIndex: _index, ...silent } = existing;
  expect(identityOf(silent)).toBe('vol-1 '); // it stands in records: another text would disown them
});

test('what is taken over is recorded as whose disk it is, so that no other may destroy it', () => {
  const { externalRef: _ref, identity: _identity, own: _own, ...unknown } = recorded;
  const step = firstStep({ memory: unknown, policy: { adoption: 'Adopt' } });
  expect([step.verb, step.data, step.identity]).toEqual(['adopt', 'vol-1', 'vol-1 3']);
});
