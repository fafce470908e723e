// The event stream, over real sockets: each frame once and in order however it is cut, and an honest word where something
// may have been missed.
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { Subscription, StreamNotice } from '../../src/api/scheduler/subscription.ts';
import { ApiError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { proves } from '../coverage/proves.ts';
import { client, everythingOf, failure, serve } from './servers.ts';

const all: Subscription = { topics: ['CSIVolume', 'Allocation:a1'], namespace: '*' };

const event = (Key: string, more: object = {}) => ({
  Topic: 'CSIVolume',
  Type: 'CSIVolumeRegistered',
  Key,
  Namespace: 'shop',
  FilterKeys: [Key],
  Payload: { Volume: { ID: Key, Topologies: [{ Segments: { zone: 'ä' } }] } },
  ...more,
});
const frame = (index: number, ...keys: readonly string[]): string =>
  `${JSON.stringify({ Index: index, Events: keys.map((key) => event(key, { Index: index })) })}\n`;

/** Answers the first connection with the first, and so on; further ones are left hanging. */
async function streams(...answers: readonly ((response: ServerResponse) => void)[]) {
  let at = 0;
  return serve((_, response) => {
    const answer = answers[at++];
    if (answer) answer(response);
  });
}
const says =
  (...texts: readonly string[]) =>
  (response: ServerResponse) => {
    response.writeHead(200).end(texts.join(''));
  };

/** Timers fire at once, except those that wait for the first word unless they are to. */
const clock = (impatient = false) => ({
  nowMs: () => 0,
  setTimer: (ms: number, fire: () => void) => {
    if (ms === 10_000 && !impatient) return () => {};
    const timer = setImmediate(fire);
    return () => clearImmediate(timer);
  },
});

function begin(
  url: string,
  { impatient = false, ...subscription }: Partial<Subscription> & { impatient?: boolean } = {},
) {
  const end = new AbortController();
  const how = { clock: clock(impatient), random: () => 0, signal: end.signal };
  const token = Secret.of('holdfast/nomad', '1', 'canary-event-token');
  return { end, told: client([url], { token, region: 'eu' }).events({ ...all, ...subscription }, how) };
}

/** The next so many things that were told. */
async function next(told: AsyncGenerator<StreamNotice>, count: number): Promise<readonly StreamNotice[]> {
  const seen: StreamNotice[] = [];
  while (seen.length < count) {
    const one = await told.next();
    if (one.done === true) break;
    seen.push(one.value);
  }
  return seen;
}
const kinds = (told: readonly StreamNotice[]) => told.map((one) => (one.is === 'frame' ? one.index : one.is));

test('it asks for all topics at once, unpacked, with the token: a packed stream would come in lumps', async () => {
  const { url, seen } = await streams(says('{}\n'));
  const { told, end } = begin(url, { index: 7 });
  await next(told, 1);
  end.abort();
  expect(seen[0]?.url).toBe(
    '/v1/event/stream?index=7&namespace=*&region=eu&topic=CSIVolume&topic=Allocation%3Aa1',
  );
  expect(seen[0]?.headers).toMatchObject({
    'accept-encoding': 'identity',
    'x-nomad-token': 'canary-event-token',
  });
});

test('events come in the documents’ shape, several in a frame, and one that matched twice comes once', async () => {
  const { url } = await streams(says('{}\n', frame(9, 'data', 'logs', 'data')));
  const { told } = begin(url);
  const [, one] = await next(told, 2);
  expect(one).toMatchObject({ is: 'frame', index: 9 });
  const events = one?.is === 'frame' ? one.events : [];
  expect(events.map(({ Key }) => Key)).toEqual(['data', 'logs']);
  expect(events[0]).toEqual({
    ...event('data'),
    Index: 9,
    Payload: { Volume: { ID: 'data', Topologies: [{ zone: 'ä' }] } },
  });
});

test('several events of one object in one frame are all told, in order, by their own index: registered again after it was gone, it was taken for gone', async () => {
  const steps = ['CSIVolumeDeregistered', 'CSIVolumeRegistered', 'CSIVolumeClaim', 'CSIVolumeClaim'];
  const Events = steps.map((Type, at) => event('data', { Type, Index: 5 + at, Payload: {} }));
  const { url } = await streams(
    says('{}\n', `${JSON.stringify({ Index: 9, Events: [...Events, Events[0]] })}\n`),
  );
  const [, one] = await next(begin(url).told, 2);
  expect(one?.is === 'frame' && one.events.map(({ Type, Index }) => [Type, Index])).toEqual(
    steps.map((Type, at) => [Type, 5 + at]),
  );
});

test('wherever it is cut, in the middle of a character too, the same frames come out', async () => {
  proves('each line is a JSON object of an index and several events');
  const bytes = Buffer.from(`{}\n${frame(3, 'a')}{}\n\n${frame(4, 'b', 'c')}`);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const { url } = await streams((response) => {
      response.writeHead(200).write(bytes.subarray(0, cut));
      setImmediate(() => response.end(bytes.subarray(cut)));
    });
    const { told, end } = begin(url);
    expect(kinds(await next(told, 3)), `cut after ${cut} bytes`).toEqual(['open', 3, 4]);
    end.abort();
  }
});

test('what follows the last newline is no frame: a stream that ends there goes on where it was', async () => {
  proves('each event has the index of its change; a subscriber resumes with it');
  const { url, seen } = await streams(
    says('{}\n', frame(3, 'a'), frame(4, 'b').slice(0, -1)),
    says('{}\n', frame(3, 'a'), frame(4, 'b')),
  );
  const { told } = begin(url);
  expect(kinds(await next(told, 5))).toEqual(['open', 3, 'lost', 'open', 4]);
  expect(seen[1]?.url).toContain('index=3&');
});

test('the last frame is there no more: something may have been missed, and that is told first', async () => {
  const { url } = await streams(says('{}\n', frame(3, 'a')), says('{}\n', frame(200, 'b')));
  const { told } = begin(url);
  expect(kinds(await next(told, 6))).toEqual(['open', 3, 'lost', 'open', 'gap', 200]);
});

test('nothing but heartbeats, which are lines without events, after a break: what was there is gone, so something may have been missed', async () => {
  const { url } = await streams(says('{}\n', frame(3, 'a')), says('{}\n{"Events":[]}\n{"Events":[]}\n'));
  const { told } = begin(url);
  expect(kinds(await next(told, 6))).toEqual(['open', 3, 'lost', 'open', 'gap', 'lost']);
});

test('a service that was set back starts a new history: its frames are told, though their indexes are known', async () => {
  const { url } = await streams(says('{}\n', frame(300, 'a')), says('{}\n', frame(12, 'b'), frame(13, 'c')));
  const { told } = begin(url);
  expect(kinds(await next(told, 7))).toEqual(['open', 300, 'lost', 'open', 'gap', 12, 13]);
});

test('no break, no gap: a first connection that failed missed nothing', async () => {
  const { url } = await streams((response) => response.destroy(), says('{}\n', frame(3, 'a')));
  const { told } = begin(url);
  expect(kinds(await next(told, 3))).toEqual(['lost', 'open', 3]);
});

test.for([
  [
    'a plain 403',
    (response: ServerResponse) => response.writeHead(403).end('Permission denied'),
    'PermissionDenied',
  ],
  [
    'a broker that is off',
    (response: ServerResponse) => response.writeHead(500).end('EventBroker not configured'),
    'EventsDisabled',
  ],
  [
    'a service of before there were events',
    (response: ServerResponse) => response.writeHead(404).end(),
    'EventsDisabled',
  ],
  [
    'a service that knows no such path',
    (response: ServerResponse) => response.writeHead(404).end('resource not found'),
    'EventsDisabled',
  ],
  ['a 401', (response: ServerResponse) => response.writeHead(401).end('Unauthorized'), 'Rejected'],
] as const)('denied by %s: it ends with that, and does not ask again', async ([, answer, reason]) => {
  const { url, seen } = await streams(answer);
  const { told } = begin(url);
  expect(await failure(told.next())).toMatchObject({ class: 'refused', reason });
  expect(seen).toHaveLength(1);
});

test.for([
  ['a 404 of something in between', 404, '404 page not found'],
  ['a 404 of a mesh', 404, '<html>no route to upstream</html>'],
  ['a 400 of a service that is being replaced', 400, 'unknown'],
  ['a redirect', 307, ''],
  ['a 410', 410, 'gone'],
] as const)(
  '%s is no refusal: it is asked again, and what happens then is told',
  async ([, status, text]) => {
    const fails = (response: ServerResponse) => response.writeHead(status).end(text);
    const { url } = await streams(fails, fails, says('{}\n', frame(3, 'a')));
    const { told } = begin(url);
    expect(kinds(await next(told, 4))).toEqual(['lost', 'lost', 'open', 3]);
  },
);

test('a stream that ends without a word may be that of a service that ends; at the fourth time it is denied', async () => {
  const { url, seen } = await streams(says(), says(), says(), says());
  const { told } = begin(url);
  expect(kinds(await next(told, 3))).toEqual(['lost', 'lost', 'lost']);
  expect(await failure(told.next())).toMatchObject({ class: 'refused', reason: 'StreamDenied' });
  expect(seen).toHaveLength(4);
});

test('a frame that can’t be read is passed over: what comes after it is told, and that something is missing', async () => {
  const bad = 'canary-frame\n';
  const { url, seen } = await streams(says('{}\n', frame(5, 'a'), bad), says('{}\n', frame(7, 'b')));
  const { told } = begin(url);
  expect(kinds(await next(told, 6))).toEqual(['open', 5, 'lost', 'open', 'gap', 7]);
  expect(seen[1]?.url).toContain(`index=${Number.MAX_SAFE_INTEGER}&`); // from 5 on it would come again
});

test('denied by a 200 that never says a word: the first heartbeat has a deadline', async () => {
  const closed = Promise.withResolvers<void>();
  const { url } = await streams((response) => {
    response.writeHead(200).flushHeaders();
    response.on('close', () => closed.resolve());
  });
  const { told } = begin(url, { impatient: true });
  expect(await failure(told.next())).toMatchObject({ class: 'refused', reason: 'StreamDenied' });
  await closed.promise; // the socket is given back, too
});

test.for([
  ['no JSON', 'canary-line\n'],
  ['no object', '["canary-line"]\n'],
  ['an index that is none', '{"Index":"canary-line","Events":[]}\n'],
  ['events that are none', '{"Index":4,"Events":["canary-line"]}\n'],
  ['an event without a key', '{"Index":4,"Events":[{"Topic":"Job","Type":"canary-line"}]}\n'],
  [
    'a payload nested too deeply',
    `{"Index":4,"Events":[{"Topic":"Job","Type":"canary-line","Key":"a","Payload":${'['.repeat(99_999)}${']'.repeat(99_999)}}]}\n`,
  ],
  [
    'two payloads nested too deeply',
    `{"Index":4,"Events":[${['a', 'b'].map((Key) => `{"Topic":"Job","Type":"canary-line","Key":"${Key}","Payload":${'['.repeat(99_999)}${']'.repeat(99_999)}}`).join()}]}\n`,
  ],
  ['a line without an end', 'canary-line'.repeat(2_000_000)],
] as const)('%s is trouble that is told without quoting it, and it connects again', async ([, text]) => {
  const { url } = await streams(says('{}\n', text), says('{}\n', frame(5, 'a')));
  const { told } = begin(url);
  const seen = await next(told, 4);
  expect(kinds(seen)).toEqual(['open', 'lost', 'open', 'gap']);
  expect(JSON.stringify(seen)).not.toContain('canary');
});

test('ended by its signal, it ends without an error and gives its socket back', async () => {
  const closed = Promise.withResolvers<void>();
  const { url } = await streams((response) => {
    response.writeHead(200).write('{}\n');
    response.on('close', () => closed.resolve());
  });
  const { told, end } = begin(url);
  await next(told, 1);
  const rest = told.next();
  end.abort();
  expect(await rest).toEqual({ done: true, value: undefined });
  await closed.promise;
});

test('whoever stops listening gives the socket back', async () => {
  const closed = Promise.withResolvers<string>();
  const { url } = await streams((response) => {
    response.writeHead(200).write('{}\n');
    response.on('close', () => closed.resolve('closed'));
  });
  for await (const one of begin(url).told) if (one.is === 'open') break;
  expect(await closed.promise).toBe('closed');
});

test('what a job holds of secrets comes in boxes: whoever prints an event prints none', async () => {
  const Job = {
    ID: 'shop',
    SecretsStoreToken: 'canary-1',
    TaskGroups: [{ Tasks: [{ Env: { KEY: 'canary-2' } }] }],
  };
  const told = { Index: 4, Events: [event('shop', { Topic: 'Job', Index: 4, Payload: { Job } })] };
  const { url } = await streams(says('{}\n', `${JSON.stringify(told)}\n`));
  const [, one] = await next(begin(url).told, 2);
  expect(JSON.stringify(one)).toContain('"ID":"shop"');
  expect(everythingOf(one)).not.toContain('canary');
});

test('no error holds the token', async () => {
  const { url } = await streams((response) =>
    response.writeHead(403).end('canary-event-token? Permission denied'),
  );
  const error = await failure(begin(url).told.next());
  expect(error).toBeInstanceOf(ApiError);
  expect(everythingOf(error)).not.toContain('canary');
});
