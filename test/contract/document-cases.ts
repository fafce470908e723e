// What the documents say to the letter and the real service does otherwise: each case asks both, by dialect
// (docs/decisions/0034-the-documents-to-the-letter.md).
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { namesIn, proves } from '../coverage/proves.ts';
import { Allocations } from './allocations.ts';
import { mebibyte, type Bench } from './bench.ts';
import { until, type Answer } from './client.ts';
import { EventStreams, future, keysOf } from './event-streams.ts';
import { packedText } from './packed-text.ts';

const said = ({ status, text }: Answer) => [status, text];

const idsOf = (all: readonly { ID: string }[]) => all.map(({ ID }) => ID).toSorted();

export function documentCases(bench: Bench): void {
  const { target } = bench;
  const nomad = target.dialectName === 'nomad';
  const of = new Allocations(bench);
  const streams = new EventStreams(bench);

  describe('to the letter', () => {
    const encodings = [
      { accepts: 'gzip', packs: true, why: 'the documents name it' },
      { accepts: 'gzip;q=0', packs: false, why: '0 means no' },
    ];
    const weighed = [
      { accepts: 'br;q=1.0, gzip;q=0.5', packs: true, why: 'any quality above 0 is a yes' },
      { accepts: 'gzip;q=1.0', packs: true, why: 'so is all of it' },
      { accepts: 'gzip; q=0.000, deflate', packs: false, why: '0 in full means no, too' },
      { accepts: 'deflate', packs: false, why: 'another coding is not gzip' },
    ];
    // Nomad reads no qualities, and deflates on request (docs/real-servers.md)
    test.each([...encodings, ...(target.embedded ? weighed : [])])(
      'Accept-Encoding "$accepts" packs: $packs, $why',
      async ({ accepts, packs }) => {
        proves('`Accept-Encoding: gzip` compresses the reply');
        const answer = await bench.client.get('/v1/agent/self', { headers: { 'accept-encoding': accepts } });
        expect(answer.header('content-encoding')).toBe(packs ? 'gzip' : undefined);
        const text = packs ? gunzipSync(answer.bytes).toString() : answer.text;
        expect(JSON.parse(text)).toHaveProperty('member');
      },
    );

    test('a list of volumes without a type tells an index, by which to wait', async () => {
      proves('a blocking read tells its index in `X-Cluster-Index`');
      const answer = await bench.client.get('/v1/volumes');
      expect(answer.json()).toEqual([]);
      if (nomad) return;
      expect(bench.indexOf(answer)).toBe(bench.indexOf(await bench.list()));
      expect(bench.header(answer, 'knownLeader')).toBe('true');
      const woken = bench.client.get(`/v1/volumes?index=${bench.indexOf(answer)}&wait=30s`);
      await bench.created();
      expect(bench.indexOf(await woken)).toBeGreaterThan(bench.indexOf(answer));
    });

    test('names of fields in a body are exact; really any case will do', async () => {
      proves('field names are exact and case-sensitive');
      const id = bench.fresh('cased');
      const { Volumes } = bench.body({ ID: id, Name: id, RequestedCapacityMin: mebibyte });
      const answer = await bench.client.put(`/v1/volume/csi/${id}/create`, { volumes: Volumes });
      expect(said(answer)).toEqual(nomad ? [200, expect.any(String)] : [500, 'missing volume definition']);
      const [volume] = Volumes;
      const inner = Object.fromEntries(
        Object.entries(volume ?? {}).map(([key, held]) => [key === 'PluginID' ? 'pluginID' : key, held]),
      );
      const within = await bench.client.put(`/v1/volume/csi/${id}/create`, { Volumes: [inner] });
      if (!nomad) expect(said(within)).toEqual([500, 'validation: missing plugin id']);
    });

    test('a single read counts claims as lists do', async () => {
      const { ID } = await bench.created();
      const read = (await bench.client.get(`/v1/volume/csi/${ID}`)).json();
      const counts = nomad ? [undefined, undefined] : [0, 0];
      expect([read.CurrentReaders, read.CurrentWriters]).toEqual(counts);
    });

    test('snapshots are listed of a plugin, which has to be named', async () => {
      proves('`GET /v1/volumes/snapshot` needs `plugin_id`, and lists page by page');
      const answer = await bench.client.get('/v1/volumes/snapshot?per_page=5');
      expect(said(answer)).toEqual(nomad ? [500, 'no such plugin'] : [400, 'missing plugin_id']);
    });
  });

  describe.skipIf(target.token === undefined)('the stream, to the letter', () => {
    afterEach(() => streams.close());

    test('who takes gzip gets the stream in gzip, and each line at once; really it is never packed', async () => {
      proves('`Accept-Encoding: gzip` compresses the reply');
      const headers = { [bench.dialect.headers.token]: target.token ?? '', 'accept-encoding': 'gzip' };
      const packed = await packedText(
        `${bench.url}/v1/event/stream?topic=ACLPolicy&index=${future}`,
        headers,
      );
      expect(packed.encoding).toBe(nomad ? undefined : 'gzip');
      await until('it begins', () => packed.text() === '{}\n');
      const Name = bench.fresh('packed');
      await bench.client.put(`/v1/acl/policy/${Name}`, { Name, Rules: '{"node":{"policy":"read"}}' });
      await until('it is told', () => packed.text().includes(Name));
      packed.close();
      await bench.client.delete(`/v1/acl/policy/${Name}`);
    });
  });

  describe.runIf(target.embedded)('to the letter, as set up', () => {
    afterEach(() => streams.close());

    test.each([
      { query: 'topic=Node&topic=Node', why: 'the same topic twice' },
      { query: 'topic=Node&topic=Node:$', why: 'a topic and one of its keys' },
    ])('?$query is all of Node, each event once: $why', async ({ query }) => {
      proves('`topic` is `topic:key` and repeatable; a topic alone is all of it');
      const [{ ID: one }, { ID: two }] = (await bench.client.get('/v1/nodes')).json();
      const { Index } = (await bench.client.post('/setup/events', mark())).json();
      const reader = await streams.open(`${query.replace('$', one)}&topic=Mark&index=${Index}`);
      for (const id of [one, two]) {
        await bench.client.put(`/setup/nodes/${id}`, { status: 'down' });
        await bench.client.put(`/setup/nodes/${id}`, { status: 'ready' });
      }
      await bench.client.post('/setup/events', mark('End'));
      const events = await reader.eventsTo(({ Key }) => Key === 'End');
      const ofNodes = keysOf(events.filter(({ Topic }) => Topic === 'Node'));
      if (!nomad) expect(ofNodes).toEqual([one, one, two, two]);
      else expect(ofNodes).not.toEqual([one, one, two, two]);
    });

    test.each([
      { signal: '', status: 400, text: 'Failed to decode body|Signal is required', why: 'it is required' },
      { signal: 'SIGNOT', status: 400, text: 'invalid signal "SIGNOT"', why: 'it is the name of one' },
    ])('by the documents signal "$signal" is $status: $why', async ({ signal, status, text }) => {
      proves('`Signal` names the signal; `Task` one task, otherwise all get it');
      const id = await of.place();
      const answer = await of.act(id, 'signal', { Signal: signal });
      if (nomad) return expect(answer.status).toBe(200); // a driver without containers sends another one
      expect(said(answer)).toEqual([status, expect.stringMatching(text)]);
      return expect(await of.eventsOf(id, 'server')).not.toContain('Signaling');
    });

    test('plugin_id selects by prefix also where it is a whole ID; really it is exact', async () => {
      proves('`plugin_id` selects by prefix; plugin IDs are plain text');
      const short = bench.fresh('twin');
      const long = `${short}-more`;
      const Capabilities = [
        'CREATE_DELETE_VOLUME',
        'LIST_VOLUMES',
        'CREATE_DELETE_SNAPSHOT',
        'LIST_SNAPSHOTS',
      ];
      for (const ID of [short, long]) await bench.client.post('/setup/plugins', { ID, Capabilities });
      const cuts: string[] = [];
      const disks: string[] = [];
      for (const PluginID of [short, long]) {
        const { ID, ExternalID } = await bench.created({ PluginID });
        disks.push(ExternalID);
        const asked = { Snapshots: [{ SourceVolumeID: ID, Name: bench.fresh('cut') }] };
        const answer = await bench.client.post('/v1/volumes/snapshot', asked);
        cuts.push(answer.json().Snapshots[0].ID);
      }
      const list = async (path: string) =>
        (await bench.client.get(`/v1/volumes/${path}?plugin_id=${short}&per_page=9`)).json();
      const snapshots = idsOf((await list('snapshot')).Snapshots);
      expect(snapshots).toEqual(cuts.slice(0, nomad ? 1 : 2).toSorted());
      const external: readonly { ExternalID: string }[] = (await list('external')).Volumes;
      expect(external.map(({ ExternalID }) => ExternalID).toSorted()).toEqual(
        disks.slice(0, nomad ? 1 : 2).toSorted(),
      );
      const gone = await bench.client.delete(
        `/v1/volumes/snapshot?plugin_id=${short}&snapshot_id=${cuts[1]}`,
      );
      expect(gone.status).toBe(200); // a whole ID names one plugin: the other's snapshot stays
      expect(
        idsOf((await bench.client.get(`/v1/volumes/snapshot?plugin_id=${long}&per_page=9`)).json().Snapshots),
      ).toEqual([cuts[1]]);
    });

    test('a job copy has the groups and counts that were registered', async () => {
      proves('a job copy has its groups as they were registered');
      const id = bench.fresh('grouped');
      const groups = [
        { name: 'web', count: 3, tasks: [{ name: 'server', ports: ['http'] }] },
        { name: 'batch', count: 7, placed: false },
      ];
      const placed = (await bench.client.post('/setup/jobs', { id, groups })).json().Allocations;
      expect(placed).toHaveLength(3);
      const { Job } = await of.read(placed[0]);
      expect(Job?.TaskGroups).toMatchObject([
        { Name: 'web', Count: 3, Tasks: [{ Name: 'server', Services: [{ Name: `${id}-web-http` }] }] },
        { Name: 'batch', Count: 7, Tasks: [{ Name: 'main' }] },
      ]);
      expect(Job?.Priority).toBe(50);
    });

    test('a node tells the address that it was registered with', async () => {
      const body = { name: bench.fresh('node'), httpAddr: '10.0.0.7:14646' };
      const { ID } = (await bench.client.post('/setup/nodes', body)).json();
      const node = (await bench.client.get(`/v1/node/${ID}`)).json();
      expect([node.HTTPAddr, node.Address]).toEqual(['10.0.0.7:14646', '10.0.0.7']);
      await bench.client.delete(`/setup/nodes/${ID}`);
    });

    test('what tasks do by themselves is told', async () => {
      proves('types of task events that happen by themselves');
      const seen = new Set<string>();
      const note = async (id: string) => {
        for (const { Events } of Object.values((await of.read(id)).TaskStates ?? {}))
          for (const { Type } of Events ?? []) seen.add(Type ?? '');
      };
      const failing = await of.place({
        tasks: [{ name: 'a', restartMs: 0, restartFails: true }, { name: 'b' }],
      });
      await of.act(failing, 'signal', { Signal: 'SIGHUP' });
      const task = nomad ? 'TaskName' : 'Task';
      await of.act(failing, 'restart', { [task]: 'a' });
      await until('it has failed', async () => (await of.read(failing)).ClientStatus === 'failed');
      await note(failing);
      const stopped = await of.place({ tasks: [{ name: 'a', stopMs: 0 }] });
      await bench.client.post(`/v1/allocation/${stopped}/stop`, undefined);
      await until('it has ended', async () => (await of.read(stopped)).ClientStatus === 'complete');
      await note(stopped);
      const PluginID = bench.fresh('fails');
      await bench.client.post('/setup/plugins', { ID: PluginID, Capabilities: ['CREATE_DELETE_VOLUME'] });
      const volumes = [{ id: (await bench.created({ PluginID })).ID }];
      const barred = await of.place({ tasks: [{ name: 'a', stopMs: 0 }], volumes });
      await bench.client.put(`/setup/plugins/${PluginID}`, { healthy: false });
      await bench.client.post(`/v1/allocation/${barred}/stop`, undefined);
      await until('it has ended', async () => (await of.read(barred)).ClientStatus === 'complete');
      await note((await of.read(barred)).NextAllocation ?? '');
      expect([...seen].toSorted()).toEqual(
        namesIn('types of task events that happen by themselves').toSorted(),
      );
    });
  });
}

const mark = (Key = 'mark') => ({ Topic: 'Mark', Type: 'Mark', Key, Payload: {} });
