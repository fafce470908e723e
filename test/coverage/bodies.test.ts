// What the documents say that no other test asks: fields of bodies are read, modes of volumes, where they are made.
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import type {
  Capability,
  MountOptions,
  RestartBody,
  SignalBody,
  SnapshotBody,
  VolumeBody,
} from '../../src/api/scheduler/wire.ts';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { namesIn, proves, type Named } from './proves.ts';
import { bodyOf, create, running, type Running } from '../embedded/scheduler/running.ts';
import { portOf } from '../support/port.ts';

let here: Running;
beforeAll(async () => {
  here = await running({ dialect: 'cluster' });
});
afterAll(() => here.stop());

const volume = 'Volumes[0]';
const modes = namesIn('fields of a capability') satisfies readonly Named<Capability>[];
const sent = [
  {
    op: 'volume.register',
    at: volume,
    names: namesIn('fields of a volume to register') satisfies readonly Named<VolumeBody>[],
  },
  { op: 'volume.register', at: `${volume}.RequestedCapabilities[0]`, names: modes },
  {
    op: 'volume.create',
    at: volume,
    names: namesIn('fields of a volume to create') satisfies readonly Named<VolumeBody>[],
  },
  {
    op: 'volume.create',
    at: `${volume}.MountOptions`,
    names: namesIn('fields of mount options') satisfies readonly Named<MountOptions>[],
  },
  {
    op: 'snapshot.create',
    at: 'Snapshots[0]',
    names: namesIn('fields of a snapshot to cut') satisfies readonly Named<SnapshotBody>[],
  },
  {
    op: 'allocation.signal',
    at: '',
    names: namesIn('fields of a signal') satisfies readonly Named<SignalBody>[],
  },
  {
    op: 'allocation.restart',
    at: '',
    names: namesIn('fields of a restart') satisfies readonly Named<RestartBody>[],
  },
] as const;
const wrong = sent.flatMap(({ op, at, names }) =>
  names.map((name) => ({ op, place: at === '' ? name : `${at}.${name}` })),
);

test.each(wrong)(
  'in the body of $op a $place of another kind is refused by name: it is read',
  async (one) => {
    proves('fields of a volume to register', 'fields of a volume to create', 'fields of mount options');
    proves('fields of a capability', 'fields of a snapshot to cut');
    proves('fields of a signal', 'fields of a restart');
    const { method, path } = routes[one.op];
    const at = path.replace('{id}', '00000000-0000-4000-8000-000000000000');
    const answer = await here.client.send(method, at, { body: bodyWith(one.place, true) });
    expect(answer.text).toContain(`${one.place}: expected`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  },
);

/** With one value, at a place like `Volumes[0].Name`. */
const bodyWith = (place: string, value: unknown): unknown =>
  place
    .split('.')
    .reduceRight(
      (held, name) => (name.endsWith('[0]') ? { [name.slice(0, -3)]: [held] } : { [name]: held }),
      value,
    );

test.each([
  { AccessMode: 'multi-node-single-writer', AttachmentMode: 'file-system' },
  { AccessMode: 'single-node-writer', AttachmentMode: 'block-device' },
])('a volume for $AccessMode as $AttachmentMode says so', async (capability) => {
  proves('modes of a volume');
  proves('fields of a capability');
  const id = capability.AccessMode;
  expect((await create(here.client, id, { RequestedCapabilities: [capability] })).status).toBe(200);
  const placed = await here.client.post('/setup/allocations', { jobID: 'web', volumes: [{ id }] });
  expect(placed.status).toBe(200);
  const read = (await here.client.get(`/v1/volume/csi/${id}`)).json();
  expect(read).toMatchObject({ ...capability, RequestedCapabilities: [capability] });
});

test('a volume is made where its Topologies say: by the documents they ask', async () => {
  proves('a create has the name, size, mount options, source and places that were asked for');
  const asked = { PluginID: 'ebs', Topologies: [{ zone: 'b' }] };
  expect((await create(here.client, 'placed', asked)).status).toBe(200);
  const read = (await here.client.get('/v1/volume/csi/placed')).json();
  expect(read.Topologies).toEqual([{ zone: 'b' }]);
});

test('what is asked of a volume is read back, and secrets are used', async () => {
  proves('fields of a volume to create', 'fields of a volume to register', 'fields of mount options');
  proves('fields of a snapshot to cut');
  const { client } = here;
  await client.post('/setup/namespaces', { name: 'team' });
  const capabilities = ['CREATE_DELETE_VOLUME', 'CREATE_DELETE_SNAPSHOT', 'LIST_SNAPSHOTS'];
  await client.post('/setup/plugins', { id: 'locked', capabilities, snapshotReadyMs: 0 });
  await create(client, 'source', { PluginID: 'locked' });
  await client.put('/setup/plugins/locked', { requiredSecrets: ['key'] });
  const secrets = { PluginID: 'locked', Secrets: { key: 'canary' } };
  const snapshot = { SourceVolumeID: 'source', Name: 'cut', Parameters: { speed: 'high' } };
  const cut = async (more: object) =>
    (await client.post('/v1/volumes/snapshot', { Snapshots: [{ ...snapshot, ...more }] })).json();
  const [{ ID: SnapshotID }] = (await cut(secrets)).Snapshots;
  const options = { MountOptions: { FsType: 'xfs', MountFlags: ['noatime'] } };
  const size = { RequestedCapacityMin: 2 ** 31, RequestedCapacityMax: 2 ** 32 };
  const own = { Name: 'whole-disk', Namespace: 'team', PluginID: 'locked', SnapshotID, ...size };
  expect((await create(client, 'whole', { ...own, ...options, Secrets: { key: 'canary' } })).status).toBe(
    200,
  );
  const read = async () => (await client.get('/v1/volume/csi/whole?namespace=team')).json();
  const made = await read();
  expect(made).toMatchObject({
    ...own,
    ID: 'whole',
    MountOptions: { FsType: 'xfs', MountFlags: ['[REDACTED]'] },
  });
  expect([made.Secrets, made.Capacity]).toEqual([null, 2 ** 31]);
  expect((await create(client, 'other', own)).status).toBe(500); // without its secrets
  await client.delete('/v1/volume/csi/whole?namespace=team');
  const { ExternalID, Topologies } = made;
  const again = { Name: 'again', Namespace: 'team', ExternalID, Topologies, ...secrets };
  expect((await client.put('/v1/volume/csi/whole', bodyOf('whole', again))).status).toBe(200);
  expect(await read()).toMatchObject({ ...again, ID: 'whole', Secrets: null });
});

test('a plugin that makes no disks deletes none', async () => {
  proves('creating and deleting need `CREATE_DELETE_VOLUME`');
  await here.client.post('/setup/plugins', { id: 'keeper', capabilities: ['CREATE_DELETE_VOLUME'] });
  await here.client.put('/v1/volume/csi/kept/create', bodyOf('kept', { PluginID: 'keeper' }));
  await here.client.put('/setup/plugins/keeper', { capabilities: ['LIST_VOLUMES'] });
  const answer = await here.client.delete('/v1/volume/csi/kept/delete');
  expect([answer.status, answer.text]).toEqual([500, expect.stringContaining('code = Unimplemented')]);
  expect((await here.client.get('/v1/volume/csi/kept')).status).toBe(200);
});

test('the port is the one that is asked for', async () => {
  proves('the port is configurable');
  const free = createServer();
  await new Promise<void>((resolve) => {
    free.listen(0, '127.0.0.1', resolve);
  });
  const port = portOf(free);
  await new Promise((resolve) => {
    free.close(resolve);
  });
  const server = await startScheduler({ dialect: 'cluster', port });
  expect(server.url).toBe(`http://127.0.0.1:${port}`);
  await server.stop();
});
