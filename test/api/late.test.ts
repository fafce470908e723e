// Answers that come late, slowly or when nobody waits any more: every call ends in its time, in an error with a type.
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ApiError, isOutage } from '../../src/core/errors.ts';
import { client, failure, json, request, serve, serveBytes, streams, transport } from './servers.ts';
import { key, rotate, secretsClient } from './secrets/service.ts';

const head = 'HTTP/1.1 200 OK\r\n';
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;

/** A byte now and then, for ever: never silent for long. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.on('close', () => clearInterval(timer));
}

describe('an answer that comes drop by drop ends with its deadline', () => {
  test.for([
    { where: 'before its first line is whole', begins: 'HTTP/1.1 200 ' },
    { where: 'in its headers', begins: `${head}x-a: ` },
    { where: 'in its body', begins: `${head}content-length: 100000\r\n\r\n` },
    { where: 'in the size of a chunk', begins: chunked, drop: '0' },
    { where: 'before it, in what is no answer yet', begins: '', drop: 'HTTP/1.1 103 Early\r\n\r\n' },
  ])('$where', async ({ begins, drop = 'x' }) => {
    const { url } = await serveBytes((socket) => {
      socket.write(begins);
      drip(socket, drop);
    });
    const begun = performance.now();
    expect(await failure(transport(url).request(request({ deadlineMs: 400 })))).toMatchObject({
      class: 'timeout',
    });
    const isInHead = !begins.includes('\r\n\r\n');
    if (isInHead)
      expect(await failure(streams(url).stream(request({ deadlineMs: 400 })))).toMatchObject({
        class: 'timeout',
      });
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});

test('the refusal of a stream is not waited for longer than an answer is', async () => {
  const { url } = await serveBytes((socket) => {
    socket.write('HTTP/1.1 500 E\r\ncontent-length: 1000\r\n\r\n');
    drip(socket, 'x');
  });
  expect(await failure(streams(url).stream(request({ deadlineMs: 400 })))).toMatchObject({
    class: 'timeout',
  });
});

async function behindAnother() {
  const { url } = await serve((_, response) => response.writeHead(200).write('x'));
  const sender = streams(url);
  await sender.stream(request());
  return sender;
}

describe('a stream that waits for a socket', () => {
  test('does not wait longer than its deadline', async () => {
    const sender = await behindAnother();
    expect(await failure(sender.stream(request({ deadlineMs: 50 })))).toMatchObject({ class: 'timeout' });
  });

  test('does not wait for nobody', async () => {
    const sender = await behindAnother();
    const asked = new AbortController();
    const waiting = failure(sender.stream(request({ signal: asked.signal })));
    asked.abort();
    expect(await waiting).toBeInstanceOf(ApiError);
  });
});

test('whoever has gone before asking gets an error like any other, and nothing is sent', async () => {
  const { url, seen } = await json({});
  const gone = AbortSignal.abort();
  const typed = { class: 'unavailable', mayHaveHadEffect: false };
  expect(
    await failure(client([url]).read('volume.read', { id: 'data', namespace: 'shop' }, gone)),
  ).toMatchObject(typed);
  expect(await secretsClient([url]).client.perform(rotate, key, gone)).toMatchObject({
    is: 'rejected',
    error: typed,
  });
  expect(seen).toEqual([]);
});

test('whoever goes while a read is about to be sent again gets an error like any other', async () => {
  const asked = new AbortController();
  const { url } = await serveBytes((socket) => {
    socket.destroy();
    setImmediate(() => asked.abort());
  });
  const error = await failure(
    client([url]).read('volume.read', { id: 'data', namespace: 'shop' }, asked.signal),
  );
  expect(error).toMatchObject({ class: 'unavailable' });
});

test('a call under way when its client is closed is no outage: whoever edits a connection has not lost the service', async () => {
  const asked = Promise.withResolvers<void>();
  const { url } = await serve(() => asked.resolve());
  const one = transport(url);
  const failed = failure(one.request(request()));
  await asked.promise;
  await one.close();
  const error = await failed;
  expect(error).toMatchObject({ class: 'unavailable', reason: 'ConnectionNotReady', mayHaveHadEffect: true });
  expect(isOutage(error)).toBe(false);
  expect(isOutage(await failure(one.request(request())))).toBe(false);
});
