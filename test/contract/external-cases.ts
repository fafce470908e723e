// The disks as their providers list them.
import { describe, expect, test } from 'vitest';
import type { ExternalVolume } from '../../src/api/scheduler/wire.ts';
import { proves } from '../coverage/proves.ts';
import type { Bench } from './bench.ts';
import type { Answer } from './client.ts';

const said = ({ status, text }: Answer) => [status, text];
const disksOf = (answer: Answer): readonly ExternalVolume[] => answer.json().Volumes;

export function externalCases(bench: Bench): void {
  const { target } = bench;
  const nomad = target.dialectName === 'nomad';
  const list = (query: string) => bench.client.get(`/v1/volumes/external?${query}`);
  const all = (plugin: string) => list(`plugin_id=${plugin}&per_page=5000`);
  const find = async (plugin: string, id: string) =>
    disksOf(await all(plugin)).find((one) => one.ExternalID === id);
  const plugin = async (more: object = {}): Promise<string> => {
    const ID = bench.fresh('lister');
    const Capabilities = ['CREATE_DELETE_VOLUME', 'LIST_VOLUMES'];
    await bench.client.post('/setup/plugins', { ID, Capabilities, ...more });
    return ID;
  };

  describe('external volumes', () => {
    test('a disk is listed by its external ID, whether it is registered or not', async () => {
      proves('`PUT /v1/volume/csi/{id}/create` makes a disk and registers it');
      proves('`GET /v1/volumes/external` lists the disks of a provider, registered or not');
      const volume = await bench.created();
      const one = await find(target.plugin, volume.ExternalID);
      expect(one).toMatchObject({
        ExternalID: volume.ExternalID,
        CapacityBytes: volume.Capacity,
        SnapshotID: '',
        CloneID: '',
        IsAbnormal: false,
      });
      await bench.client.delete(`/v1/volume/csi/${volume.ID}`);
      expect(await find(target.plugin, volume.ExternalID)).toEqual(one);
      await bench.register(volume.ID, { ExternalID: volume.ExternalID });
      await bench.client.delete(`/v1/volume/csi/${volume.ID}/delete`);
      expect(await find(target.plugin, volume.ExternalID)).toBeUndefined();
    });

    test.each([
      { query: 'plugin_id=none&per_page=1', status: 500, text: 'no such plugin', why: 'somebody lists' },
      {
        query: 'plugin_id=$&per_page=-1',
        status: 500,
        text: 'MaxEntries cannot be negative',
        why: 'a count',
      },
      {
        query: 'plugin_id=$&per_page=x',
        status: 400,
        text: 'Expect a number for `per_page`',
        why: 'a number',
      },
      { query: 'plugin_id=$&per_page=1&wait=x', status: 400, text: 'Invalid wait time', why: 'a duration' },
      {
        query: 'plugin_id=$&per_page=1&next_token=!',
        status: 500,
        text: 'controller list volumes: CSI.ControllerListVolumes: invalid starting token "!": ',
        why: 'a token comes from the plugin',
      },
    ])('?$query is $status: $why', async ({ query, status, text }) => {
      expect(said(await list(query.replace('$', target.plugin)))).toEqual([
        status,
        expect.stringContaining(text),
      ]);
    });

    test('a size of the page is needed by the documents, and not really', async () => {
      proves('a list of a provider needs `per_page`, follows `next_token`, and blocks');
      expect((await list(`plugin_id=${target.plugin}`)).status).toBe(nomad ? 200 : 400);
      expect((await list(`plugin_id=${target.plugin}&per_page=0`)).status).toBe(200);
    });

    test('what is said of the index: nothing by the real service, the truth by the documents', async () => {
      const answer = await all(target.plugin);
      expect(bench.header(answer, 'knownLeader')).toBe(String(!nomad));
      expect(bench.indexOf(answer) > 0).toBe(!nomad);
      expect('Index' in answer.json()).toBe(nomad);
    });
  });

  describe.runIf(target.embedded)('external volumes of all sorts of plugins', () => {
    test('a plugin that can not list says so', async () => {
      proves('listing disks needs `LIST_VOLUMES`');
      const PluginID = await plugin({ Capabilities: ['CREATE_DELETE_VOLUME'] });
      expect(said(await all(PluginID))).toEqual([500, 'unimplemented for this plugin']);
    });

    test('what is wrong with a disk is told by plugins that can, and wakes a list that waits', async () => {
      proves('a list of a provider needs `per_page`, follows `next_token`, and blocks');
      proves("`Status` of a disk is the provider's message where it is abnormal");
      const can = ['CREATE_DELETE_VOLUME', 'LIST_VOLUMES'];
      const [teller, mute] = [await plugin({ Capabilities: [...can, 'VOLUME_CONDITION'] }), await plugin()];
      for (const PluginID of [teller, mute]) {
        const { ExternalID } = await bench.created({ PluginID });
        const index = bench.indexOf(await all(PluginID));
        const waiting = list(`plugin_id=${PluginID}&per_page=5&index=${index}&wait=30s`);
        if (nomad) await waiting;
        const body = { pluginID: PluginID, externalID: ExternalID, isAbnormal: true, status: 'bad blocks' };
        await bench.client.post('/setup/disks', body);
        const told = PluginID === teller ? 'bad blocks' : '';
        const expected = [{ ExternalID, IsAbnormal: PluginID === teller, Status: told }];
        expect(disksOf(await all(PluginID))).toMatchObject(expected);
        if (!nomad) expect(disksOf(await waiting)).toMatchObject(expected);
      }
    });

    test('where it is attached is told by the nodes', async () => {
      const { ID, ExternalID } = await bench.created();
      const placed = { JobID: 'web', Volumes: [{ ID }] };
      const { NodeID } = (await bench.client.post('/setup/allocations', placed)).json();
      expect(await find(target.plugin, ExternalID)).toMatchObject({ PublishedExternalNodeIDs: [NodeID] });
    });

    test('what it was made from is told', async () => {
      const { ExternalID: CloneID } = await bench.created();
      const { ExternalID } = await bench.created({ CloneID });
      expect(await find(target.plugin, ExternalID)).toMatchObject({ CloneID, SnapshotID: '' });
    });

    test('plugin_id is exact or a prefix, by dialect; pages go through all that it names', async () => {
      proves('`plugin_id` selects by prefix; plugin IDs are plain text');
      proves('a list of a provider needs `per_page`, follows `next_token`, and blocks');
      const [one, two] = [await plugin({ PageMax: 1 }), await plugin()];
      const prefix = 'lister-';
      const made = [await bench.created({ PluginID: one }), await bench.created({ PluginID: two })];
      const first = await list(`plugin_id=${prefix}&per_page=9`);
      if (nomad) return expect(said(first)).toEqual([500, 'no such plugin']);
      const seen: string[] = [];
      let answer = first;
      for (;;) {
        expect(disksOf(answer).length).toBeLessThanOrEqual(1);
        seen.push(...disksOf(answer).map(({ ExternalID }) => ExternalID));
        const { NextToken } = answer.json();
        if (NextToken === '') break;
        answer = await list(`plugin_id=${prefix}&per_page=9&next_token=${NextToken}`);
      }
      return expect(seen).toEqual(expect.arrayContaining(made.map(({ ExternalID }) => ExternalID)));
    });
  });
}
