// An answer that is no volume must not be taken for one: what is read wrong here is adopted, released or destroyed.
import { describe, expect, test } from 'vitest';
import type { VolumeRead } from '../../../src/api/scheduler/wire.ts';
import { isVolume } from '../../../src/kinds/csi-volume/shape.ts';
import { allocation, existing } from './situation.ts';

const isOne = (more: object): boolean => isVolume({ ...existing, ...more });

const { Schedulable: _schedulable, ...bare } = existing;
const long = 'x'.repeat(1_025);
const list = (length: number, entry: unknown) => Array.from({ length }, () => entry);
const map = (length: number) => Object.fromEntries(list(length, 'v').map((value, at) => [`k${at}`, value]));
const way = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };

/** All that may be left out or be null, as servers have it. */
const optional = [
  'Namespace',
  'CreateIndex',
  'Schedulable',
  'ControllerRequired',
  'ControllersHealthy',
  'ControllersExpected',
  'NodesHealthy',
  'NodesExpected',
  'RequestedCapabilities',
  'RequestedTopologies',
  'Topologies',
  'MountOptions',
  'Parameters',
  'Context',
  'Capacity',
  'RequestedCapacityMax',
  'SnapshotID',
  'Allocations',
  'ReadAllocs',
  'WriteAllocs',
];
const required = ['ID', 'Name', 'ExternalID', 'PluginID'];

test.for<{ why: string; more: object }>([
  { why: 'as it is shown', more: {} },
  { why: 'with fields that nobody knows', more: { Future: {}, MountOptions: { Future: 1 } } },
  {
    why: 'with all that is known of it',
    more: {
      ModifyIndex: 1,
      Schedulable: true,
      ControllerRequired: false,
      RequestedCapabilities: list(256, { ...way, Future: 1 }),
      RequestedTopologies: { Required: list(256, { zone: 'a' }), Preferred: null, Future: 1 },
      Topologies: list(256, {}),
      MountOptions: { FsType: 'ext4', MountFlags: ['ro'] },
      Parameters: map(256),
      Context: { lun: 'x'.repeat(4_096) },
      SnapshotID: 'x'.repeat(1_024),
      Allocations: [allocation('a1'), {}],
      ReadAllocs: { a1: null, a2: { ...allocation('a2'), Future: 1 } },
    },
  },
])('a volume is one $why', ({ more }) => {
  expect(isOne(more)).toBe(true);
});

test('and one of which a server says only what tells it from others', () => {
  const { ID, Name, ExternalID, PluginID } = bare;
  // oxlint-disable-next-line no-unsafe-type-assertion -- what a service may say
  expect(isVolume({ ID, Name, ExternalID, PluginID } as VolumeRead)).toBe(true);
  for (const field of optional) expect([field, isOne({ [field]: null })]).toEqual([field, true]);
});

describe('what is none', () => {
  test.for(required)('lacks its %s, or has one that no service gives', (field) => {
    for (const value of [undefined, null, 7, {}, long])
      expect([value, isOne({ [field]: value })]).toEqual([value, false]);
  });

  test.for([...optional, 'ModifyIndex'])('has something else as %s', (field) => {
    const value = field === 'ModifyIndex' ? null : [7];
    expect(isOne({ [field]: value })).toBe(false);
  });

  test.for<{ why: string; more: object }>([
    {
      why: 'a way to claim it without a mode of access',
      more: { RequestedCapabilities: [{ AttachmentMode: 'x' }] },
    },
    {
      why: 'a way to claim it without a mode of attachment',
      more: { RequestedCapabilities: [{ AccessMode: 'x' }] },
    },
    { why: 'more ways to claim it than there are', more: { RequestedCapabilities: list(257, way) } },
    { why: 'too many places where it is', more: { Topologies: list(257, {}) } },
    { why: 'a place that is none', more: { Topologies: ['a'] } },
    { why: 'too many places where it must be', more: { RequestedTopologies: { Required: list(257, {}) } } },
    { why: 'no list where it should be', more: { RequestedTopologies: { Preferred: 'a' } } },
    { why: 'a name whose length can not be compared', more: { ID: { length: { toString: 1, valueOf: 1 } } } },
    { why: 'a file system that is no text', more: { MountOptions: { FsType: 7 } } },
    { why: 'flags that are no texts', more: { MountOptions: { MountFlags: [7] } } },
    { why: 'parameters that are no texts', more: { Parameters: { a: 7 } } },
    { why: 'a name too long to be recorded', more: { Context: { [long]: 'v' } } },
    { why: 'a value too long to be recorded', more: { Context: { a: 'x'.repeat(4_097) } } },
    { why: 'more entries than are recorded', more: { Context: map(257) } },
    { why: 'a claim that is no allocation', more: { ReadAllocs: { a1: 'x' } } },
    { why: 'a claim under a name too long', more: { WriteAllocs: { [long]: null } } },
    { why: 'an allocation that is none', more: { Allocations: [null] } },
  ])('has $why', ({ more }) => {
    expect(isOne(more)).toBe(false);
  });

  test.for(['ID', 'JobID', 'NodeID', 'DesiredStatus', 'ClientStatus', 'ModifyTime'])(
    'has an allocation with something else as %s',
    (field) => {
      expect(isOne({ Allocations: [{ [field]: null }] })).toBe(true);
      expect(isOne({ Allocations: [{ [field]: {} }] })).toBe(false);
      expect(isOne({ WriteAllocs: { a1: { [field]: {} } } })).toBe(false);
    },
  );
});
