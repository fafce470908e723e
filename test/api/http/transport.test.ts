// The one transport, against real sockets: bounded, never led elsewhere, and honest about what may have happened.
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { HttpTransport, type HttpRequest } from '../../../src/api/http/transport.ts';
import type { EffectInfo } from '../../../src/core/effect.ts';
import { ApiError } from '../../../src/core/errors.ts';
import {
  deadUrl,
  everythingOf,
  failure,
  gate,
  request,
  serve,
  serveBytes,
  streams,
  transport,
} from '../servers.ts';

const token = 'canary-token-9f31';
const sentBody = 'canary-sent-27aa';
const gotBody = 'canary-got-5b10';

const creates: EffectInfo = { port: 'scheduler', op: 'volume.create', mutates: 'findable' };
const write = (more: Partial<HttpRequest> = {}): HttpRequest =>
  request({ info: creates, method: 'PUT', headers: { 'x-token': token }, body: sentBody, ...more });

/** The error of a request that got no answer. */
async function lost(url: string, asked: HttpRequest = write()): Promise<ApiError> {
  const error = await failure(transport(url).request(asked));
  if (!(error instanceof ApiError)) throw new Error('not an ApiError', { cause: error });
  return error;
}

describe('an answer', () => {
  test('is an answer whatever its status, with its headers and its text', async () => {
    const { url, seen } = await serve((_, response) => {
      response.writeHead(418, { 'X-Nomad-Index': '7' }).end('short and stout ☕');
    });
    const asked = write({ path: '/v1/volume/csi/data/create?namespace=shop' });
    const reply = await transport(url).request(asked);
    expect(reply).toMatchObject({ status: 418, text: 'short and stout ☕' });
    expect(reply.headers['x-nomad-index']).toBe('7');
    expect(seen).toMatchObject([{ method: 'PUT', url: asked.path, body: sentBody }]);
    expect(seen[0]?.headers['x-token']).toBe(token);
  });

  test.for([301, 302, 303, 307, 308])('%i leads nowhere else, and the token stays here', async (status) => {
    const second = await serve((_, response) => response.end());
    const first = await serve((_, response) => {
      response.writeHead(status, { location: `${second.url}/v1/volumes` }).end();
    });
    const sender = transport(first.url, second.url);
    expect(await sender.request(write())).toMatchObject({ status });
    expect(await sender.request(request({ headers: { 'x-token': token } }))).toMatchObject({ status });
    expect(second.seen).toEqual([]);
  });
});

describe('an answer that goes on', () => {
  test('is handed on as it comes, and given up when it falls silent', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200).write('one');
    });
    const { status, chunks } = await streams(url, 50).stream(request());
    expect(status).toBe(200);
    const told = chunks[Symbol.asyncIterator]();
    expect(String((await told.next()).value)).toBe('one');
    expect(await failure(told.next())).toMatchObject({ class: 'timeout', reason: 'Timeout' });
  });

  test('that breaks off is no end', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200).write('one', () => response.destroy());
    });
    const { chunks } = await streams(url, 50).stream(request());
    const all = (async () => {
      for await (const chunk of chunks) void chunk;
    })();
    expect(await failure(all)).toMatchObject({ class: 'unavailable' });
  });
});

interface Trouble {
  readonly why: string;
  /** Does this to the socket once a request has come. */
  readonly answer: (socket: Socket) => void;
}

const headers = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const troubles: readonly Trouble[] = [
  { why: 'the connection is closed', answer: (socket) => socket.end() },
  { why: 'the connection is reset', answer: (socket) => socket.resetAndDestroy() },
  {
    why: 'the answer is cut in its headers',
    answer: (socket) => socket.end(`${headers}x-a: ${gotBody}`),
  },
  {
    why: 'the answer is cut in its middle',
    answer: (socket) => socket.end(`${headers}content-length: 999\r\n\r\n["${gotBody}"`),
  },
  {
    why: 'the answer is cut between its chunks',
    answer: (socket) => socket.end(`${headers}transfer-encoding: chunked\r\n\r\n10\r\n${gotBody}\r\n`),
  },
  {
    why: 'the answer is nothing but headers',
    answer: (socket) => socket.write(`${headers}${`x-flood: ${gotBody}\r\n`.repeat(5_000)}`),
  },
];

describe('no whole answer to a write', () => {
  test.for(troubles)('it may have had its effect: $why', async ({ answer }) => {
    const { url } = await serveBytes(answer);
    expect(await lost(url)).toMatchObject({ mayHaveHadEffect: true, status: undefined });
  });

  test('nobody listens: it had none', async () => {
    const url = await deadUrl();
    expect(await lost(url.replace('//', '//ann:canary@'))).toMatchObject({
      mayHaveHadEffect: false,
      message: `volume.create: connection refused (ECONNREFUSED) (${url})`,
    });
  });

  test('the deadline has passed: it may have had it', async () => {
    const { url } = await serve(() => undefined);
    expect(await lost(url, write({ deadlineMs: 400 }))).toMatchObject({
      class: 'timeout',
      mayHaveHadEffect: true,
      message: `volume.create: no answer in time (${url})`,
    });
  });

  test('the deadline passes in the middle of the answer: it may have had it', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200).write(gotBody);
    });
    expect(await lost(url, write({ deadlineMs: 400 }))).toMatchObject({
      class: 'timeout',
      mayHaveHadEffect: true,
    });
  });

  test('whoever asked has gone: it may have had it, and the wait ends', async () => {
    const asked = new AbortController();
    const { url } = await serve(() => asked.abort());
    expect(await lost(url, write({ signal: asked.signal }))).toMatchObject({ mayHaveHadEffect: true });
  });

  test('more than 64 MiB are not read', async () => {
    const { url } = await serve((_, response) => {
      const piece = Buffer.alloc(2 ** 20, gotBody);
      const pump = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', pump);
      pump();
    });
    expect(await lost(url)).toMatchObject({
      class: 'unreadable',
      reason: 'InvalidResponse',
      mayHaveHadEffect: true,
      message: 'volume.create: the answer is larger than 67108864 bytes',
    });
  });
});

test.for(troubles)('an error holds neither token nor bodies, nor do its causes: $why', async ({ answer }) => {
  const { url } = await serveBytes(answer);
  const shown = everythingOf(await lost(url));
  expect(shown).toContain('volume.create');
  for (const canary of [token, sentBody, gotBody]) expect(shown).not.toContain(canary);
});

test('nor where the token itself can not be sent', async () => {
  const { url, seen } = await serve((_, response) => response.end());
  const shown = everythingOf(await lost(url, write({ headers: { 'x-token': `${token}\n` } })));
  expect(shown).not.toContain(token);
  expect(seen).toEqual([]);
});

const ok = () => serve((_, response) => response.end('ok'));

describe('of several addresses', () => {
  test('the next one is tried where nobody listens, for reads and for writes', async () => {
    const { url, seen } = await ok();
    const dead = await deadUrl();
    expect(await transport(dead, url).request(request())).toMatchObject({ text: 'ok' });
    expect(await transport(dead, url).request(write())).toMatchObject({ text: 'ok' });
    expect(seen.map((one) => one.method)).toEqual(['GET', 'PUT']);
  });

  test('the one that answered is asked first from then on', async () => {
    const first = await ok();
    const second = await ok();
    let isDown = true;
    const flaky = await serveBytes((socket) => {
      if (isDown) socket.destroy();
      else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nflaky');
    });
    const sender = transport(flaky.url, first.url, second.url);
    expect(await sender.request(request())).toMatchObject({ text: 'ok' });
    isDown = false;
    expect(await sender.request(request())).toMatchObject({ text: 'ok' });
    expect(flaky.lines).toHaveLength(1);
    expect(first.seen).toHaveLength(2);
    expect(second.seen).toEqual([]);
  });

  test('none gets a write whose answer was lost at another', async () => {
    const first = await serveBytes((socket) => socket.destroy());
    const second = await ok();
    const sender = transport(first.url, second.url);
    expect(await failure(sender.request(write()))).toMatchObject({ mayHaveHadEffect: true });
    expect(first.lines).toHaveLength(1);
    expect(second.seen).toEqual([]);
    expect(await sender.request(request())).toMatchObject({ text: 'ok' }); // a read may ask anyone
  });

  test('none is asked any more once whoever asked has gone', async () => {
    const asked = new AbortController();
    const { url } = await serve(() => asked.abort());
    let tries = 0;
    const counted = gate({ onEffect: () => (tries += 1) });
    const addresses = [url, (await ok()).url];
    const sender = new HttpTransport({ addresses, connections: 1, gate: counted });
    await failure(sender.request(request({ signal: asked.signal })));
    await sender.close();
    expect(tries).toBe(1);
  });

  test('all may be down: the last one says why', async () => {
    const error = await failure(transport(await deadUrl(), await deadUrl()).request(write()));
    expect(error).toMatchObject({ class: 'unavailable', mayHaveHadEffect: false });
  });

  test('there may be none', async () => {
    expect(await failure(transport().request(write()))).toMatchObject({ class: 'unavailable' });
  });
});

test('every try passes the gate: none is unseen, none unfenced', async () => {
  const { url } = await serve((_, response) => response.end());
  const told: string[] = [];
  const watched = gate({
    fence: () => void told.push('fence'),
    onEffect: ({ op }, _, failed) => told.push(`${op} ${failed ? 'failed' : 'done'}`),
  });
  const sender = new HttpTransport({ addresses: [await deadUrl(), url], connections: 1, gate: watched });
  await sender.request(write());
  await sender.close();
  // The second try is fenced once more when it gets its socket.
  expect(told).toEqual(['fence', 'volume.create failed', 'fence', 'fence', 'volume.create done']);
});

/** One request holds the only socket until it is let go; `second` waits behind it. */
async function behindAnother(second: Partial<HttpRequest>, fence?: () => void) {
  const held = Promise.withResolvers<void>();
  const holding = Promise.withResolvers<void>();
  const { url, seen } = await serve((_, response) => {
    holding.resolve();
    void held.promise.then(() => response.end('late'));
  });
  const options = { addresses: [url], connections: 1, gate: gate({ ...(fence && { fence }) }) };
  const sender = new HttpTransport(options);
  const first = sender.request(request());
  await holding.promise;
  const waiting = failure(sender.request(write(second)));
  return { first, waiting, seen, letGo: () => held.resolve(), close: () => sender.close() };
}

describe('while it waits for a socket', () => {
  test('the right to act may be lost: nothing is sent then', async () => {
    let lostRight = false;
    const { first, waiting, seen, letGo, close } = await behindAnother({}, () => {
      if (lostRight) throw new Error('no longer the leader');
    });
    lostRight = true;
    letGo();
    await first;
    expect(await waiting).toMatchObject({ class: 'unavailable', mayHaveHadEffect: false });
    expect(seen).toHaveLength(1);
    await close();
  });

  test('its deadline may pass: it can’t have acted, and is not sent later', async () => {
    const { first, waiting, seen, letGo, close } = await behindAnother({ deadlineMs: 30 });
    expect(await waiting).toMatchObject({ class: 'unavailable', mayHaveHadEffect: false });
    letGo();
    expect(await first).toMatchObject({ text: 'late' });
    expect(seen).toHaveLength(1);
    await close();
  });
});

test('closing lets nobody wait', async () => {
  const { url } = await serve(() => void sender.close());
  const sender = new HttpTransport({ addresses: [url], connections: 1, gate: gate() });
  expect(await failure(sender.request(write()))).toMatchObject({ class: 'unavailable' });
});
