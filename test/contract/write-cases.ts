// Registering, creating, updating and removing volumes.
import { describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import { mebibyte, writer, type Bench } from './bench.ts';

export function writeCases(bench: Bench): void {
  const upserts = bench.dialect.capabilities.upsert;

  describe('registering and creating', () => {
    test.each([
      {
        volume: { RequestedCapabilities: [] },
        text: 'must include at least one capability block',
        why: 'it has a use',
      },
      { volume: { PluginID: '' }, text: 'missing plugin id', why: 'somebody provides it' },
      {
        volume: { ID: '', PluginID: '' },
        text: 'missing volume id, missing plugin id',
        why: 'all is told at once',
      },
      {
        volume: { SnapshotID: 's', CloneID: 'c' },
        text: 'only one of snapshot_id and clone_id',
        why: 'it has one source',
      },
      {
        volume: { RequestedTopologies: { Required: [{}] } },
        text: 'missing segments field',
        why: 'a place has a name',
      },
      {
        volume: { PluginID: 'none' },
        text: 'no CSI plugin named: none could be found',
        why: 'the plugin is there',
      },
    ])('500 "$text": $why', async ({ volume, text }) => {
      proves('a volume needs an ID, a plugin and capabilities');
      const id = bench.fresh('bad');
      for (const answer of [await bench.create(id, volume), await bench.register(id, volume)]) {
        expect([answer.status, answer.text]).toEqual([500, expect.stringContaining(text)]);
      }
    });

    test('no volume in the body is an error, two are not, and the ID in the path is ignored', async () => {
      proves('the body has one volume or more; its ID counts');
      const none = await bench.client.put('/v1/volume/csi/x/create', { Volumes: [] });
      expect([none.status, none.text]).toEqual([500, expect.stringContaining('missing volume definition')]);
      const [one, two] = [bench.fresh('two'), bench.fresh('two')];
      const Volumes = [one, two].flatMap((ID) => bench.body({ ID, Name: ID }).Volumes);
      expect((await bench.client.put('/v1/volume/csi/ignored/create', { Volumes })).status).toBe(200);
      expect([(await bench.read(one)).ID, (await bench.read(two)).ID]).toEqual([one, two]);
    });

    test('what creating answers names the disk; the rest of it may be of the moment before', async () => {
      const id = bench.fresh('answered');
      const first = (await bench.create(id)).json();
      const volume = await bench.read(id);
      const nomad = bench.target.dialectName === 'nomad';
      expect(first.Volumes).toMatchObject([{ ID: id, ExternalID: volume.ExternalID }]);
      expect(first.Volumes[0].ModifyIndex).toBe(nomad ? 0 : volume.ModifyIndex);
      expect(first.Volumes[0].Schedulable).toBe(!nomad);
      expect(first.Index).toBe(volume.ModifyIndex);
      expect(volume).toMatchObject({ ResourceExhausted: nomad ? null : 0 });
      expect(Number(Object(volume)['ModifyTime']) > 0).toBe(!nomad);
      if (!nomad) return;
      const [again] = (await bench.create(id)).json().Volumes;
      expect([again.ModifyIndex, again.Schedulable]).toEqual([volume.ModifyIndex, true]);
      expect((await bench.read(id)).ModifyIndex).toBeGreaterThan(volume.ModifyIndex);
    });

    test('creating without a name is refused by the plugin', async () => {
      const answer = await bench.create(bench.fresh('nameless'), { Name: '' });
      expect(answer.status).toBe(500);
      expect(answer.text).toMatch(/^1 error occurred:\n\t\* .*CSI\.ControllerCreateVolume: .*\n\n$/);
    });

    test('the same name finds the same disk, whatever the ID', async () => {
      proves('the same name finds the same disk');
      const first = await bench.created();
      const id = bench.fresh('alias');
      await bench.create(id, { Name: first.Name });
      expect((await bench.read(id)).ExternalID).toBe(first.ExternalID);
    });

    test('a namespace that is not there is found out at the end', async () => {
      const answer = await bench.create(bench.fresh('lost'), { Namespace: 'nowhere' });
      expect(answer.status).toBe(500);
      expect(answer.text).toContain('is in nonexistent namespace nowhere');
    });

    test('another disk under the same ID is found out at the end, too, and nothing is registered', async () => {
      const ID = bench.fresh('twin');
      const PluginID = bench.target.plugin;
      const RequestedCapabilities = [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }];
      const twin = (Name: string) => ({
        ID,
        Name,
        PluginID,
        RequestedCapabilities,
        RequestedCapacityMin: 10_485_760,
      });
      const Volumes = [twin(`${ID}-a`), twin(`${ID}-b`)];
      const answer = await bench.client.put(`/v1/volume/csi/${ID}/create`, { Volumes });
      expect(answer.status).toBe(500);
      expect(answer.text).toContain(`volume identity cannot be updated: ${ID}`);
      expect((await bench.client.get(`/v1/volume/csi/${ID}`)).status).toBe(404);
    });

    test('registering a disk that is not there is refused by the plugin', async () => {
      proves('`PUT /v1/volume/csi/{id}` registers a disk that its provider has');
      const answer = await bench.register(bench.fresh('ghost'), { ExternalID: 'no-such-disk' });
      expect(answer.status).toBe(500);
      expect(answer.text).toMatch(/controller validate volume: .* could not be found/);
    });

    test.skipIf(upserts)(
      'creating or registering a registered volume is an error and changes nothing',
      async () => {
        proves('registering or creating a registered volume is an error');
        const volume = await bench.created();
        for (const answer of [await bench.create(volume.ID), await bench.register(volume.ID)]) {
          expect([answer.status, answer.text]).toEqual([500, `volume already registered: ${volume.ID}`]);
        }
        expect(await bench.read(volume.ID)).toEqual(volume);
      },
    );
  });

  describe.runIf(upserts)('updating', () => {
    test('registering again changes what may change, keeps what is left out and clears mount options', async () => {
      const volume = await bench.created({ Parameters: { type: 'fast' }, MountOptions: { FsType: 'ext4' } });
      const more = { AccessMode: 'single-node-reader-only', AttachmentMode: 'file-system' };
      expect((await bench.register(volume.ID, { RequestedCapabilities: [writer, more] })).status).toBe(200);
      const after = await bench.read(volume.ID);
      expect(after).toMatchObject({
        Name: volume.Name,
        ExternalID: volume.ExternalID,
        Parameters: { type: 'fast' },
        RequestedCapabilities: [writer, more],
      });
      expect(after.MountOptions).not.toMatchObject({ FSType: 'ext4' });
      expect(after.ModifyIndex).toBeGreaterThan(volume.ModifyIndex);
    });

    test('what may not change is refused, every reason in one answer', async () => {
      const volume = await bench.created({ Parameters: { type: 'fast' } });
      const wrong = { Name: 'other', ExternalID: 'other', Parameters: { type: 'slow' } };
      expect((await bench.register(volume.ID, wrong)).text).toBe(
        'unable to update volume: 3 errors occurred:\n\t* volume name cannot be updated\n' +
          '\t* volume external ID cannot be updated\n\t* volume parameters cannot be updated\n\n',
      );
      expect(await bench.read(volume.ID)).toEqual(volume);
    });

    test('a larger minimum expands, a maximum below what is there is refused', async () => {
      const { ID } = await bench.created({ RequestedCapacityMin: 10 * mebibyte });
      expect((await bench.register(ID, { RequestedCapacityMin: 20 * mebibyte })).status).toBe(200);
      expect((await bench.read(ID)).Capacity).toBeGreaterThanOrEqual(20 * mebibyte);
      const shrunk = await bench.register(ID, {
        RequestedCapacityMin: 1,
        RequestedCapacityMax: 5 * mebibyte,
      });
      expect(shrunk.text).toBe(
        'unable to update volume: max requested capacity (5.2 MB) less than or equal to current (21 MB)',
      );
    });
  });

  describe('removing', () => {
    test('deregistering answers with nothing but headers; the disk stays and can be registered again', async () => {
      proves('`PUT /v1/volume/csi/{id}` registers a disk that its provider has');
      proves('`DELETE /v1/volume/csi/{id}` deregisters; the disk stays');
      const volume = await bench.created();
      const gone = await bench.client.delete(`/v1/volume/csi/${volume.ID}`);
      expect([gone.status, gone.text, gone.header('content-type')]).toEqual([200, '', undefined]);
      expect(bench.indexOf(gone)).toBeGreaterThan(volume.ModifyIndex);
      const id = bench.fresh('again');
      expect((await bench.register(id, { ExternalID: volume.ExternalID })).status).toBe(200);
      expect((await bench.read(id)).ExternalID).toBe(volume.ExternalID);
    });

    test('deleting takes the disk along: its name is free again', async () => {
      proves('`DELETE /v1/volume/csi/{id}/delete` deletes the disk as well');
      const volume = await bench.created();
      const gone = await bench.client.delete(`/v1/volume/csi/${volume.ID}/delete`);
      expect([gone.status, gone.text]).toEqual([200, '']);
      expect((await bench.client.get(`/v1/volume/csi/${volume.ID}`)).status).toBe(404);
      await bench.create(volume.ID);
      expect((await bench.read(volume.ID)).ExternalID).not.toBe(volume.ExternalID);
    });

    const node = '00000000-0000-4000-8000-000000000000';
    test.each([
      { path: '', status: 500, text: 'volume not found: absent', why: 'there is none to deregister' },
      { path: '/delete', status: 500, text: 'volume not found: absent', why: 'there is none to delete' },
      { path: `/detach?node=${node}`, status: 500, text: 'no such volume', why: 'there is none to detach' },
      { path: '/detach', status: 400, text: 'detach requires node ID', why: 'detaching is from a node' },
      {
        path: '/detach?node=abc',
        status: 500,
        text: 'no such volume',
        why: 'the volume is looked for first',
      },
      { path: '?force=perhaps', status: 400, text: 'invalid force value', why: 'force is a flag' },
    ])('DELETE absent$path is $status: $why', async ({ path, status, text }) => {
      proves('`DELETE /v1/volume/csi/{id}` deregisters; the disk stays');
      proves('`DELETE /v1/volume/csi/{id}/delete` deletes the disk as well');
      proves('`DELETE /v1/volume/csi/{id}/detach` detaches from the `node`, which is required');
      const answer = await bench.client.delete(`/v1/volume/csi/absent${path}`);
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
    });
  });
}
