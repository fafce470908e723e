import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Database } from '../../../src/embedded/database.ts';
import { HttpClient } from '../../contract/client.ts';
import { temporaryFile } from './files.ts';
import { bodyOf, create, running } from './running.ts';

/** Everything that a client could tell two schedulers apart by. */
async function world(client: HttpClient): Promise<readonly unknown[]> {
  const paths = [
    '/v1/volumes?type=csi&namespace=*',
    '/v1/plugins?type=csi',
    '/v1/nodes',
    '/v1/allocations',
    '/setup/disks',
    '/setup/snapshots',
  ];
  const answers = await Promise.all(paths.map((path) => client.get(path)));
  const ids = ['a', 'b', 'c'].map((id) => client.get(`/v1/volume/csi/${id}`));
  return [...answers, ...(await Promise.all(ids))].map((answer) => [
    answer.status,
    answer.text,
    answer.header('x-nomad-index'),
  ]);
}

const odd: object = JSON.parse('{"__proto__":"x","constructor":"y"}');
const id = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant('create' as const), id) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('claim' as const, 'snapshot' as const), id) },
  fc.tuple(fc.constantFrom('deregister' as const, 'delete' as const, 'health' as const, 'time' as const), id),
);

const fail = () => {
  throw new Error('no');
};
const row = (key: string, body: () => string) => ({ bucket: 'b', key, body });

describe('the state on disk', () => {
  test('after whatever was done, a new process answers like the old one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const file = temporaryFile();
        const first = await running({ file, claimReleaseMs: 1_000 });
        const { client, clock } = first;
        for (const [what, one] of steps) {
          if (what === 'create') await create(client, one, { Parameters: odd });
          if (what === 'claim') {
            const body = { jobID: one, clientStatus: 'complete', volumes: [{ ID: one }] };
            await client.post('/setup/allocations', body);
          }
          if (what === 'snapshot') {
            const body = { Snapshots: [{ SourceVolumeID: one, Name: one }] };
            await client.post('/v1/volumes/snapshot', body);
          }
          if (what === 'deregister') await client.delete(`/v1/volume/csi/${one}`);
          if (what === 'delete') await client.delete(`/v1/volume/csi/${one}/delete`);
          if (what === 'health')
            await client.put('/setup/plugins/hostpath', { nodesHealthy: one === 'a' ? 0 : 2 });
          if (what === 'time') clock.advance(600);
        }
        const before = await world(client);
        await first.stop();
        const second = await running({ file, claimReleaseMs: 1_000 }, clock);
        expect(await world(second.client)).toEqual(before);
        await second.stop();
      }),
      { numRuns: 10 },
    );
  });

  test('a snapshot gets ready in the process after, too, and is found again by its name', async () => {
    const file = temporaryFile();
    const first = await running({ file });
    await create(first.client, 'a');
    const cut = { Snapshots: [{ SourceVolumeID: 'a', Name: 'n' }] };
    const one = (await first.client.post('/v1/volumes/snapshot', cut)).json().Snapshots[0];
    await first.stop();
    expect(first.clock.waiting).toBe(0);
    const second = await running({ file }, first.clock);
    const state = async () => (await second.client.get('/setup/snapshots')).json().at(-1);
    expect(await state()).toMatchObject({ id: one.ID, isReady: false });
    second.clock.advance(3_000);
    expect(await state()).toMatchObject({ id: one.ID, isReady: true });
    const again = await second.client.post('/v1/volumes/snapshot', cut);
    expect(again.json().Snapshots).toEqual([{ ...one, IsReady: true }]);
    await second.stop();
  });

  test('a process that is killed has written all that it answered for', async () => {
    const file = temporaryFile();
    const child = spawn(process.execPath, [fileURLToPath(new URL('killed.ts', import.meta.url)), file]);
    const [url] = await once(child.stdout, 'data');
    const client = new HttpClient(String(url).trim());
    const answered: string[] = [];
    const creating = Array.from({ length: 400 }, async (_, n) => {
      const name = `v-${n}`;
      const answer = await create(client, name).catch(() => undefined);
      if (answer?.status === 200) answered.push(name);
      if (answered.length === 100) child.kill('SIGKILL');
    });
    await Promise.all(creating);
    await client.close();
    expect(answered.length).toBeGreaterThanOrEqual(100);
    expect(answered.length).toBeLessThan(400);
    const back = await running({ file });
    const volumes = (await back.client.get('/v1/volumes?type=csi')).json();
    const disks = (await back.client.get('/setup/disks')).json();
    expect(volumes.map((v: { ID: string }) => v.ID)).toEqual(expect.arrayContaining(answered));
    // A registration without its disk would be the wrong order; a disk without registration is what a kill may leave.
    const external = new Set(disks.map((d: { externalID: string }) => d.externalID));
    expect(volumes.filter((v: { ExternalID: string }) => !external.has(v.ExternalID))).toEqual([]);
    await back.stop();
  });

  test('a second process does not get the file, and is told why', async () => {
    const file = temporaryFile();
    const first = await running({ file });
    await expect(running({ file })).rejects.toThrow(/can't be opened; does another process use it\?/);
    await create(first.client, 'a');
    await first.stop();
    const second = await running({ file });
    expect((await second.client.get('/v1/volume/csi/a')).status).toBe(200);
    await second.stop();
  });

  test('a new process goes on where the old one was: indexes rise, names find their disks', async () => {
    const file = temporaryFile();
    const first = await running({ file });
    await create(first.client, 'a', { Namespace: 'nowhere' }); // leaves a disk without a registration
    const last = first.indexOf(await create(first.client, 'b'));
    const [, left] = (await first.client.get('/setup/disks')).json();
    await first.stop();
    const second = await running({ file });
    expect(second.indexOf(await create(second.client, 'a'))).toBe(last + 1);
    expect((await second.client.get('/v1/volume/csi/a')).json()).toMatchObject({
      ExternalID: left.externalID,
    });
    await second.stop();
  });

  test('the same file serves either dialect', async () => {
    const file = temporaryFile();
    const zone = { PluginID: 'ebs', RequestedTopologies: { Required: [{ Segments: { zone: 'b' } }] } };
    const first = await running({ file, dialect: 'nomad' });
    await create(first.client, 'a', { ...zone, Parameters: odd, MountOptions: { FSType: 'ext4' } });
    expect((await first.client.get('/v1/volume/csi/a')).text).toContain('"Parameters":{"__proto__":"x"');
    await first.stop();
    const second = await running({ file, dialect: 'cluster' });
    expect((await second.client.get('/v1/volume/csi/a')).json()).toMatchObject({
      Topologies: [{ zone: 'b' }],
      MountOptions: { FsType: 'ext4' },
    });
    await second.stop();
  });

  test('a write that fails leaves nothing, and the next one works', () => {
    const db = new Database(temporaryFile());
    expect(() => db.write([row('1', () => 'one'), row('2', fail)])).toThrow('no');
    db.write([row('3', () => 'three')]);
    expect([...db.rows('b')]).toEqual([['3', 'three']]);
    db.close();
  });

  test('the file is for its owner only: volumes have secrets', async () => {
    const file = temporaryFile();
    const { stop } = await running({ file });
    expect([statSync(file).mode & 0o777, statSync(`${file}-wal`).mode & 0o777]).toEqual([0o600, 0o600]);
    await stop();
  });

  test('a file of another format is refused, not read wrongly', async () => {
    const file = temporaryFile();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 7');
    db.close();
    await expect(running({ file })).rejects.toThrow(/found 7; remove the file/);
  });

  test('only an empty state is seeded, and a seed that fails leaves it empty', async () => {
    const file = temporaryFile();
    const seed = { nodes: [{ name: 'n1' }], plugins: [{ id: 'p', capabilities: ['NONE'] }] };
    await expect(running({ file, seed })).rejects.toThrow('seed.plugins[0].capabilities[0]: expected one of');
    const first = await running({ file, seed: { nodes: [{ name: 'n2' }] } });
    await first.stop();
    const second = await running({ file, seed: { nodes: [{ name: 'n3' }] } });
    const nodes = (await second.client.get('/v1/nodes')).json();
    expect(nodes.map((node: { Name: string }) => node.Name)).toEqual(['n2']);
    await second.stop();
  });

  test('registrations of one request are written together', async () => {
    const file = temporaryFile();
    const { client, stop, indexOf } = await running({ file });
    await create(client, 'a');
    const answer = await client.put('/v1/volumes', {
      Volumes: [...bodyOf('a').Volumes, ...bodyOf('b', { ExternalID: 'none' }).Volumes],
    });
    expect(answer.status).toBe(500);
    const before = (await client.get('/v1/volume/csi/a')).json();
    expect(before.ModifyIndex).toBe(indexOf(await client.get('/v1/volumes?type=csi')));
    expect(before.CreateIndex).toBe(before.ModifyIndex);
    await stop();
  });
});
