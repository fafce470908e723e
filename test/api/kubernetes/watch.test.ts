// What a watch of the API server says, cut anywhere: an event that can't be read is never passed over.
import { describe, expect, test } from 'vitest';
import { eventsOf, type WatchEvent } from '../../../src/api/kubernetes/watch.ts';
import { everythingOf, failure } from '../servers.ts';

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function heard(text: string | Buffer, size = 1_024): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of eventsOf('disks.watch', chunks(Buffer.from(text), size))) events.push(event);
  return events;
}

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const disk = (name: string) => ({ metadata: { name, uid: 'u1', resourceVersion: '7' } });
const mark = (annotations?: Readonly<Record<string, string>>) => ({
  metadata: { resourceVersion: '9', ...(annotations && { annotations }) },
});
const end = { 'k8s.io/initial-events-end': 'true' };
const canary = 'canary-77aa';

test.for([1, 2, 3, 7, 64, 10_000])('events come through in pieces of %s bytes', async (size) => {
  const text = [
    line('ADDED', disk('ä€𝒳')),
    line('MODIFIED', disk('a')),
    line('DELETED', disk('a')),
    line('BOOKMARK', mark()),
    line('BOOKMARK', mark(end)),
  ].join('');
  expect(await heard(text, size)).toEqual([
    { is: 'changed', object: disk('ä€𝒳') },
    { is: 'changed', object: disk('a') },
    { is: 'deleted', object: disk('a') },
    { is: 'bookmark', resourceVersion: '9', initial: false },
    { is: 'bookmark', resourceVersion: '9', initial: true },
  ]);
});

test('a line that is cut off at the end is none: the watch goes on from the one before', async () => {
  const text = line('ADDED', disk('a')) + line('ADDED', disk('b')).slice(0, -1);
  expect(await heard(text)).toEqual([{ is: 'changed', object: disk('a') }]);
});

describe('it breaks off', () => {
  test.for<{ at: string; text: string | Buffer }>([
    { at: 'a line that is no JSON', text: `{"type":"ADDED","object":{"metadata":{"name":"${canary}\n` },
    { at: 'a line that is no UTF-8', text: Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]) },
    { at: 'an empty line', text: '\n' },
    { at: 'a line that is no event', text: `"${canary}"\n` },
    { at: 'an event that is not known', text: line('RENAMED', disk(canary)) },
    {
      at: 'an object without a name',
      text: line('ADDED', { metadata: { uid: canary, resourceVersion: '1' } }),
    },
    { at: 'an object without a version', text: line('ADDED', { metadata: { name: canary, uid: 'u' } }) },
    { at: 'an event without an object', text: line('DELETED', null) },
    { at: 'a bookmark without a version', text: line('BOOKMARK', { metadata: { name: canary } }) },
  ])('at $at, and does not quote it', async ({ text }) => {
    const error = await failure(heard(text));
    expect(error).toMatchObject({ name: 'ApiError', class: 'unreadable' });
    expect(everythingOf(error)).not.toContain(canary);
  });

  test('at a line without an end, before it fills the memory', async () => {
    const error = await failure(heard(Buffer.alloc(17 * 2 ** 20, 'a'), 2 ** 20));
    expect(error).toMatchObject({ class: 'unreadable' });
  });

  test.for<{ code: unknown; reason: string }>([
    { code: 410, reason: 'PageTokenExpired' },
    { code: 500, reason: 'ClusterUnavailable' },
    { code: 429, reason: 'ClusterUnavailable' },
    { code: canary, reason: 'ClusterUnavailable' },
  ])('at an error event of $code', async ({ code, reason }) => {
    const error = await failure(heard(line('ERROR', { kind: 'Status', code, message: canary })));
    expect(error).toMatchObject({ class: 'unavailable', reason });
    expect(everythingOf(error)).not.toContain(canary);
  });
});
