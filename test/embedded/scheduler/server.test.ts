import { describe, expect, test } from 'vitest';
import { until } from '../../contract/client.ts';
import { create, running } from './running.ts';

const sized = (min: number, max = 0) => ({ RequestedCapacityMin: min, RequestedCapacityMax: max });

describe('the embedded scheduler', () => {
  test('a reply lost after the effect leaves a volume that a retry finds; the disk is made once', async () => {
    const here = await running({
      onRequest: ({ pattern, n }) => (pattern.endsWith('/create') && n === 1 ? 'drop-after' : 'none'),
    });
    expect(await create(here.client, 'v').catch(() => 'cut')).toBe('cut');
    expect((await create(here.client, 'v')).status).toBe(200);
    const disks = (await here.client.get('/setup/disks')).json();
    expect(disks.filter((disk: { name: string }) => disk.name === 'v-name')).toHaveLength(1);
    expect(here.server.counters()).toMatchObject({ writes: 2, effects: 2 });
    await here.stop();
  });

  test('a request lost before the effect has none', async () => {
    const here = await running({ onRequest: ({ n }) => (n === 1 ? 'drop-before' : 'none') });
    expect(await create(here.client, 'v').catch(() => 'cut')).toBe('cut');
    expect((await here.client.get('/setup/disks')).json()).toHaveLength(1); // the one that was seeded
    expect(here.server.counters()).toMatchObject({ writes: 1, effects: 0 });
    await here.stop();
  });

  test('registration that fails after the disk was made leaves the disk, which the next create finds', async () => {
    const here = await running();
    await create(here.client, 'v', { Namespace: 'team' });
    const [, left] = (await here.client.get('/setup/disks')).json();
    expect(left).toMatchObject({ name: 'v-name' });
    await here.client.post('/setup/namespaces', { name: 'team' });
    await create(here.client, 'v', { Namespace: 'team' });
    const volume = await here.client.get('/v1/volume/csi/v?namespace=team');
    expect(volume.json()).toMatchObject({ ExternalID: left.externalID });
    await here.stop();
  });

  test('of several volumes those that can be made are made, and the others are told', async () => {
    const here = await running();
    const capability = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };
    const volume = (ID: string, Name: string) => ({
      ID,
      Name,
      PluginID: 'hostpath',
      RequestedCapabilities: [capability],
    });
    const Volumes = [volume('a', 'a'), volume('b', ''), volume('c', 'c')];
    const answer = await here.client.put('/v1/volume/csi/x/create', { Volumes });
    expect([answer.status, answer.text]).toEqual([
      500,
      expect.stringMatching(/^1 error occurred:.*missing Name/s),
    ]);
    const list = (await here.client.get('/v1/volumes?type=csi')).json();
    expect(list.map((v: { ID: string }) => v.ID)).toEqual(['a', 'c']);
    await here.stop();
  });

  test('registering answers with the volume in nomad and with nothing in the documents', async () => {
    for (const [dialect, text] of [
      ['nomad', expect.stringContaining('"Volumes":[{"ID":"v"')],
      ['cluster', ''],
    ] as const) {
      const here = await running({ dialect });
      const capability = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };
      const volume = { ID: 'v', PluginID: 'nfs', RequestedCapabilities: [capability] };
      const answer = await here.client.put('/v1/volume/csi/v', { Volumes: [volume] });
      expect([answer.status, answer.text]).toEqual([200, text]);
      await here.stop();
    }
  });

  test('in nomad a topology without segments is no topology; in the documents it has no other form', async () => {
    const asked = { PluginID: 'ebs', RequestedTopologies: { Required: [{ zone: 'b' }] } };
    const nomad = await running();
    expect((await create(nomad.client, 'v', asked)).text).toContain(
      'required topology is missing segments field',
    );
    await nomad.stop();
    const cluster = await running({ dialect: 'cluster' });
    await create(cluster.client, 'v', asked);
    expect((await cluster.client.get('/v1/volume/csi/v')).json()).toMatchObject({
      Topologies: [{ zone: 'b' }],
    });
    await create(cluster.client, 'w', { PluginID: 'ebs', Topologies: [{ zone: 'b' }] });
    expect((await cluster.client.get('/v1/volume/csi/w')).json()).toMatchObject({
      Topologies: [{ zone: 'b' }],
    });
    await cluster.stop();
  });

  test('setting up asks for the token too', async () => {
    const here = await running({ token: 'secret' });
    expect((await here.client.get('/setup/counters')).status).toBe(403);
    const headers = { 'x-nomad-token': ' secret ' };
    expect((await here.client.get('/setup/counters', { headers })).status).toBe(200);
    await here.stop();
  });

  test('without a token of its own it asks for none', async () => {
    const here = await running();
    const answer = await here.client.get('/v1/volumes?type=csi', { headers: { 'x-nomad-token': 'any' } });
    expect(answer.status).toBe(200);
    await here.stop();
  });

  test('a list in one namespace ends with it, also where others come after it in order', async () => {
    const here = await running();
    for (const name of ['a', 'default-2', 'team']) {
      await here.client.post('/setup/namespaces', { name });
      await create(here.client, `in-${name}`, { Namespace: name });
    }
    await create(here.client, 'in-default');
    const ids = async (query: string) => {
      const answer = await here.client.get(`/v1/volumes?type=csi${query}`);
      return answer.json().map((v: { ID: string }) => v.ID);
    };
    expect(await ids('')).toEqual(['in-default']);
    expect(await ids('&namespace=*')).toEqual(['in-a', 'in-default', 'in-default-2', 'in-team']);
    await here.stop();
  });

  test('what asks for no more than there is needs no expanding; impossible sizes are refused', async () => {
    const here = await running();
    await create(here.client, 'v', sized(10_000_000));
    await here.client.put('/setup/plugins/hostpath', { capabilities: ['CREATE_DELETE_VOLUME'] });
    expect((await create(here.client, 'v', sized(5_000_000, 20_000_000))).status).toBe(200);
    const volume = (await here.client.get('/v1/volume/csi/v')).json();
    expect(volume).toMatchObject({ RequestedCapacityMin: 5_000_000, Capacity: 10 * 1024 * 1024 });
    expect((await create(here.client, 'v', sized(30_000_000, 20_000_000))).text).toBe(
      '1 error occurred:\n\t* max requested capacity (20 MB) less than or equal to min (30 MB)\n\n',
    );
    expect((await create(here.client, 'v', sized(30_000_000))).text).toContain('expand is not implemented');
    await here.stop();
  });

  test('an alias makes no disk: one effect, not two', async () => {
    const here = await running();
    await create(here.client, 'v');
    await create(here.client, 'w', { Name: 'v-name' });
    expect(here.server.counters()).toMatchObject({ writes: 2, effects: 3 });
    await here.stop();
  });

  test('a disk that is lost stays registered: only its provider knows', async () => {
    const here = await running();
    await create(here.client, 'v');
    const { ExternalID } = (await here.client.get('/v1/volume/csi/v')).json();
    expect((await here.client.delete(`/setup/disks/hostpath/${ExternalID}`)).status).toBe(200);
    expect((await here.client.delete(`/setup/disks/hostpath/${ExternalID}`)).status).toBe(404);
    expect((await here.client.get('/v1/volume/csi/v')).status).toBe(200);
    expect((await here.client.delete('/v1/volume/csi/v/delete')).status).toBe(200);
    await here.stop();
  });

  test('a page costs its length: lists see each write although keys are sorted late', async () => {
    const here = await running();
    for (const id of ['c', 'a', 'b']) await create(here.client, id);
    const page = () =>
      here.client.get('/v1/volumes?type=csi&per_page=1').then((answer) => answer.json()[0]?.ID);
    expect(await page()).toBe('a');
    await here.client.delete('/v1/volume/csi/a');
    expect(await page()).toBe('b');
    await create(here.client, 'a');
    await until('it is the first again', async () => (await page()) === 'a');
    await here.stop();
  });
});
