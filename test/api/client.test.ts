// The scheduler's client, against real sockets: what is sent in each dialect, what is read, what is sent again.
import { describe, expect, test } from 'vitest';
import type { SchedulerEffect } from '../../src/api/routes.ts';
import { schedulerDialects } from '../../src/api/dialects.ts';
import { Secret } from '../../src/core/secret.ts';
import { proves } from '../coverage/proves.ts';
import { client, everythingOf, failure, json, never, serve, serveBytes } from './servers.ts';

const token = 'canary-token-77e0';
const withToken = { token: Secret.of('holdfast/nomad', '1', token) };
const at = { id: 'data', namespace: 'shop' };
const key = 'CSIVolume/shop/data';

const create: SchedulerEffect = {
  port: 'scheduler',
  op: 'volume.create',
  params: at,
  body: {
    Volumes: [
      {
        ID: 'data',
        Name: 'data-1',
        Namespace: 'shop',
        PluginID: 'ebs',
        MountOptions: { FsType: 'ext4', MountFlags: undefined },
        Secrets: { user: Secret.of('csi/user', '3', 'canary-user') },
        RequestedTopologies: { Required: [{ zone: 'a' }] },
      },
    ],
  },
};

describe.for(Object.entries(schedulerDialects))('in %s', ([dialect, { headers, fields, topology }]) => {
  test('a read carries the token, and its answer tells index and next page', async () => {
    const { url, seen } = await json([], { [headers.index]: '42', [headers.nextToken]: 'shop.z' });
    const read = client([url], { dialect, ...withToken });
    const page = await read.page('volume.list', { namespace: 'shop', per_page: 2 }, never);
    expect(page).toEqual({ reply: [], index: 42, nextToken: 'shop.z' });
    expect(seen[0]?.headers[headers.token.toLowerCase()]).toBe(token);
    expect(seen[0]?.url).toBe('/v1/volumes?type=csi&namespace=shop&per_page=2');
  });

  test('a write is sent in its shape, with its secrets open', async () => {
    const { url, seen } = await json({});
    expect(await client([url], { dialect }).perform(create, key, never)).toEqual({ is: 'done' });
    expect(seen).toMatchObject([{ method: 'PUT', url: '/v1/volume/csi/data/create?namespace=shop' }]);
    expect(seen[0]?.headers['content-type']).toBe('application/json');
    const zone = { zone: 'a' };
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      Volumes: [
        {
          ID: 'data',
          Name: 'data-1',
          Namespace: 'shop',
          PluginID: 'ebs',
          MountOptions: { ['FsType' in fields ? fields.FsType : 'FsType']: 'ext4' },
          Secrets: { user: 'canary-user' },
          RequestedTopologies: { Required: [topology === 'segments' ? { Segments: zone } : zone] },
        },
      ],
    });
  });

  test.for([
    {
      why: 'the documents',
      reply: { Version: '1', MountOptions: { FsType: 'xfs' }, Topologies: [{ zone: 'a' }] },
    },
    {
      why: 'the real service',
      reply: {
        ProviderVersion: '1',
        MountOptions: { FSType: 'xfs' },
        Topologies: [{ Segments: { zone: 'a' } }],
      },
    },
  ])('an answer is understood in the shape of $why', async ({ reply }) => {
    const { url } = await json(reply);
    expect(await client([url], { dialect }).read('volume.read', at, never)).toEqual({
      Version: '1',
      MountOptions: { FsType: 'xfs' },
      Topologies: [{ zone: 'a' }],
    });
  });
});

describe('what is asked', () => {
  test('has its parameters in path and query, and names the region where one is declared', async () => {
    const { url, seen } = await json({});
    const read = client([url], { region: 'eu west' });
    await read.read('volume.read', { id: 'a b?c#d&e', namespace: 'x/y&z=1' }, never);
    expect(seen[0]?.url).toBe('/v1/volume/csi/a%20b%3Fc%23d%26e?namespace=x%2Fy%26z%3D1&region=eu+west');
    await read.perform(
      { port: 'scheduler', op: 'volume.deregister', params: { ...at, force: true } },
      key,
      never,
    );
    expect(seen[1]).toMatchObject({
      method: 'DELETE',
      url: '/v1/volume/csi/data?namespace=shop&force=true&region=eu+west',
      body: '',
    });
    expect(seen[1]?.headers['content-type']).toBeUndefined();
  });

  test('is anonymous without a token', async () => {
    const { url, seen } = await json({});
    await client([url]).read('volume.read', at, never);
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual([]);
  });

  test('waits in seconds, as long as the server may take', async () => {
    proves('a client waits as long as the server may take');
    const { url, seen } = await json([], { 'X-Nomad-Index': '9' });
    const page = await client([url]).page('volume.list', { namespace: '*', index: 7, wait: 60 }, never);
    expect(page?.index).toBe(9);
    expect(seen[0]?.url).toBe('/v1/volumes?type=csi&namespace=*&index=7&wait=60s');
  });

  test.for(['..', '.', '', '/', 'a/b', '../x', 'a..b', '%2f', 'a%2Fb', '%2e%2e', 'a\\b'])(
    'never leaves its place in the path: %j',
    async (id) => {
      const { url, seen } = await json({});
      const sender = client([url], withToken);
      const error = await failure(sender.read('volume.read', { id, namespace: 'shop' }, never));
      expect(error).toMatchObject({
        class: 'refused',
        mayHaveHadEffect: false,
        message: "id: can't be sent in a path",
      });
      const gone = { port: 'scheduler', op: 'volume.delete', params: { id, namespace: 'shop' } } as const;
      expect(await sender.perform(gone, key, never)).toMatchObject({
        is: 'rejected',
        error: { class: 'refused' },
      });
      expect(seen).toEqual([]);
    },
  );
});

describe('what is answered', () => {
  test.for<{ header: string | undefined; index: number }>([
    { header: '1', index: 1 },
    { header: '0', index: 1 },
    { header: '-5', index: 1 },
    { header: 'soon', index: 1 },
    { header: '', index: 1 },
    { header: undefined, index: 1 },
    { header: '9007199254740991', index: 9007199254740991 },
  ])('index $header is taken as $index: blocking on 0 would not block', async ({ header, index }) => {
    const { url } = await json([], header === undefined ? {} : { 'X-Nomad-Index': header });
    expect(await client([url]).page('volume.list', { namespace: '*' }, never)).toMatchObject({ index });
  });

  test('the last page has no next one', async () => {
    const { url } = await json([]);
    expect((await client([url]).page('volume.list', at, never))?.nextToken).toBeUndefined();
  });

  test('404 is absence, which is no error', async () => {
    proves('403 is not allowed, 404 unknown');
    const { url, seen } = await serve((_, response) => response.writeHead(404).end('volume not found'));
    expect(await client([url]).read('volume.read', at, never)).toBeUndefined();
    expect(seen).toHaveLength(1);
  });

  test.for(['', 'volume', '{"a":1', '<html>', '[1,]'])('what is no JSON is no answer: %j', async (text) => {
    const { url, seen } = await serve((_, response) => response.end(text));
    expect(await failure(client([url]).read('volume.read', at, never))).toMatchObject({
      class: 'unreadable',
      message: 'volume.read: the answer is not JSON',
    });
    expect(seen).toHaveLength(1);
  });

  test('429 says how long to wait', async () => {
    const { url, seen } = await serve((_, response) => {
      response
        .writeHead(429, { 'Retry-After': '7' })
        .end('Your IP is issuing too many concurrent connections');
    });
    const sender = client([url]);
    expect(await failure(sender.read('volume.read', at, never))).toMatchObject({
      class: 'throttled',
      retryAfterMs: 7_000,
    });
    const error = { class: 'throttled', retryAfterMs: 7_000 };
    expect(await sender.perform(create, key, never)).toMatchObject({ is: 'rejected', error });
    expect(seen).toHaveLength(2); // neither is asked again at once
  });

  test.for([
    { why: 'done', status: 200, text: '', expect: { is: 'done' } },
    { why: 'done, without a body', status: 204, text: '', expect: { is: 'done' } },
    { why: 'gone already', status: 500, text: 'rpc error: volume not found: data', expect: { is: 'done' } },
    { why: 'refused', status: 403, text: 'Permission denied', expect: { is: 'rejected' } },
    { why: 'in use', status: 500, text: 'volume in use: data', expect: { is: 'rejected' } },
    {
      why: 'sent elsewhere',
      status: 307,
      text: '',
      expect: { is: 'rejected', error: { reason: 'Redirected' } },
    },
    { why: 'nobody knows', status: 500, text: 'rpc error: EOF', expect: { is: 'unknown' } },
    {
      why: 'look again',
      status: 404,
      text: 'no page',
      expect: { is: 'unknown', error: { class: 'waiting' } },
    },
  ])('a deletion is $expect.is: $why', async ({ status, text, expect: outcome }) => {
    proves('200 and 204 are success');
    const { url, seen } = await serve((_, response) => response.writeHead(status).end(text));
    const gone = { port: 'scheduler', op: 'volume.delete', params: at } as const;
    expect(await client([url]).perform(gone, key, never)).toMatchObject(outcome);
    expect(seen).toHaveLength(1);
  });

  test('what is not there can not be written to', async () => {
    const { url } = await serve((_, response) => response.writeHead(500).end('volume not found: data'));
    expect(await client([url]).perform(create, key, never)).toMatchObject({ is: 'unknown' });
  });
});

const answered = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
/** Keeps a connection open after an answer, and drops it when it is used again: it went stale meanwhile. */
const staleServer = () =>
  serveBytes((socket, _, use) => {
    if (use > 1) socket.destroy();
    else socket.write(answered);
  });
const one = { limits: { maxConcurrent: 1, deletions: { perHour: 1, percent: 1 } } };

describe('a connection that was kept open and is closed when it is used', () => {
  test('a read is sent again', async () => {
    const { url, lines } = await staleServer();
    const sender = client([url], one);
    expect(await sender.read('volume.read', at, never)).toEqual({});
    expect(await sender.read('volume.read', at, never)).toEqual({});
    expect(lines).toHaveLength(3);
  });

  test('a write is not: whoever called has to look first', async () => {
    const { url, lines } = await staleServer();
    const sender = client([url], one);
    await sender.read('volume.read', at, never);
    expect(await sender.perform(create, key, never)).toMatchObject({
      is: 'unknown',
      error: { class: 'unavailable', mayHaveHadEffect: true },
    });
    expect(lines.filter((line) => line.startsWith('PUT'))).toHaveLength(1);
  });

  test('a read is not sent again for ever', async () => {
    const { url, lines } = await serveBytes((socket) => socket.destroy());
    expect(await failure(client([url]).read('volume.read', at, never))).toMatchObject({
      class: 'unavailable',
    });
    expect(lines).toHaveLength(3);
  });

  test('a read that was answered is not sent again, however bad the answer', async () => {
    proves('5xx is not sent again by itself');
    const { url, seen } = await serve((_, response) => response.writeHead(500).end('rpc error: EOF'));
    expect(await failure(client([url]).read('volume.read', at, never))).toMatchObject({
      class: 'unavailable',
    });
    expect(seen).toHaveLength(1);
  });
});

test('the gate is told on whose behalf a write goes out, and what may be done if its answer is lost', async () => {
  const { url } = await json({});
  const told: object[] = [];
  const sender = client([url], {}, { onEffect: (info) => told.push(info) });
  await sender.read('volume.read', at, never);
  await sender.perform(create, key, never);
  expect(told).toEqual([
    { port: 'scheduler', op: 'volume.read', mutates: false },
    { port: 'scheduler', op: 'volume.create', mutates: 'findable', key },
  ]);
});

test.for([
  { why: 'refused', answer: 'HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nno' },
  { why: 'cut', answer: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{' },
])('an outcome shows neither token nor secrets: $why', async ({ answer }) => {
  const { url } = await serveBytes((socket) => socket.end(answer));
  const shown = everythingOf(await client([url], withToken).perform(create, key, never));
  expect(shown).toContain('volume.create: ');
  expect(shown).not.toContain('canary');
});

test('a secret that was not loaded is never sent as anything else', async () => {
  const { url, seen } = await json({});
  const unloaded = { token: Secret.unloaded('holdfast/nomad', '1') };
  const error = await failure(client([url], unloaded).read('volume.read', at, never));
  expect(error).toMatchObject({ message: 'secret holdfast/nomad was not loaded' });
  expect(seen).toEqual([]);
});
