// Snapshots. Only the provider knows of them.
import { describe, expect, test } from 'vitest';
import type { CreatedSnapshot, SnapshotStub } from '../../src/api/scheduler/wire.ts';
import { proves } from '../coverage/proves.ts';
import type { Bench } from './bench.ts';
import { until, type Answer } from './client.ts';

const path = '/v1/volumes/snapshot';
const said = ({ status, text }: Answer) => [status, text];
const failed = (text: string) => [500, expect.stringContaining(text)];

export function snapshotCases(bench: Bench): void {
  const { target } = bench;
  const nomad = target.dialectName === 'nomad';
  const internal = 'controller plugin returned an internal error';
  const header = (secrets: string) => ({ headers: { [bench.dialect.headers.csiSecrets]: secrets } });

  const cut = (SourceVolumeID: string, more: object = {}): Promise<Answer> =>
    bench.client.post(path, { Snapshots: [{ SourceVolumeID, Name: bench.fresh('snap'), ...more }] });
  const made = async (SourceVolumeID: string, more: object = {}): Promise<CreatedSnapshot> =>
    (await cut(SourceVolumeID, more)).json().Snapshots[0];
  const list = (query: string, plugin = target.plugin) =>
    bench.client.get(`${path}?plugin_id=${plugin}&per_page=500&${query}`);
  /** By its ID: there is no read of one. */
  const listed = async (id: string, plugin?: string): Promise<SnapshotStub | undefined> => {
    const { Snapshots }: { Snapshots: readonly SnapshotStub[] } = (await list('', plugin)).json();
    return Snapshots.find(({ ID }) => ID === id);
  };
  const drop = (id: string, plugin = target.plugin, sent = {}) =>
    bench.client.delete(`${path}?plugin_id=${plugin}&snapshot_id=${id}`, sent);
  const plugin = async (more: object): Promise<string> => {
    const ID = bench.fresh('plugin');
    const Capabilities = ['CREATE_DELETE_VOLUME', 'CREATE_DELETE_SNAPSHOT', 'LIST_SNAPSHOTS'];
    await bench.client.post('/setup/plugins', { ID, Capabilities, ...more });
    return ID;
  };
  const volumeOf = (PluginID: string, more = {}) => bench.created({ PluginID, ...more });

  describe('snapshots', () => {
    test('are told once, with an ID that is nowhere else, and then listed, until they are deleted', async () => {
      proves('one path does different things by verb');
      proves('times of snapshots and node statuses are Unix seconds');
      proves('`POST /v1/volumes/snapshot` cuts snapshots of volumes, by name');
      proves('`DELETE /v1/volumes/snapshot` needs `plugin_id` and `snapshot_id`');
      proves('`GET /v1/volumes/snapshot` needs `plugin_id`, and lists page by page');
      const volume = await bench.created();
      const answer = await cut(volume.ID);
      const [one] = answer.json().Snapshots;
      const source = nomad
        ? { ExternalSourceVolumeID: volume.ExternalID, SourceVolumeID: '', PluginID: '', Secrets: null }
        : { SourceVolumeID: volume.ID };
      expect(one).toMatchObject({ ID: expect.stringMatching(/./), SizeBytes: volume.Capacity, ...source });
      expect(Math.abs(one.CreateTime - Date.now() / 1000)).toBeLessThan(60); // seconds
      expect(await listed(one.ID)).toMatchObject({
        ID: one.ID,
        ExternalSourceVolumeID: volume.ExternalID,
        PluginID: target.plugin,
        SizeBytes: one.SizeBytes,
        CreateTime: one.CreateTime,
      });
      const gone = await drop(one.ID);
      expect([...said(gone), gone.header('content-type')]).toEqual([200, '', undefined]);
      expect(await listed(one.ID)).toBeUndefined();
      expect((await drop(one.ID)).status).toBe(200); // CSI: what is gone is deleted
    });

    test('one of the same name and source is the same one, of another source a conflict', async () => {
      proves('`POST /v1/volumes/snapshot` cuts snapshots of volumes, by name');
      const [volume, other] = [await bench.created(), await bench.created()];
      const Name = bench.fresh('same');
      const { ID } = await made(volume.ID, { Name });
      const put = await bench.client.put(path, { Snapshots: [{ SourceVolumeID: volume.ID, Name }] });
      expect(put.json().Snapshots[0].ID).toBe(ID);
      const conflict = `snapshot "${Name}" already exists but is incompatible with volume ID "${other.ExternalID}": `;
      const answer = await cut(other.ID, { Name });
      expect(said(answer)).toEqual(failed(conflict));
      expect(answer.text).toMatch(
        /^1 error occurred:\n\t\* could not create snapshot: .*controller create snapshot: CSI\.ControllerCreateSnapshot: .*\n\n$/,
      );
      await drop(ID);
    });

    test('a volume is made from one, as large as that', async () => {
      proves('a create has the name, size, mount options, source and places that were asked for');
      const RequestedCapacityMin = 2 ** 24;
      const volume = await bench.created({ RequestedCapacityMin });
      const { ID } = await made(volume.ID);
      await until('it is ready', async () => (await listed(ID))?.IsReady === true);
      const copy = await bench.created({ SnapshotID: ID, RequestedCapacityMin });
      expect(copy.Capacity).toBe(volume.Capacity);
      await bench.client.delete(`/v1/volume/csi/${copy.ID}/delete`);
      await drop(ID);
    });

    test('of several, each failure is told and no success, which happened all the same', async () => {
      const { ID, ExternalID } = await bench.created();
      const Name = bench.fresh('lone');
      const Snapshots = [
        { SourceVolumeID: 'a', Name: 'a' },
        { SourceVolumeID: ID, Name },
        { SourceVolumeID: 'b', Name: 'b' },
      ];
      const answer = await bench.client.post(path, { Snapshots });
      expect(said(answer)).toEqual([
        500,
        '2 errors occurred:\n\t* no such volume "a"\n\t* no such volume "b"\n\n',
      ]);
      const { Snapshots: all }: { Snapshots: readonly SnapshotStub[] } = (await list('')).json();
      const cuts = all.filter((one) => one.ExternalSourceVolumeID === ExternalID);
      expect(cuts).toHaveLength(1);
      await drop(cuts[0]?.ID ?? '');
    });

    test.each([
      { more: { SourceVolumeID: 'absent' }, text: 'no such volume "absent"', why: 'it has a source' },
      { more: { PluginID: 'none' }, text: 'no such plugin "none"', why: 'a plugin cuts it' },
      { more: { Name: '' }, text: 'missing Name', why: 'its name finds it again' },
    ])('create says "$text": $why', async ({ more, text }) => {
      proves('`POST /v1/volumes/snapshot` cuts snapshots of volumes, by name');
      const { ID } = await bench.created();
      expect(said(await cut(ID, more))).toEqual(failed(text));
    });

    test('null and no body are no snapshots; none at all is fine', async () => {
      const none = await bench.client.post(path, { Snapshots: [] });
      expect([none.status, none.json().Snapshots]).toEqual([200, nomad ? null : []]);
      expect(said(await bench.client.post(path, { Snapshots: [null] }))).toEqual(
        failed('snapshot cannot be nil'),
      );
      expect((await bench.client.post(path, undefined)).status).toBe(400);
      expect((await bench.client.post(path, '{"Snapshots":[')).status).toBe(400);
    });

    test('deleting asks for a plugin and an ID, listing for a plugin', async () => {
      proves('`DELETE /v1/volumes/snapshot` needs `plugin_id` and `snapshot_id`');
      proves('`GET /v1/volumes/snapshot` needs `plugin_id`, and lists page by page');
      expect(said(await drop('x', 'none'))).toEqual([500, '1 error occurred:\n\t* no such plugin\n\n']);
      expect(said(await drop(''))).toEqual(failed('missing SnapshotID'));
      expect(said(await list('', 'none'))).toEqual([500, 'no such plugin']);
    });

    test('what is said of the index: nothing by the real service, the truth by the documents', async () => {
      const { ID } = await bench.created();
      const answers = [await cut(ID), await list(''), await drop('none')];
      for (const answer of answers) {
        expect(bench.header(answer, 'knownLeader')).toBe(String(!nomad));
        if (nomad) expect(bench.indexOf(answer)).toBe(0);
        else expect(bench.indexOf(answer)).toBeGreaterThan(0);
      }
      expect(answers[1]?.json()).toMatchObject(nomad ? { Index: 0, KnownLeader: false } : {});
    });
  });

  describe.runIf(target.embedded)('snapshots of all sorts of plugins', () => {
    test('are not ready at first', async () => {
      const PluginID = await plugin({ SnapshotReadyMs: 50 });
      const { ID, IsReady } = await made((await volumeOf(PluginID)).ID);
      expect(IsReady).toBe(false);
      await until('it is ready', async () => (await listed(ID, PluginID))?.IsReady === true);
    });

    test('a list that waits is woken by one that gets ready; the real service never waits', async () => {
      proves('a list of snapshots blocks');
      const PluginID = await plugin({ SnapshotReadyMs: 100 });
      const { ID } = await made((await volumeOf(PluginID)).ID);
      const index = Math.max(1, bench.indexOf(await list('', PluginID)));
      const answer = await list(`index=${index}&wait=30s`, PluginID);
      expect(answer.json().Snapshots).toMatchObject([{ ID, IsReady: !nomad }]);
    });

    test('asked for again while it is being cut, a snapshot is pending; it is cut once', async () => {
      const PluginID = await plugin({ SnapshotCutMs: 300 });
      const { ID } = await volumeOf(PluginID);
      const Name = bench.fresh('slow');
      const first = cut(ID, { Name });
      await until('it is being cut', async () => (await cut(ID, { Name })).text.includes('already pending'));
      expect((await first).status).toBe(200);
      const [row] = (await first).json().Snapshots;
      expect((await made(ID, { Name })).ID).toBe(row.ID);
    });

    test.each([
      { can: ['LIST_SNAPSHOTS'], verb: 'create', text: 'plugin "$" does not support snapshot' },
      { can: ['LIST_SNAPSHOTS'], verb: 'delete', text: '\t* plugin does not support snapshot' },
      {
        can: ['CREATE_DELETE_SNAPSHOT'],
        verb: 'list',
        text: 'plugin does not support listing snapshots',
      },
    ])('a plugin that lacks it can not $verb', async ({ can, verb, text }) => {
      proves('snapshots need `CREATE_DELETE_SNAPSHOT` and `LIST_SNAPSHOTS`');
      const PluginID = await plugin({ Capabilities: ['CREATE_DELETE_VOLUME', ...can] });
      const { ID } = await volumeOf(PluginID);
      const asked = {
        create: () => cut(ID),
        delete: () => drop('x', PluginID),
        list: () => list('', PluginID),
      };
      const answer = verb === 'create' ? asked.create() : verb === 'delete' ? asked.delete() : asked.list();
      expect(said(await answer)).toEqual(failed(text.replace('$', PluginID)));
    });

    test('one in use is not deleted', async () => {
      const { ID } = await made((await bench.created()).ID);
      await bench.client.post('/setup/snapshots', { pluginID: target.plugin, id: ID, inUse: true });
      const text = `could not delete "${ID}": controller delete snapshot: CSI.ControllerDeleteSnapshot: snapshot "${ID}" could not be deleted because it is in use: `;
      expect(said(await drop(ID))).toEqual(failed(text));
      expect(await listed(ID)).toBeDefined();
    });

    test("secrets: create takes the volume's and the request's, and not the header's", async () => {
      proves('secrets come in the body, in the header, and from the volume');
      const PluginID = await plugin({});
      const { ID } = await volumeOf(PluginID, { Secrets: { a: '1' } });
      await bench.client.put(`/setup/plugins/${PluginID}`, { RequiredSecrets: ['a', 'b'] });
      const Name = bench.fresh('secret');
      const body = { Snapshots: [{ SourceVolumeID: ID, Name }] };
      const sent = await bench.client.send('POST', path, { body, ...header('b=2') });
      expect(said(sent)).toEqual(failed(internal));
      expect((await cut(ID, { Name, Secrets: { b: '2' } })).status).toBe(200);
    });

    test('secrets: by the documents a deletion has those of the creation too, really only those of the header', async () => {
      proves('secrets come in the body, in the header, and from the volume');
      const PluginID = await plugin({ RequiredSecrets: ['a'] });
      const volume = await volumeOf(PluginID, { Secrets: { a: '1' } });
      const [one, two] = [await made(volume.ID), await made(volume.ID)];
      expect((await drop(one.ID, PluginID)).status).toBe(nomad ? 500 : 200);
      expect((await drop(two.ID, PluginID, header('a=1'))).status).toBe(200);
    });

    test('secrets: a list has those of the header', async () => {
      proves('secrets come in the body, in the header, and from the volume');
      const PluginID = await plugin({ RequiredSecrets: ['a'] });
      const at = `${path}?plugin_id=${PluginID}&per_page=5`;
      expect(said(await bench.client.get(at))).toEqual(failed(internal));
      expect((await bench.client.get(at, header('a=1'))).status).toBe(200);
    });

    test('pages follow tokens that only the plugin understands, and are no longer than it likes', async () => {
      proves('the next token comes in `X-Cluster-NextToken`, of what providers list in a field');
      proves('`GET /v1/volumes/snapshot` needs `plugin_id`, and lists page by page');
      const PluginID = await plugin({ PageMax: 3 });
      const { ID } = await volumeOf(PluginID);
      for (let n = 0; n < 5; n++) await cut(ID);
      const page = async (size: number, token = '') =>
        (
          await bench.client.get(
            `${path}?plugin_id=${PluginID}&per_page=${size}&next_token=${encodeURIComponent(token)}`,
          )
        ).json();
      const seen: string[] = [];
      let token: string | undefined;
      while (token !== '') {
        const { Snapshots, NextToken } = await page(2, token);
        seen.push(...Snapshots.map((one: SnapshotStub) => one.ID));
        token = NextToken;
      }
      expect(new Set(seen).size).toBe(5);
      expect((await page(0)).Snapshots).toHaveLength(3);
      expect((await page(400)).Snapshots).toHaveLength(3);
    });

    test('plugin_id of a deletion names one plugin, by the documents by its beginning', async () => {
      proves('`DELETE /v1/volumes/snapshot` needs `plugin_id` and `snapshot_id`');
      const [a, b] = [await plugin({ ID: bench.fresh('twin') }), await plugin({})];
      const volume = await volumeOf(b);
      const { ID } = await made(volume.ID);
      const both = 'plugin';
      expect(said(await drop(ID, both))).toEqual(failed(nomad ? 'no such plugin' : 'names several plugins'));
      expect(await listed(ID, b)).toBeDefined();
      expect((await drop(ID, b)).status).toBe(200);
      expect(a).not.toBe(b);
    });
  });
}
