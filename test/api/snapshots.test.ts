// Snapshots and what else asks a provider: secrets that go into a header, an answer that is told once, pages by field.
import { describe, expect, onTestFinished, test } from 'vitest';
import { schedulerDialects, type SchedulerDialectName } from '../../src/api/dialects.ts';
import type { SchedulerEffect } from '../../src/api/routes.ts';
import type { Outcome } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { bodyOf, running } from '../embedded/scheduler/running.ts';
import { proves } from '../coverage/proves.ts';
import { client, everythingOf, failure, json, never, serve } from './servers.ts';

const canary = 'canary-csi-51a8';
const key = 'CSISnapshot/shop/nightly';
const box = (value: string) => Secret.of('csi/secret', '1', value);
const namespace = 'shop';

type Secrets = Readonly<Record<string, Secret>>;
const deletion = (secrets: Secrets): SchedulerEffect => ({
  port: 'scheduler',
  op: 'snapshot.delete',
  params: { namespace, plugin_id: 'ebs', snapshot_id: 's1', secrets },
});
const creation = (SourceVolumeID: string, Name = 'nightly'): SchedulerEffect => ({
  port: 'scheduler',
  op: 'snapshot.create',
  params: { namespace: 'default' },
  body: { Snapshots: [{ SourceVolumeID, Name, Secrets: { token: box(canary) } }] },
});
const dialects = Object.entries(schedulerDialects);

describe('secrets for the plugin', () => {
  test.for(dialects)('go into the header of %s, and nowhere else', async ([dialect, { headers }]) => {
    const { url, seen } = await json({});
    const sender = client([url], { dialect });
    const secrets = { user: box('a=b c'), password: box(canary), none: box('') };
    await sender.perform(deletion(secrets), key, never);
    await sender.read('snapshot.list', { namespace, plugin_id: 'ebs', per_page: 1, secrets }, never);
    expect(seen.map((one) => one.headers[headers.csiSecrets.toLowerCase()])).toEqual([
      `user=a=b c,password=${canary},none=`,
      `user=a=b c,password=${canary},none=`,
    ]);
    expect(seen.map((one) => one.url + one.body).join(' ')).not.toContain('canary');
  });

  test.for([
    { why: 'commas separate', name: 'password', value: `${canary},x` },
    { why: 'a line would end the header', name: 'password', value: `${canary}\nX-Other: 1` },
    { why: 'as would the other end of a line', name: 'password', value: `${canary}\r` },
    { why: 'a space at the end gets lost', name: 'password', value: `${canary} ` },
    { why: 'headers have no letters like that', name: 'password', value: `${canary}ü` },
    { why: 'the first = ends a key', name: 'pass=word', value: canary },
    { why: 'commas separate keys, too', name: 'pass,word', value: canary },
    { why: 'a key is not empty', name: '', value: canary },
  ])('are refused by the name of the key, and the value is not shown: $why', async ({ name, value }) => {
    const { url, seen } = await json({});
    const outcome = await client([url]).perform(deletion({ [name]: box(value) }), key, never);
    expect(outcome).toMatchObject({ is: 'rejected', error: { class: 'refused', reason: 'InvalidSecret' } });
    expect(everythingOf(outcome)).toContain(`secret ${JSON.stringify(name)}: can't be sent in a header`);
    expect(everythingOf(outcome)).not.toContain('canary');
    expect(seen).toEqual([]);
  });

  test('that no header carries are left to a service that holds them as well: its volumes can be deleted', async () => {
    const { url, seen } = await json({});
    const secrets = { user: box('a'), json: box('{"a":1,"b":2}\n') };
    const gone = { port: 'scheduler', op: 'volume.delete', params: { id: 'v', namespace, secrets } } as const;
    expect(await client([url]).perform(gone, key, never)).toEqual({ is: 'done' });
    expect(seen[0]?.headers['x-nomad-csi-secrets']).toBe('user=a');
  });

  test('that a service quotes are not shown', async () => {
    const { url } = await serve((request, response) =>
      response.writeHead(500).end(`bad: ${String(request.headers['x-nomad-csi-secrets'])}`),
    );
    const shown = everythingOf(await client([url]).perform(deletion({ a: box(canary) }), key, never));
    expect(shown).toContain('snapshot.delete: bad: a=(secret csi/secret)');
    expect(shown).not.toContain('canary');
  });
});

describe('the answer to a create', () => {
  test('is handed back, without secrets: the ID is told nowhere else', async () => {
    const { url } = await json({ Snapshots: [{ ID: 'snap-1', IsReady: false, Secrets: { a: canary } }] });
    expect(await client([url]).perform(creation('data'), key, never)).toEqual({
      is: 'done',
      reply: { Snapshots: [{ ID: 'snap-1', IsReady: false, Secrets: null }] },
    });
  });

  test.for([
    { why: 'no JSON', text: '<html>' },
    { why: 'empty', text: '' },
    { why: 'endless', text: JSON.stringify({ Snapshots: 'x'.repeat(70_000) }) },
  ])('that is $why leaves it unknown what was made: the same create tells it again', async ({ text }) => {
    const { url } = await serve((_, response) => response.end(text));
    const outcome = await client([url]).perform(creation('data'), key, never);
    expect(outcome).toMatchObject({ is: 'unknown', error: { class: 'unreadable', mayHaveHadEffect: true } });
  });
});

test('a snapshot is not gone because its plugin speaks of a volume that it lacks', async () => {
  const { url } = await serve((_, response) => response.writeHead(500).end('source volume not found'));
  expect(await client([url]).perform(deletion({}), key, never)).toMatchObject({ is: 'unknown' });
});

test('the next page is named by a header or a field, and the last one by neither', async () => {
  proves('the next token comes in `X-Cluster-NextToken`, of what providers list in a field');
  const listing = { namespace, plugin_id: 'ebs', per_page: 1 };
  for (const [reply, nextToken] of [
    [{ NextToken: 't2', Volumes: [] }, 't2'],
    [{ NextToken: '', Volumes: null }, undefined],
    [{ NextToken: 7 }, undefined],
    [{}, undefined],
  ]) {
    const { url } = await json(reply);
    expect(await client([url]).page('volume.external', listing, never)).toMatchObject({ nextToken, reply });
  }
});

const idIn = (outcome: Outcome): unknown =>
  outcome.is === 'done' ? JSON.parse(JSON.stringify(outcome.reply)).Snapshots[0].ID : outcome;
const names: readonly SchedulerDialectName[] = ['cluster', 'nomad'];
describe.for(names)('on the embedded service, %s', (dialect) => {
  async function withVolume(plugin: object) {
    const here = await running({ dialect });
    onTestFinished(here.stop);
    await here.client.put('/setup/plugins/hostpath', plugin);
    await here.client.put('/v1/volume/csi/data/create', bodyOf('data'));
    return { ...here, sender: client([here.server.url], { dialect }) };
  }

  test('a create that is repeated tells the same ID, which is listed, gets ready and goes', async () => {
    const { sender, clock } = await withVolume({ snapshotReadyMs: 5_000 });
    const id = idIn(await sender.perform(creation('data'), key, never));
    expect(id).toMatch(/^snap-/);
    expect(idIn(await sender.perform(creation('data'), key, never))).toBe(id);
    const params = { namespace: 'default', plugin_id: 'hostpath' };
    const listed = async () =>
      (await sender.read('snapshot.list', { ...params, per_page: 9 }, never))?.Snapshots;
    expect(await listed()).toMatchObject([{ ID: id, IsReady: false }]);
    clock.advance(5_000);
    expect(await listed()).toMatchObject([{ ID: id, IsReady: true }]);
    const gone = { port: 'scheduler', op: 'snapshot.delete' } as const;
    const snapshot = { ...params, snapshot_id: String(id), secrets: { token: box(canary) } };
    expect(await sender.perform({ ...gone, params: snapshot }, key, never)).toEqual({ is: 'done' });
    expect(await listed()).toEqual([]);
  });

  test.for([
    { plugin: { capabilities: ['CREATE_DELETE_VOLUME'] }, reason: 'PluginIncapable' },
    { plugin: { failsWith: 'snapshot "n" is already pending: x' }, reason: 'SnapshotPending' },
    { volume: 'none', reason: 'VolumeNotFound' },
    { name: '', reason: 'Rejected' },
  ])(
    'a create that is not to be had says why: $reason',
    async ({ plugin = {}, volume = 'data', name, reason }) => {
      const { sender, client: http } = await withVolume({});
      await http.put('/setup/plugins/hostpath', plugin);
      const outcome = await sender.perform(creation(volume, name), key, never);
      expect(outcome).toMatchObject({ error: { reason } });
      expect(everythingOf(outcome)).not.toContain('canary');
    },
  );

  test('a list that is not to be had says why', async () => {
    const { sender, client: http } = await withVolume({});
    const list = (next_token: string) =>
      failure(
        sender.read('volume.external', { namespace, plugin_id: 'hostpath', per_page: 1, next_token }, never),
      );
    expect(await list('nonsense')).toMatchObject({ class: 'unavailable', reason: 'PageTokenExpired' });
    await http.put('/setup/plugins/hostpath', { capabilities: ['CREATE_DELETE_VOLUME'] });
    expect(await list('')).toMatchObject({ class: 'refused', reason: 'PluginIncapable' });
  });
});

const deleted = async (text: string, status = 404): Promise<string> => {
  const { url } = await serve((_, response) => response.writeHead(status).end(text));
  return (await client([url], { dialect: 'cluster' }).perform(deletion({}), key, never)).is;
};

describe('a deletion that is answered by 404', () => {
  test.for(['unknown snapshot', 'snapshot "s1" not found', '{"error":"no such snapshot: s1"}'])(
    'is done if that says so of the snapshot, as the documents have it: %s',
    async (text) => {
      expect(await deleted(text)).toBe('done');
      expect(await deleted(text, 500)).not.toBe('done');
    },
  );

  test.for([
    '',
    '404 page not found',
    '<html>no snapshot here</html>',
    'The requested URL /v1/volumes/snapshot was not found',
    'no such plugin for the snapshot',
    'CSI.ControllerDeleteSnapshot: snapshot s1: rpc error: code = Internal',
  ])('is not done otherwise, since a proxy may have answered, or a plugin failed: %s', async (text) => {
    expect(await deleted(text)).not.toBe('done');
  });
});
