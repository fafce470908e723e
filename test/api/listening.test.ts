// Whether a token may listen at all, which the condition EventStream shows: told by the last refusal only.
import { expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { Secret } from '../../src/core/secret.ts';
import { client, failure, serve } from './servers.ts';

test('a refusal is that of the token only where nothing less is asked for: else the condition would flap', async () => {
  let isRefused = false;
  const { url } = await serve((_, response) => {
    if (isRefused) response.writeHead(403).end('Permission denied');
    else response.writeHead(200).write('{}\n');
  });
  const scheduler = client([url], { token: Secret.of('holdfast/nomad', '1', 'canary-event-token') });
  const end = new AbortController();
  const how = { clock: systemClock, random: () => 0, signal: end.signal };
  const listen = (hasFallback: boolean) =>
    scheduler.events({ topics: ['*'], namespace: '*', hasFallback }, how);
  const heard = listen(true);
  expect((await heard.next()).value).toEqual({ is: 'open' });
  expect(scheduler.listening()).toBe('live');
  isRefused = true;
  await failure(listen(true).next());
  expect(scheduler.listening()).toBe('live');
  await failure(listen(false).next());
  expect(scheduler.listening()).toBe('denied');
  end.abort();
  await heard.return(undefined);
});
