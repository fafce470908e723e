// What the documents say that no other test asks: fields of bodies are read, modes of volumes, where they are made.
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { schedulerRoutes } from '../../src/api/scheduler/routes.ts';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { documents } from './items/all.ts';
import { bodyOf, create, running, type Running } from '../embedded/scheduler/running.ts';
import { portOf } from '../support/port.ts';

let here: Running;
beforeAll(async () => {
  here = await running({ dialect: 'cluster' });
});
afterAll(() => here.stop());

const operations = [
  'volume.register',
  'volume.create',
  'snapshot.create',
  'allocation.signal',
  'allocation.restart',
] as const;
const places = documents
  .flatMap(({ sections }) => sections)
  .flatMap(({ items }) => items)
  .flatMap((one) => one.sent ?? []);
const wrong = operations.flatMap((op) => places.filter((one) => one.op === op));

test.each(wrong)(
  'in the body of $op a $place of another kind is refused by name: it is read',
  async (one) => {
    const { method, path } = routes[one.op];
    const at = path.replace('{id}', '00000000-0000-4000-8000-000000000000');
    const answer = await here.client.send(method, at, { body: bodyWith(one.place, true) });
    expect(answer.text).toContain(`${one.place}: expected`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  },
);

test('no body is left out', () => {
  const ofScheduler = places.map(({ op }) => op).filter((op) => op in schedulerRoutes);
  expect([...new Set(ofScheduler)].toSorted()).toEqual(operations.toSorted());
});

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
  const id = capability.AccessMode;
  expect((await create(here.client, id, { RequestedCapabilities: [capability] })).status).toBe(200);
  const placed = await here.client.post('/setup/allocations', { jobID: 'web', volumes: [{ id }] });
  expect(placed.status).toBe(200);
  const read = (await here.client.get(`/v1/volume/csi/${id}`)).json();
  expect(read).toMatchObject({ ...capability, RequestedCapabilities: [capability] });
});

test('a volume is made where its Topologies say: by the documents they ask', async () => {
  const asked = { PluginID: 'ebs', Topologies: [{ zone: 'b' }] };
  expect((await create(here.client, 'placed', asked)).status).toBe(200);
  const read = (await here.client.get('/v1/volume/csi/placed')).json();
  expect(read.Topologies).toEqual([{ zone: 'b' }]);
});

test('a plugin that makes no disks deletes none', async () => {
  await here.client.post('/setup/plugins', { id: 'keeper', capabilities: ['CREATE_DELETE_VOLUME'] });
  await here.client.put('/v1/volume/csi/kept/create', bodyOf('kept', { PluginID: 'keeper' }));
  await here.client.put('/setup/plugins/keeper', { capabilities: ['LIST_VOLUMES'] });
  const answer = await here.client.delete('/v1/volume/csi/kept/delete');
  expect([answer.status, answer.text]).toEqual([500, expect.stringContaining('code = Unimplemented')]);
  expect((await here.client.get('/v1/volume/csi/kept')).status).toBe(200);
});

test('the port is the one that is asked for', async () => {
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
