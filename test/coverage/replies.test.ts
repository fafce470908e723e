// What volumes, snapshots, events, nodes and directories say, field by field, with the values that were given to them.
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { NodeRead } from '../../src/api/scheduler/node-wire.ts';
import { SecretsClient } from '../../src/api/secrets/client.ts';
import { Secret } from '../../src/core/secret.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { connectionTo, gate } from '../api/servers.ts';
import { configBody, entryDN, roleBody, rootToken, running } from '../embedded/secrets/running.ts';
import { documented, proves } from './proves.ts';
import { atSecond, scheduled, type Day } from './scenario.ts';

let day: Day;
beforeAll(async () => {
  day = await scheduled();
});

const original = () => day.disks?.find(({ ExternalID }) => ExternalID === day.volume?.ExternalID);
const restored = () => day.disks?.find(({ SnapshotID }) => SnapshotID === day.snapshot?.ID);

test('a volume tells by whom it is used and how, in lists and reads', () => {
  const [copy, data] = day.volumes ?? [];
  const plugin = {
    PluginID: 'ebs',
    Provider: 'ebs.csi.example',
    ControllerRequired: true,
    ControllersHealthy: 1,
    ControllersExpected: 1,
    NodesHealthy: 2,
    NodesExpected: 2,
    ResourceExhausted: 0,
    Schedulable: true,
  };
  const modes = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };
  const place = { Namespace: 'default', Topologies: [{ zone: 'a' }] };
  expect(documented('fields of a volume', data)).toEqual({
    ...plugin,
    ...modes,
    ...place,
    ID: 'data',
    ExternalID: day.volume?.ExternalID,
    Name: 'data-disk',
    CurrentReaders: 0,
    CurrentWriters: 1,
    CreateIndex: 14,
    ModifyIndex: 20,
  });
  expect(documented('fields of a volume', copy)).toEqual({
    ...plugin,
    ...place,
    ID: 'copy',
    ExternalID: restored()?.ExternalID,
    Name: 'copy-disk',
    AccessMode: '',
    AttachmentMode: '',
    CurrentReaders: 0,
    CurrentWriters: 0,
    CreateIndex: 18,
    ModifyIndex: 18,
  });
  expect(documented('fields that a single read of a volume adds', day.volume)).toEqual({
    RequestedCapabilities: [modes],
    ReadAllocs: {},
    WriteAllocs: { [day.running?.ID ?? '']: null },
    Version: '1.0.0',
  });
});

test('a disk tells its size, its source, where it is attached and what is wrong with it', () => {
  const data = original();
  const copy = restored();
  expect(documented('fields of an external volume', data)).toEqual({
    ExternalID: day.volume?.ExternalID,
    CapacityBytes: 2 ** 31,
    SnapshotID: '',
    PublishedExternalNodeIDs: [day.running?.NodeID],
    IsAbnormal: true,
    Status: 'bad blocks',
  });
  expect(documented('fields of an external volume', copy)).toMatchObject({
    SnapshotID: day.snapshot?.ID,
    PublishedExternalNodeIDs: [],
    IsAbnormal: false,
    Status: '',
  });
});

test('a snapshot is as large as its volume, and ready some time after it was cut', () => {
  const cut = { ID: expect.stringMatching(/^snap-\w+$/), SizeBytes: 2 ** 31, CreateTime: atSecond(0) };
  expect(documented('fields of a created snapshot', day.snapshot)).toEqual({
    ...cut,
    IsReady: false,
    SourceVolumeID: 'data',
  });
  const listed = day.snapshots?.find(({ ID }) => ID === day.snapshot?.ID);
  expect(documented('fields of a listed snapshot', listed)).toEqual({
    ...cut,
    ID: day.snapshot?.ID,
    IsReady: true,
    ExternalSourceVolumeID: day.volume?.ExternalID,
    PluginID: 'ebs',
    Parameters: { speed: 'high' },
  });
});

test('an event tells what happened to which object, by which index', () => {
  const stopped = day.events.find(({ Type }) => Type === 'AllocationUpdateDesiredStatus');
  expect(documented('fields of an event', stopped)).toEqual({
    Topic: 'Allocation',
    Type: 'AllocationUpdateDesiredStatus',
    Key: day.old?.ID,
    Namespace: 'default',
    FilterKeys: ['web', ''],
    Index: day.stopped?.Index,
  });
  const asked = day.events.find(({ Key }) => Key === day.stopped?.EvalID);
  expect(asked?.Payload).toMatchObject({ Evaluation: { JobID: 'web', Type: 'service', Priority: 70 } });
});

test('a node tells what it has and how it is, from its registration to its drain', () => {
  proves('times of snapshots and node statuses are Unix seconds');
  const of = (type: string): NodeRead => {
    const event = day.events.find(({ Type, Key }) => Type === type && Key === day.nodeID);
    return JSON.parse(JSON.stringify(event?.Payload['Node']));
  };
  const [node, drained] = [of('NodeRegistration'), of('NodeDrain')];
  const fields = {
    ID: day.nodeID,
    Datacenter: 'dc2',
    Name: 'last',
    HTTPAddr: '127.0.0.1:4646',
    TLSEnabled: false,
    Attributes: { 'kernel.name': 'linux', 'unique.hostname': 'last' },
    ReservedResources: { Cpu: { CpuShares: 0 }, Memory: { MemoryMB: 0 }, Disk: { DiskMB: 0 } },
    Resources: null,
    Reserved: null,
    Links: null,
    Meta: { zone: 'c' },
    NodeClass: '',
    ComputedClass: '',
    Status: 'initializing',
    StatusDescription: '',
    StatusUpdatedAt: atSecond(5),
    CSIControllerPlugins: {},
    CSINodePlugins: {},
    HostVolumes: null,
    CreateIndex: 25,
  };
  expect(documented('fields of a node', node)).toEqual({
    ...fields,
    Drain: false,
    DrainStrategy: null,
    SchedulingEligibility: 'eligible',
    ModifyIndex: 25,
  });
  expect(documented('fields of a node', drained)).toEqual({
    ...fields,
    Drain: true,
    DrainStrategy: { Deadline: 0, IgnoreSystemJobs: false },
    SchedulingEligibility: 'ineligible',
    ModifyIndex: 26,
  });
  const host = { Mode: 'host', Device: 'lo' };
  const address = { Family: 'ipv4', Alias: 'default', Address: '127.0.0.1', ReservedPorts: '', Gateway: '' };
  const unshown = { DNS: null, ReservedPorts: null, DynamicPorts: null };
  expect(documented("fields of a node's resources", node.NodeResources)).toEqual({
    Cpu: { CpuShares: 4_000 },
    Memory: { MemoryMB: 8_192 },
    Disk: { DiskMB: 65_536 },
    Networks: [{ ...host, CIDR: '127.0.0.1/32', IP: '127.0.0.1', MBits: 1_000, ...unshown }],
    NodeNetworks: [{ ...host, MacAddress: '', Speed: 1_000, Addresses: [address] }],
    Devices: null,
  });
  expect(documented("fields of a node's event", node.Events?.[0])).toEqual({
    Message: 'Node registered',
    Subsystem: 'Cluster',
    Details: null,
    Timestamp: '2026-11-20T00:00:05.000Z',
    CreateIndex: 0,
  });
  expect(documented("fields of a node's driver", node.Drivers?.['exec'])).toEqual({
    Attributes: {},
    Detected: true,
    Healthy: true,
    HealthDescription: 'Healthy',
    UpdateTime: '2026-11-20T00:00:05.000Z',
  });
});

test('a directory, a static role and its credential are read as they were declared, and count down', async () => {
  const here = await running({ dialect: 'secrets' });
  const token = Secret.of('secrets/token', '1', rootToken);
  const service = { service: 'secrets', dialect: 'secrets', namespace: '', token } as const;
  const connection = connectionTo([here.server.url], service);
  const client = new SecretsClient(connection, { gate: gate(), clock: systemClock, random: Math.random });
  onTestFinished(async () => {
    await client.close();
    await here.stop();
  });
  const { signal } = new AbortController();
  const declared = configBody({ length: 20 });
  await here.client.post('/v1/ldap/config', declared);
  await here.client.post('/v1/ldap/static-role/shop', { ...roleBody('shop'), rotation_period: 600 });
  here.clock.advance(60_000);
  const config = await client.read('ldap.config.read', { mount: 'ldap' }, signal);
  expect(documented("fields of a directory's configuration", config)).toEqual({
    binddn: declared.binddn,
    case_sensitive_names: false,
    certificate: '',
    insecure_tls: false,
    length: 20,
    schema: 'ldap',
    starttls: false,
    tls_max_version: 'tls12',
    tls_min_version: 'tls12',
    url: declared.url,
  });
  const role = {
    dn: entryDN('shop'),
    username: 'shop',
    rotation_period: 600,
    last_service_rotation: '2026-11-20T00:00:00.000Z',
  };
  const shop = { mount: 'ldap', role: 'shop' };
  const read = await client.read('ldap.role.read', shop, signal);
  expect(documented('fields of a static role', read)).toEqual(role);
  const credential = documented(
    'fields of a credential',
    await client.read('ldap.credential.read', shop, signal),
  );
  expect(credential).toEqual({ ...role, password: expect.stringMatching(/^[A-Za-z0-9]{20}$/), ttl: 540 });
  expect(await here.bind(role.dn, String(credential['password']))).toBe(true);
});
