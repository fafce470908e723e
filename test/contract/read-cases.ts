// Lists, reads, pages, filters and blocking queries of volumes.
import { describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import { idsIn, mebibyte, writer, type Bench } from './bench.ts';
import type { Answer } from './client.ts';

export function readCases(bench: Bench): void {
  const nomad = bench.target.dialectName === 'nomad';

  describe('reading volumes', () => {
    test('a list without a type is empty, one of another type does not exist', async () => {
      proves('`GET /v1/volumes` lists volumes of `type` `csi`; without a type none');
      expect((await bench.client.get('/v1/volumes')).json()).toEqual([]);
      const other = await bench.client.get('/v1/volumes?type=tape');
      expect([other.status, other.text]).toEqual([404, 'resource not found']);
    });

    test('an absent volume is 404 with the headers that let a client wait for it', async () => {
      const answer = await bench.client.get(`/v1/volume/csi/${bench.fresh('absent')}`);
      expect([answer.status, answer.text]).toEqual([404, 'volume not found']);
      expect(bench.header(answer, 'knownLeader')).toBe('true');
      expect(bench.header(answer, 'lastContact')).toMatch(/^\d+$/);
      expect(bench.header(answer, 'index')).toMatch(/^\d+$/);
    });

    test('what was created reads back, without its secrets and as large as the provider made it', async () => {
      proves('`GET /v1/volume/csi/{id}` reads one by its whole ID in its namespace');
      proves('`PUT /v1/volume/csi/{id}/create` makes a disk and registers it');
      proves('a create has the name, size, mount options, source and places that were asked for');
      proves('200 and 204 are success');
      const volume = await bench.created({
        RequestedCapacityMin: 10 * mebibyte + 1,
        Secrets: { token: 'canary' },
        Parameters: { type: 'fast' },
        MountOptions: { FsType: 'ext4', MountFlags: ['password=canary'] },
      });
      const answer = await bench.client.get(`/v1/volume/csi/${volume.ID}`);
      expect(answer.text).not.toContain('canary');
      expect(volume.MountOptions).toEqual({
        [nomad ? 'FSType' : 'FsType']: 'ext4',
        MountFlags: ['[REDACTED]'],
      });
      expect(volume).toMatchObject({
        Name: `${volume.ID}-name`,
        Namespace: 'default',
        PluginID: bench.target.plugin,
        ExternalID: expect.stringMatching(/./),
        Secrets: null,
        Parameters: { type: 'fast' },
        RequestedCapabilities: [writer],
        AccessMode: '',
        AttachmentMode: '',
      });
      expect(volume.Capacity).toBeGreaterThan(10 * mebibyte);
      expect(volume.ModifyIndex).toBeLessThanOrEqual(bench.indexOf(answer));
    });

    test('the namespace of a read is taken literally: * finds nothing', async () => {
      proves('`GET /v1/volume/csi/{id}` reads one by its whole ID in its namespace');
      const { ID } = await bench.created();
      expect((await bench.client.get(`/v1/volume/csi/${ID}?namespace=*`)).status).toBe(404);
      expect(await bench.ids(`&namespace=*&prefix=${ID}`)).toEqual([ID]);
      expect(await bench.ids(`&namespace=other&prefix=${ID}`)).toEqual([]);
    });

    test.each(['default', '*'])('in namespace %s pages cover the list once, in order', async (namespace) => {
      proves('`per_page` and `next_token` page through lists; without them a list is whole');
      proves('the next token comes in `X-Cluster-NextToken`, of what providers list in a field');
      proves('`namespace` is by default `default`; a list takes `*` for all');
      const prefix = bench.fresh('paged');
      for (const n of [3, 1, 2, 5, 4]) await bench.create(`${prefix}-${n}`);
      const query = `&namespace=${namespace}&prefix=${prefix}&per_page=2`;
      const seen: string[] = [];
      let token: string | undefined = '';
      while (token !== undefined) {
        const page: Answer = await bench.list(`${query}&next_token=${token}`);
        if (token !== '') expect(token).toBe(`default.${idsIn(page)[0] ?? ''}`);
        seen.push(...idsIn(page));
        token = bench.header(page, 'nextToken'); // absent after the last page
      }
      expect(seen).toEqual([1, 2, 3, 4, 5].map((n) => `${prefix}-${n}`));
      const anyText = await bench.ids(`${query}&next_token=default.${prefix}-35`);
      expect(anyText).toEqual([`${prefix}-4`, `${prefix}-5`]);
    });

    test('plugin_id is exact or a prefix, by dialect; an unknown plugin has no volumes', async () => {
      proves('`plugin_id` selects by prefix; plugin IDs are plain text');
      proves('lists of volumes select by `node_id` and `plugin_id`');
      const { ID } = await bench.created();
      const { plugin } = bench.target;
      expect(await bench.ids(`&plugin_id=${plugin}`)).toContain(ID);
      expect((await bench.ids(`&plugin_id=${plugin.slice(0, 4)}`)).includes(ID)).toBe(!nomad);
      expect(await bench.ids('&plugin_id=none-of-these')).toEqual([]);
    });

    test('filters select by stored fields, before pages are cut', async () => {
      proves('`filter` selects before pages are cut');
      const id = bench.fresh('filtered');
      await bench.create(id, { Parameters: { 'my key': 'v' } });
      const filtered = (filter: string) => bench.list(`&per_page=1&filter=${encodeURIComponent(filter)}`);
      const one = `Name == "${id}-name"`;
      expect(idsIn(await filtered(one))).toEqual([id]);
      expect(idsIn(await filtered(`${one} and Parameters["my key"] == v`))).toEqual([id]);
      expect(idsIn(await filtered(`"filtered-" in ID and ${one}`))).toEqual([id]);
      expect(idsIn(await filtered(`not (ID != "${id}")`))).toEqual([id]);
      expect(idsIn(await filtered(`${one} and Parameters is empty`))).toEqual([]);
      const syntax = await filtered('Name ==');
      expect([syntax.status, syntax.text]).toEqual([400, expect.stringContaining('read filter expression')]);
      const field = await filtered('Colour == "red"');
      expect([field.status, field.text]).toEqual([
        400,
        expect.stringContaining('error finding value in datum'),
      ]);
    });
  });

  describe('blocking', () => {
    test('an index below the current one answers at once, and a wait without an index does not wait', async () => {
      await bench.created();
      const index = bench.indexOf(await bench.list('&wait=5m'));
      expect((await bench.list(`&index=${index - 1}&wait=5m`)).status).toBe(200);
    });

    test('a blocked list, and a blocked read of what is absent, answer when a volume is written', async () => {
      proves('with `index` a read waits until something changes');
      proves('lists and reads of volumes block');
      const id = bench.fresh('awaited');
      const before = bench.indexOf(await bench.list());
      const read = bench.client.get(`/v1/volume/csi/${id}?index=${before}&wait=30s`);
      const list = bench.list(`&index=${before}&wait=30s`);
      await bench.create(id);
      expect(bench.indexOf(await list)).toBeGreaterThan(before);
      expect(idsIn(await list)).toContain(id);
      expect((await read).json()).toMatchObject({ ID: id });
    });

    test('when the wait ends the answer is the one of before', async () => {
      proves('a blocking read that returns is no proof of a change');
      const before = await bench.list();
      const after = await bench.list(`&index=${bench.indexOf(before)}&wait=50ms`);
      expect([after.status, idsIn(after)]).toEqual([200, idsIn(before)]);
    });
  });
}
