// Claims and allocations. Allocations are placed through the set-up API; a real server has to have one that
// writes a volume.
import { describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import { writer, type Bench, type Volume } from './bench.ts';

export function claimCases(bench: Bench): void {
  const { target } = bench;
  const nomad = target.dialectName === 'nomad';
  /** An allocation that writes the volume. */
  const claim = async (id: string, ClientStatus = 'running'): Promise<{ ID: string; NodeID: string }> => {
    const body = { JobID: 'web', ClientStatus, Volumes: [{ ID: id }] };
    return (await bench.client.post('/setup/allocations', body)).json();
  };

  describe.skipIf(!target.embedded && target.claimed === undefined)('a volume in use', () => {
    const inUse = async (): Promise<Volume> => {
      if (target.claimed !== undefined) return bench.read(target.claimed);
      const { ID } = await bench.created();
      await claim(ID);
      return bench.read(ID);
    };

    test('says by whom and how', async () => {
      proves('a volume has its allocations as list entries, and null for each claim');
      const volume = await inUse();
      const [writes, ...more] = Object.entries(volume.WriteAllocs ?? {});
      expect([more, writes?.[1]]).toEqual([[], null]);
      expect(volume).toMatchObject({ ...writer, ReadAllocs: {}, Schedulable: true });
      expect(volume.Allocations).toMatchObject([{ ID: writes?.[0], ClientStatus: 'running' }]);
      const [listed] = (await bench.list(`&prefix=${volume.ID}`)).json();
      expect(listed).toMatchObject({ ...writer, CurrentReaders: 0, CurrentWriters: 1 });
    });

    test.each(['', '?force=true'])('is not deregistered%s', async (query) => {
      proves('deregistering a volume in use is an error, by force as well while an allocation runs');
      const { ID } = await inUse();
      const answer = await bench.client.delete(`/v1/volume/csi/${ID}${query}`);
      expect([answer.status, answer.text]).toEqual([500, `volume in use: ${ID}`]);
    });

    test.runIf(bench.dialect.capabilities.upsert)('is updated only as its use allows', async () => {
      const { ID } = await inUse();
      const other = { ...writer, AccessMode: 'multi-node-multi-writer' };
      const same = await bench.register(ID, { MountOptions: {} });
      expect([same.status, same.json().Volumes[0].ID]).toEqual([200, ID]);
      expect((await bench.register(ID)).text).toContain(
        'can not update mount options while volume is in use',
      );
      const used = await bench.register(ID, { MountOptions: {}, RequestedCapabilities: [other] });
      expect(used.text).toContain('update was not compatible with existing capability in use');
    });

    test('a list by node holds what allocations there ask for', async () => {
      proves('lists of volumes select by `node_id` and `plugin_id`');
      const [used, unused] = [await inUse(), await bench.created()];
      const [{ NodeID = '' } = {}] = used.Allocations;
      const ids = await bench.ids(`&node_id=${NodeID.slice(0, 8)}`);
      expect([ids.includes(used.ID), ids.includes(unused.ID)]).toEqual([true, false]);
    });
  });

  const disksOf = async (plugin: string): Promise<readonly string[]> => {
    const list = await bench.client.get(`/v1/volumes/external?plugin_id=${plugin}&per_page=500`);
    return list.json().Volumes.map((one: { ExternalID: string }) => one.ExternalID);
  };

  test.skipIf(!target.embedded && target.doomed === undefined)(
    'deleting a claimed volume is an error; really its disk is lost all the same where the plugin does not look',
    async () => {
      proves('deleting a volume in use is an error');
      const doomed = async () => {
        const { ID } = await bench.created();
        await claim(ID);
        return ID;
      };
      const id = target.doomed ?? (await doomed());
      const { ExternalID, PluginID, WriteAllocs } = await bench.read(id);
      for (let again = 0; again < 2; again += 1) {
        const answer = await bench.client.delete(`/v1/volume/csi/${id}/delete`);
        expect([answer.status, answer.text]).toEqual([500, `volume in use: ${id}`]);
        expect((await disksOf(PluginID)).includes(ExternalID)).toBe(!nomad);
        expect(await bench.read(id)).toMatchObject({ ExternalID, WriteAllocs });
      }
    },
  );

  const at = (id: string, more: string) => bench.client.delete(`/v1/volume/csi/${id}${more}`);
  const plugin = async (more: object): Promise<string> => {
    const ID = bench.fresh('plugin');
    const Capabilities = ['CREATE_DELETE_VOLUME', 'LIST_VOLUMES', 'PUBLISH_UNPUBLISH_VOLUME'];
    await bench.client.post('/setup/plugins', { ID, Capabilities, ...more });
    return ID;
  };

  describe.runIf(target.embedded)('claims', () => {
    const inUse = /^volume in use: /;
    const blind = { Capabilities: ['CREATE_DELETE_VOLUME', 'LIST_VOLUMES'] };

    test.each([
      { why: 'it attaches and looks', more: {}, says: nomad ? /is in use: / : inUse, keeps: true },
      {
        why: 'it attaches and does not look',
        more: { DeletesInUse: true },
        says: inUse,
        keeps: !nomad,
      },
      {
        why: 'it attaches nothing, and so can’t know',
        more: blind,
        says: inUse,
        keeps: !nomad,
      },
    ])(
      'a claimed disk outlives its deletion; really that is the plugin’s: $why',
      async ({ more, says, keeps }) => {
        proves('deleting a volume in use is an error');
        const PluginID = await plugin(more);
        const { ID, ExternalID } = await bench.created({ PluginID });
        await claim(ID);
        const answer = await bench.client.delete(`/v1/volume/csi/${ID}/delete`);
        expect([answer.status, answer.text]).toEqual([500, expect.stringMatching(says)]);
        expect((await disksOf(PluginID)).includes(ExternalID)).toBe(keeps);
        expect(await bench.read(ID)).toMatchObject({ ID, ExternalID });
        const deregistered = await bench.client.delete(`/v1/volume/csi/${ID}`);
        expect([deregistered.status, deregistered.text]).toEqual([500, `volume in use: ${ID}`]);
      },
    );

    test('an allocation that is to stop writes until its tasks have ended: so long its claim stays, and nothing is detached', async () => {
      const volume = await bench.created();
      const { ID, NodeID } = await claim(volume.ID);
      await bench.client.put(`/setup/allocations/${ID}`, { DesiredStatus: 'stop' });
      const allocation = (await bench.client.get(`/v1/allocation/${ID}`)).json();
      expect(allocation).toMatchObject({
        ClientStatus: 'running',
        TaskStates: { main: { State: 'running' } },
      });
      expect((await at(volume.ID, '')).text).toBe(`volume in use: ${volume.ID}`);
      if (!nomad)
        expect((await at(volume.ID, `/detach?node=${NodeID}`)).text).toBe(`volume in use: ${volume.ID}`);
      expect((await bench.read(volume.ID)).WriteAllocs).toEqual({ [ID]: null });
      const forced = await at(volume.ID, '?force=true'); // the real service does not wait
      expect([forced.status, forced.text]).toEqual(nomad ? [200, ''] : [500, `volume in use: ${volume.ID}`]);
    });

    test('an ended allocation still holds the volume, until force or, by the documents, detaching releases it', async () => {
      proves('`force` drops claims of ended allocations');
      proves('`DELETE /v1/volume/csi/{id}/detach` detaches from the `node`, which is required');
      const [forced, detached] = [await bench.created(), await bench.created()];
      await claim(forced.ID, 'complete');
      expect((await at(forced.ID, '')).text).toBe(`volume in use: ${forced.ID}`);
      expect((await at(forced.ID, '?force=true')).status).toBe(200);
      const { NodeID } = await claim(detached.ID, 'failed');
      const answer = await at(detached.ID, `/detach?node=${NodeID}`);
      expect([answer.status, answer.text]).toEqual(nomad ? [500, 'Unknown allocation'] : [200, '']);
      if (nomad) return;
      const idle = { WriteAllocs: {}, AccessMode: '', AttachmentMode: '' };
      expect(await bench.read(detached.ID)).toMatchObject(idle);
      expect((await at(detached.ID, '/delete')).status).toBe(200);
    });

    test('detaching from under a running allocation is an error', async () => {
      proves('detaching from a running allocation is an error');
      const volume = await bench.created();
      const { ID, NodeID } = await claim(volume.ID);
      const answer = await at(volume.ID, `/detach?node=${NodeID}`);
      const error = nomad ? 'Unknown allocation' : `volume in use: ${volume.ID}`;
      expect([answer.status, answer.text]).toEqual([500, error]);
      const short = await at(volume.ID, '/detach?node=abc');
      expect(short.text).toContain(nomad ? 'Unknown allocation' : 'must be 36 characters');
      expect((await bench.read(volume.ID)).WriteAllocs).toEqual({ [ID]: null });
    });

    test('a claim wakes a blocked read, and an allocation is waited for by its own index', async () => {
      proves('with `index` a read waits until something changes');
      proves('lists and reads of allocations block');
      const volume = await bench.created();
      const index = bench.indexOf(await bench.list());
      const blocked = bench.client.get(`/v1/volume/csi/${volume.ID}?index=${index}&wait=30s`);
      const { ID } = await claim(volume.ID);
      expect((await blocked).json()).toMatchObject({ WriteAllocs: { [ID]: null } });
      const one = await bench.client.get(`/v1/allocation/${ID}`);
      expect(one.json()).toMatchObject({ ID, TaskStates: { main: { State: 'running' } } });
      const ended = bench.client.get(`/v1/allocation/${ID}?index=${bench.indexOf(one)}&wait=30s`);
      await claim((await bench.created()).ID); // the table moves, this allocation does not
      await bench.client.put(`/setup/allocations/${ID}`, { ClientStatus: 'complete' });
      expect((await ended).json()).toMatchObject({ ID, ClientStatus: 'complete' });
    });

    test('allocations are listed by creation, by prefix, in pages and without task states when not wanted', async () => {
      proves('`per_page` and `next_token` page through lists; without them a list is whole');
      proves('`GET /v1/allocations` lists allocations by creation');
      proves('`prefix` selects allocations by digits of their IDs');
      const placed = [];
      for (let i = 0; i < 3; i++) placed.push((await claim((await bench.created()).ID)).ID);
      const all = (await bench.client.get('/v1/allocations?filter=JobID+==+web')).json();
      expect(all.slice(-3).map((a: { ID: string }) => a.ID)).toEqual(placed);
      const newest = await bench.client.get('/v1/allocations?reverse=true&per_page=2');
      expect(newest.json().map((a: { ID: string }) => a.ID)).toEqual([placed[2], placed[1]]);
      const token = bench.header(newest, 'nextToken') ?? '';
      const next = await bench.client.get(`/v1/allocations?reverse=true&per_page=1&next_token=${token}`);
      expect(next.json()).toMatchObject([{ ID: placed[0] }]);
      const prefixed = await bench.client.get(
        `/v1/allocations?prefix=${placed[0]?.slice(0, 8)}&task_states=false`,
      );
      expect(prefixed.json()).toMatchObject([{ ID: placed[0], TaskStates: null }]);
    });
  });
}
