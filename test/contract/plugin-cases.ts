// What depends on plugins and providers, which only the set-up API can put into a wanted state.
import { describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import { mebibyte, writer, type Bench } from './bench.ts';

export function pluginCases(bench: Bench): void {
  const plugin = async (more: object): Promise<string> => {
    const ID = bench.fresh('plugin');
    await bench.client.post('/setup/plugins', { ID, Capabilities: ['CREATE_DELETE_VOLUME'], ...more });
    return ID;
  };

  describe.runIf(bench.target.embedded)('plugins', () => {
    test('health is joined when a volume is read: it moves no index of volumes', async () => {
      const PluginID = await plugin({});
      const volume = await bench.created({ PluginID });
      expect(volume.Schedulable).toBe(true);
      const before = bench.indexOf(await bench.list());
      await bench.client.put(`/setup/plugins/${PluginID}`, { healthy: false });
      const after = await bench.client.get(`/v1/volume/csi/${volume.ID}`);
      expect(after.json()).toMatchObject({
        Schedulable: false,
        NodesHealthy: 0,
        ModifyIndex: volume.ModifyIndex,
      });
      expect(bench.indexOf(after)).toBe(before);
      const refused = await bench.create(bench.fresh('v'), { PluginID });
      expect(refused.text).toBe(`no healthy controllers for CSI plugin: ${PluginID}`);
    });

    const internal = 'controller plugin returned an internal error';
    const own = '\t* controller create volume: CSI.ControllerCreateVolume: out of luck\n';
    const tiny = { RequestedCapacityMin: 1, RequestedCapacityMax: 2 };
    const nowhere = { RequestedTopologies: { Required: [{ zone: 'z' }] } };
    const anyhow = { RequestedCapabilities: [{ ...writer, AccessMode: 'any' }] };
    const snapshot = { SnapshotID: 'snap-0' };
    test.each([
      { made: { Capabilities: [] }, text: 'plugin has no controller', why: 'nobody makes disks' },
      {
        made: { Capabilities: ['LIST_VOLUMES'] },
        text: 'plugin does not support creating',
        why: 'it has to',
      },
      { made: { RequiredSecrets: ['token'] }, text: internal, why: 'some want secrets' },
      { made: { FailsWith: 'out of luck' }, text: own, why: 'its own words are passed on' },
      { volume: snapshot, text: 'content source "snap-0" does not exist', why: 'a source has to be there' },
      { volume: tiny, text: 'unsupported capacity_range for volume', why: 'sizes are whole MiB' },
      {
        made: { RequiresTopologies: true },
        volume: nowhere,
        text: 'unable to provision',
        why: 'no such place',
      },
      { volume: anyhow, text: 'unknown volume access mode: any', why: 'modes are judged by plugins' },
    ])('create says "$text": $why', async ({ made = {}, volume = {}, text }) => {
      proves('a create has the name, size, mount options, source and places that were asked for');
      proves('creating and deleting need `CREATE_DELETE_VOLUME`');
      const answer = await bench.create(bench.fresh('v'), { PluginID: await plugin(made), ...volume });
      expect([answer.status, answer.text]).toEqual([500, expect.stringContaining(text)]);
    });

    test('disks are whole MiB, at least as large as asked for', async () => {
      proves('a create has the name, size, mount options, source and places that were asked for');
      const { Capacity } = await bench.created({ RequestedCapacityMin: 10 * mebibyte + 1 });
      expect(Capacity).toBe(11 * mebibyte);
    });

    test('a name that has another disk is a conflict', async () => {
      const { Name } = await bench.created({ Parameters: { type: 'fast' } });
      const answer = await bench.create(bench.fresh('v'), { Name, Parameters: { type: 'slow' } });
      expect(answer.text).toContain('already exists but is incompatible with these parameters');
    });

    test('deleting merges stored secrets with those of the header, where commas separate', async () => {
      proves('`X-Cluster-CSI-Secrets` has secrets with commas between, merged with the stored ones');
      const PluginID = await plugin({ RequiredSecrets: ['token'] });
      const volume = await bench.created({ PluginID, Secrets: { token: 't' } });
      await bench.client.put(`/setup/plugins/${PluginID}`, { RequiredSecrets: ['token', 'second'] });
      const path = `/v1/volume/csi/${volume.ID}/delete`;
      expect((await bench.client.delete(path)).text).toContain(internal);
      const header = bench.dialect.headers.csiSecrets;
      const loose = { [header]: 'first=a=b,second,second-,' }; // pieces without = are dropped
      expect((await bench.client.delete(path, { headers: loose })).text).toContain(internal);
      const whole = { [header]: 'first=a=b,loose,second=x' };
      expect((await bench.client.delete(path, { headers: whole })).status).toBe(200);
    });

    test('a volume whose plugin is gone is unschedulable and can only be deregistered', async () => {
      const PluginID = await plugin({});
      const { ID } = await bench.created({ PluginID });
      await bench.client.delete(`/setup/plugins/${PluginID}`);
      expect(await bench.read(ID)).toMatchObject({ Schedulable: false, NodesExpected: 0, PluginID });
      expect((await bench.client.delete(`/v1/volume/csi/${ID}/delete`)).text).toBe(
        `plugin not found: ${PluginID}`,
      );
      expect((await bench.client.delete(`/v1/volume/csi/${ID}`)).status).toBe(200);
    });

    test('a disk is made where it is preferred among where it may be, and says so', async () => {
      proves('a create has the name, size, mount options, source and places that were asked for');
      const both = { Required: [{ zone: 'a' }, { zone: 'b' }], Preferred: [{ zone: 'b' }] };
      const volume = await bench.created({ PluginID: 'ebs', RequestedTopologies: both });
      expect(volume).toHaveProperty('Topologies', [lowered(bench, { zone: 'b' })]);
    });

    test('updates are refused where the plugin can not expand, and omitted secrets are wiped', async () => {
      if (!bench.dialect.capabilities.upsert) return expect(bench.target.dialectName).toBe('cluster');
      const PluginID = await plugin({ RequiredSecrets: ['token'] });
      const { ID } = await bench.created({ PluginID, Secrets: { token: 't' } });
      const grow = { PluginID, Secrets: { token: 't' }, RequestedCapacityMin: 2 ** 40 };
      const answer = await bench.register(ID, grow);
      expect(answer.text).toContain('expand is not implemented by this controller plugin');
      await bench.create(ID, { PluginID });
      return expect((await bench.client.delete(`/v1/volume/csi/${ID}/delete`)).text).toContain(internal);
    });
  });
}

function lowered(bench: Bench, topology: Readonly<Record<string, string>>): object {
  return bench.dialect.topology === 'segments' ? { Segments: topology } : topology;
}
