import { describe, expect, test } from 'vitest';
import { merge } from '../../../../src/embedded/scheduler/volumes/merge.ts';
import type { VolumeRow, VolumeSpec } from '../../../../src/embedded/scheduler/store/model.ts';

const writer = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };
const reader = { AccessMode: 'multi-node-reader-only', AttachmentMode: 'file-system' };
const zones = { Required: [{ zone: 'a' }, { zone: 'b' }], Preferred: [] };
const swapped = { Required: [{ zone: 'b' }, { zone: 'a' }], Preferred: [] };

const sent: VolumeSpec = {
  ID: 'v',
  Namespace: 'default',
  Name: 'v-name',
  ExternalID: 'vol-1',
  PluginID: 'ebs',
  CloneID: '',
  SnapshotID: 'snap-1',
  RequestedCapabilities: [writer],
  RequestedTopologies: null,
  Topologies: [],
  MountOptions: { FsType: 'ext4', MountFlags: ['noatime'] },
  Secrets: { token: 'new' },
  Parameters: { type: 'fast' },
  Context: {},
  RequestedCapacityMin: 0,
  RequestedCapacityMax: 0,
};
const stored: VolumeRow = {
  ...sent,
  MountOptions: { FsType: 'ext4', MountFlags: ['noatime'] },
  Secrets: { token: 'old' },
  Context: { device: '1' },
  Capacity: 1,
  Provider: 'p',
  Version: '1',
  AccessMode: '',
  AttachmentMode: '',
  ReadAllocs: {},
  WriteAllocs: {},
  CreateIndex: 5,
  ModifyIndex: 6,
  CreateTime: 7,
  ModifyTime: 8,
};
const claimed = { ...stored, ...writer, WriteAllocs: { a: { NodeID: 'n' } } };
const placed = { ...stored, Topologies: [{ zone: 'a' }], RequestedTopologies: zones };

const accepted: readonly {
  why: string;
  old?: VolumeRow;
  more?: Partial<VolumeSpec>;
  gives: Partial<VolumeRow>;
}[] = [
  { why: 'what is the same stays', gives: { Name: 'v-name', CreateIndex: 5 } },
  {
    why: 'what is left out stays, where it can not change',
    more: { Name: '', ExternalID: '', SnapshotID: '', Parameters: {} },
    gives: { Name: 'v-name', ExternalID: 'vol-1', SnapshotID: 'snap-1', Parameters: { type: 'fast' } },
  },
  { why: 'secrets are replaced', gives: { Secrets: { token: 'new' } } },
  { why: 'and wiped when left out', more: { Secrets: {} }, gives: { Secrets: {} } },
  {
    why: 'mount options are cleared',
    more: { MountOptions: null },
    gives: { MountOptions: { FsType: '', MountFlags: null } },
  },
  {
    why: 'a context that says something replaces',
    more: { Context: { b: '2' } },
    gives: { Context: { b: '2' } },
  },
  { why: 'one that says nothing does not', gives: { Context: { device: '1' } } },
  {
    why: 'capabilities are replaced',
    more: { RequestedCapabilities: [reader] },
    gives: { RequestedCapabilities: [reader] },
  },
  {
    why: 'in use they have to keep the current one',
    old: claimed,
    more: { RequestedCapabilities: [reader, writer] },
    gives: { RequestedCapabilities: [reader, writer] },
  },
  {
    why: "topologies are not the user's",
    old: placed,
    more: { RequestedTopologies: zones, Topologies: [] },
    gives: { Topologies: [{ zone: 'a' }] },
  },
  {
    why: 'a request without an answer binds nobody',
    old: { ...placed, Topologies: [] },
    gives: { RequestedTopologies: zones },
  },
  { why: 'the order of keys is nothing', more: { Parameters: JSON.parse('{"type":"fast"}') }, gives: {} },
];

const mount = 'can not update mount options while volume is in use';
const place = 'volume topology request update was not compatible with existing topology';
const use = 'volume requested capabilities update was not compatible with existing capability in use';
const refused: readonly {
  why: string;
  old?: VolumeRow;
  more: Partial<VolumeSpec>;
  errors: readonly string[];
}[] = [
  { why: "the name is the disk's", more: { Name: 'x' }, errors: ['volume name cannot be updated'] },
  {
    why: 'another disk is another volume',
    more: { ExternalID: 'x' },
    errors: ['volume external ID cannot be updated'],
  },
  { why: 'so is another plugin', more: { PluginID: 'x' }, errors: ['volume plugin ID cannot be updated'] },
  {
    why: 'and leaving it out is another',
    more: { PluginID: '' },
    errors: ['volume plugin ID cannot be updated'],
  },
  { why: 'a source was', more: { CloneID: 'x' }, errors: ['volume clone ID cannot be updated'] },
  { why: 'and can not change', more: { SnapshotID: 'x' }, errors: ['volume snapshot ID cannot be updated'] },
  {
    why: 'parameters went into the disk',
    more: { Parameters: { type: 'x' } },
    errors: ['volume parameters cannot be updated'],
  },
  { why: 'it is used that way', old: claimed, more: { RequestedCapabilities: [reader] }, errors: [use] },
  {
    why: 'it is mounted that way',
    old: claimed,
    more: { MountOptions: { FsType: 'xfs', MountFlags: null } },
    errors: [mount],
  },
  { why: 'and leaving it out is another way', old: claimed, more: { MountOptions: null }, errors: [mount] },
  {
    why: 'even when there is none',
    old: { ...claimed, MountOptions: { FsType: '', MountFlags: null } },
    more: { MountOptions: null },
    errors: [mount],
  },
  { why: 'the disk is where it is', old: placed, more: {}, errors: [place] },
  { why: 'and order counts', old: placed, more: { RequestedTopologies: swapped }, errors: [place] },
  {
    why: 'all is told',
    more: { Name: 'x', PluginID: 'y' },
    errors: ['volume name cannot be updated', 'volume plugin ID cannot be updated'],
  },
];

describe('registering a registered volume', () => {
  test.each(accepted)('$why', ({ old = stored, more, gives }) => {
    const { volume, errors } = merge(old, { ...sent, ...more });
    expect(errors).toEqual([]);
    expect(volume).toMatchObject(gives);
    if ('Secrets' in gives) expect(volume.Secrets).toEqual(gives.Secrets);
  });

  test.each(refused)('is refused: $why', ({ old = stored, more, errors }) => {
    expect(merge(old, { ...sent, ...more }).errors).toEqual(errors);
  });
});
