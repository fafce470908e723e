// The simulated API server where the real one can't be asked to the second: time, trouble, and who holds what. That it answers
// as the real one does, test/e2e/kubernetes/simulated.test.ts proves.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Asked } from './asked.ts';

const shop = '/apis/holdfast.dev/v1alpha1/namespaces/shop/disks';
const disk = (name: string, metadata: object = {}) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'Disk',
  metadata: { name, ...metadata },
  spec: { size: 1 },
});
const merge = 'application/merge-patch+json';
const initial =
  'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

let asked: Asked;
beforeEach(() => {
  asked = new Asked();
  asked.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'shop' } } });
});
const create = (name: string, metadata?: object) => asked.call('POST', shop, { body: disk(name, metadata) });
const patch = (name: string, body: object) =>
  asked.call('PATCH', `${shop}/${name}`, { body, contentType: merge });
const typesOf = (seen: { readonly events: readonly unknown[] }): readonly unknown[] =>
  seen.events.map((event) =>
    typeof event === 'object' && event !== null && 'type' in event ? event.type : event,
  );
const from = (version: number) => asked.watch(`${shop}?watch=true&resourceVersion=${version}`);
const versionOf = (plural: string): number =>
  Math.max(...asked.server.objects(plural).map(({ metadata }) => Number(metadata.resourceVersion)));

describe('nobody can change what is stored but by a request', () => {
  test('what is handed out is frozen, deep down', () => {
    create('a');
    const [held] = asked.server.objects('disks');
    expect(Object.isFrozen(held)).toBe(true);
    expect(Object.isFrozen(held?.metadata)).toBe(true);
    expect(Object.isFrozen(held?.['spec'])).toBe(true);
  });

  test('each change is told once, as it was and as it is, and a trial is none', () => {
    const changes: unknown[] = [];
    asked.server.onChange = ({ plural, before, after }) =>
      changes.push([plural, before?.metadata.generation, after?.metadata.generation]);
    create('a');
    patch('a', { spec: { size: 2 } });
    patch('a', { spec: { size: 2 } });
    asked.call('PATCH', `${shop}/a?dryRun=All`, { body: { spec: { size: 3 } }, contentType: merge });
    asked.call('DELETE', `${shop}/a?dryRun=All`);
    asked.call('DELETE', `${shop}/a`);
    expect(changes).toEqual([
      ['disks', undefined, 1],
      ['disks', 1, 2],
      ['disks', 2, undefined],
    ]);
  });

  test('lists are by namespace and name, however they came to be', () => {
    for (const name of ['b', 'a-b', 'a']) create(name);
    expect(asked.server.objects('disks').map(({ metadata }) => metadata.name)).toEqual(['a', 'a-b', 'b']);
  });
});

describe('a watch misses nothing, whatever is between it and its client', () => {
  test('what happens before the answer arrives comes with it', () => {
    const request = { method: 'GET', url: `${shop}?${initial}`, headers: {}, body: '' };
    const { body } = asked.server.handle(request, { closed: false, once: () => {} });
    create('a');
    const lines: string[] = [];
    if (body && 'stream' in body)
      body.stream({
        send: (line) => lines.push(line) > 0,
        end: () => {},
        onReady: () => {},
        onGone: () => {},
      });
    expect(lines.map((line) => /"type":"(\w+)"/.exec(line)?.[1])).toEqual(['BOOKMARK', 'ADDED']);
  });

  test('silent, it stays open, and tells all of it afterwards, in order', () => {
    const seen = asked.watch(`${shop}?${initial}`);
    asked.server.silent = true;
    create('a');
    patch('a', { spec: { size: 2 } });
    asked.call('DELETE', `${shop}/a`);
    const late = asked.watch(`${shop}?${initial}`);
    expect([typesOf(seen), typesOf(late)]).toEqual([['BOOKMARK'], []]);
    asked.server.silent = false;
    expect(typesOf(seen)).toEqual(['BOOKMARK', 'ADDED', 'MODIFIED', 'DELETED']);
    expect(typesOf(late)).toEqual(['BOOKMARK']);
    expect([seen.ended, late.ended]).toEqual([false, false]);
  });

  test('broken off, it goes on from the version that its client has', () => {
    create('a');
    const seen = asked.watch(`${shop}?${initial}`);
    const version = versionOf('disks');
    asked.server.breakWatches();
    create('b');
    expect([seen.ended, typesOf(seen)]).toEqual([true, ['ADDED', 'BOOKMARK']]);
    expect(typesOf(asked.watch(`${shop}?watch=true&resourceVersion=${version}`))).toEqual(['ADDED']);
  });

  test('whose client has gone is told nothing more', () => {
    const seen = asked.watch(`${shop}?${initial}`);
    seen.leave();
    create('a');
    expect(typesOf(seen)).toEqual(['BOOKMARK']);
  });
});

describe('versions that are no longer known', () => {
  const expired = { type: 'ERROR', object: expect.objectContaining({ code: 410, reason: 'Expired' }) };

  test('after a compaction a watch from before is refused, so that its client lists again', () => {
    create('a');
    const seen = from(versionOf('disks'));
    create('b');
    asked.server.compact();
    expect(seen.ended).toBe(true);
    const late = from(versionOf('disks') - 1);
    expect([late.events, late.ended]).toEqual([[expired], true]);
    expect(from(versionOf('disks')).events).toEqual([]);
  });

  test('restored, all is as it was, and versions are given again: who is ahead hears nothing until they are passed', () => {
    create('a');
    const backup = asked.server.backup();
    create('b');
    patch('a', { spec: { size: 2 } });
    const ahead = versionOf('disks');
    asked.server.restore(backup, false);
    expect(asked.server.objects('disks').map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      ['a', { size: 1 }],
    ]);
    const seen = from(ahead);
    for (const name of ['c', 'd']) create(name);
    expect(seen.events).toEqual([]);
    create('e');
    expect(typesOf(seen)).toEqual(['ADDED']);
    asked.server.restore(backup, false);
    expect(seen.ended).toBe(true);
  });

  test('restored with a jump, no version is given twice, and who watches from before lists again', () => {
    create('a');
    const backup = asked.server.backup();
    create('b');
    const before = versionOf('disks');
    asked.server.restore(backup, true);
    expect(from(before).events).toEqual([expired]);
    create('c');
    expect(versionOf('disks')).toBeGreaterThan(1_000_000_000);
    expect(asked.call('GET', `${shop}/a`)).toMatchObject({ status: 200 });
  });
});

describe('time', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('a watch ends when its client said it should, with a bookmark shortly before', () => {
    const seen = asked.watch(`${shop}?${initial}&timeoutSeconds=100`);
    asked.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'blog' } } });
    vi.advanceTimersByTime(97_999);
    expect([seen.events.length, seen.ended]).toEqual([2, false]);
    vi.advanceTimersByTime(1);
    expect(typesOf(seen)).toEqual(['BOOKMARK', 'BOOKMARK', 'BOOKMARK']);
    vi.advanceTimersByTime(2_000);
    expect([seen.events.length, seen.ended]).toEqual([3, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('bookmarks are not for who did not ask, and leave no timer behind', () => {
    const seen = asked.watch(`${shop}?watch=true`);
    const other = asked.watch(`${shop}?${initial}`);
    create('a');
    vi.advanceTimersByTime(200_000);
    expect(typesOf(seen)).toEqual(['ADDED']);
    expect(typesOf(other)).toEqual(['BOOKMARK', 'ADDED', 'BOOKMARK', 'BOOKMARK', 'BOOKMARK']);
    other.leave();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('times are those of the clock that is given, in whole seconds', () => {
    asked.wallMs = Date.UTC(2026, 3, 1, 12, 0, 0, 999);
    expect(create('a')).toMatchObject({
      body: { metadata: { creationTimestamp: '2026-04-01T12:00:00Z', generation: 1 } },
    });
  });
});

describe('controllers are done before the answer', () => {
  test('a chain of owners goes with the first, and what a finalizer holds waits', () => {
    create('a');
    const owned = (by: string) => {
      const of = asked.server.objects('disks').find(({ metadata }) => metadata.name === by);
      return {
        ownerReferences: [
          { apiVersion: 'holdfast.dev/v1alpha1', kind: 'Disk', name: by, uid: of?.metadata.uid },
        ],
      };
    };
    create('b', { ...owned('a'), finalizers: ['holdfast.dev/x'] });
    create('c', owned('b'));
    asked.call('DELETE', `${shop}/a`);
    expect(asked.server.objects('disks').map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
    patch('b', { metadata: { finalizers: null } });
    expect(asked.server.objects('disks')).toEqual([]);
  });

  test('a namespace goes after all that is in it, and comes back as another', () => {
    create('a', { finalizers: ['holdfast.dev/x'] });
    asked.call('DELETE', '/api/v1/namespaces/shop');
    expect(create('b')).toMatchObject({ status: 403 });
    patch('a', { metadata: { finalizers: null } });
    expect(create('b')).toMatchObject({ status: 404, body: { details: { kind: 'namespaces' } } });
    asked.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'shop' } } });
    expect(create('b')).toMatchObject({ status: 201 });
  });
});

test('whoever asks is told what is served, and may do everything', () => {
  expect(asked.call('GET', '/apis/holdfast.dev/v1alpha1')).toMatchObject({
    status: 200,
    body: { resources: [{ name: 'disks', namespaced: true, kind: 'Disk' }, { name: 'disks/status' }] },
  });
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  expect(asked.call('POST', path, { body: { spec: {} } })).toMatchObject({
    status: 201,
    body: { status: { allowed: true } },
  });
});
