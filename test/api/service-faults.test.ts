// The client against a scheduler that has a bad day: every answer becomes an error with a class, and nothing is taken
// for absence, success or failure that is not (services.md#scheduler-errors, services.md#blocking-queries).
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SchedulerDialectName } from '../../src/api/dialects.ts';
import type { SchedulerEffect } from '../../src/api/routes.ts';
import { HttpClient } from '../contract/client.ts';
import { bodyOf, running } from '../embedded/scheduler/running.ts';
import { proves } from '../coverage/proves.ts';
import { client, failure, never } from './servers.ts';

const at = { id: 'data', namespace: 'default' };
const key = 'CSIVolume/shop/data';
const deletion = (id: string): SchedulerEffect => ({
  port: 'scheduler',
  op: 'volume.delete',
  params: { ...at, id },
});
const creation = (PluginID: string): SchedulerEffect => ({
  port: 'scheduler',
  op: 'volume.create',
  params: at,
  body: { Volumes: [{ ID: 'new', Name: 'new', Namespace: 'default', PluginID }] },
});

const names: readonly SchedulerDialectName[] = ['cluster', 'nomad'];
describe.for(names)('%s', (dialect) => {
  async function onA(trouble: object, regions: readonly string[] = []) {
    const here = await running({ dialect, regions });
    onTestFinished(here.stop);
    await here.client.put('/v1/volume/csi/data/create', bodyOf('data'));
    await here.client.put('/setup/cluster', trouble);
    const to = (more: object = {}) => client([here.server.url], { dialect, ...more });
    return { ...here, to, sender: to() };
  }

  test('without a leader nothing is known: what is there is not absent, what was asked may be done', async () => {
    const { sender } = await onA({ leader: 'none' });
    const error = { class: 'unavailable', reason: 'NoLeader' };
    expect(await failure(sender.read('volume.read', at, never))).toMatchObject(error);
    expect(await failure(sender.read('status.leader', {}, never))).toMatchObject(error);
    expect(await sender.perform(deletion('data'), key, never)).toMatchObject({ is: 'unknown', error });
  });

  test('a new leader has not begun anything', async () => {
    const { sender } = await onA({ leader: 'unready' });
    const error = { class: 'unavailable', reason: 'NoLeader', mayHaveHadEffect: false };
    expect(await sender.perform(deletion('data'), key, never)).toMatchObject({ is: 'rejected', error });
  });

  test.for([{ prefixesErrors: true }, { codesErrors: true }])(
    'errors mean the same however they are told: %j',
    async (trouble) => {
      const { sender } = await onA(trouble);
      expect(await sender.read('volume.read', { ...at, id: 'absent' }, never)).toBeUndefined();
      expect(await sender.perform(deletion('absent'), key, never)).toEqual({ is: 'done' });
      const refused = async (plugin: string) => sender.perform(creation(plugin), key, never);
      expect(await refused('')).toMatchObject({ is: 'rejected', error: { reason: 'Rejected' } });
      const external = { namespace: 'default', plugin_id: 'none', per_page: 1 };
      expect(await failure(sender.read('volume.external', external, never))).toMatchObject({
        class: 'waiting',
        reason: 'PluginNotFound',
      });
    },
  );

  test('a connection too many is throttling, and nothing was done', async () => {
    proves('too many connections of one client are refused with 429');
    const { sender, server } = await onA({ connectionsPerClient: 1 });
    expect(await failure(sender.read('volume.read', at, never))).toMatchObject({ class: 'throttled' });
    expect(await sender.perform(deletion('data'), key, never)).toMatchObject({
      is: 'rejected',
      error: { class: 'throttled', mayHaveHadEffect: false },
    });
    expect(server.counters().routes).not.toHaveProperty('DELETE /v1/volume/csi/{id}/delete');
  });

  test('a region is forwarded to, or there is no path to it', async () => {
    proves('a request for another `region` is forwarded');
    const { to, client: http } = await onA({}, ['eu']);
    expect((await http.get('/v1/regions')).json()).toEqual(['eu', 'global']);
    expect(await to({ region: 'eu' }).read('volume.read', at, never)).toMatchObject({ ID: 'data' });
    expect(await failure(to({ region: 'us' }).read('volume.read', at, never))).toMatchObject({
      class: 'unavailable',
      reason: 'NoPathToRegion',
    });
  });

  test('of a table that nothing was written to the index is 1, or 0 really, on which nobody could wait', async () => {
    proves('the index starts at 1');
    const here = await running({ dialect });
    onTestFinished(here.stop);
    const http = new HttpClient(here.server.url);
    onTestFinished(() => http.close());
    const answer = await http.get('/v1/volumes?type=csi');
    expect(here.indexOf(answer)).toBe(dialect === 'nomad' ? 0 : 1);
    const page = await client([here.server.url], { dialect }).page('volume.list', { namespace: '*' }, never);
    expect(page?.index).toBe(1);
  });
});
