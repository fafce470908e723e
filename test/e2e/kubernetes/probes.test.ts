// What clients of Kubernetes are known to get wrong, each tried on the real API server with something between that goes
// wrong. Nothing the author of a kind writes has a part in it.
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { eventually } from '../../support/poll.ts';
import { everythingOf, failure } from '../../api/servers.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import type { Fault } from './fault-proxy.ts';
import { clientThrough, configMaps, proxyTo, Watched } from './watched.ts';

const expired: Fault = { is: 'refused', status: 410 };
const probe = (what: string, figure: string): void => report(`watch probe: ${what}: ${figure}`);
const several = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `n${at}`);

/** Skips a test whose faults are those of a list that comes as a stream, where the API server has only pages. */
async function needsStreams({ skip }: TestContext, cluster: Cluster): Promise<void> {
  const { asked } = await (await Watched.of(cluster)).started();
  skip(asked.pages > 0, 'this API server lists in pages');
}

describe.skipIf(assets === undefined)('the watch probes (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  test('1: 1,000 calls take a few connections, and no more than 64 where all are made at once', async () => {
    const proxy = await proxyTo(cluster);
    const client = clientThrough(proxy, cluster);
    const call = () => client.get(configMaps, { namespace: 'default', name: 'none' });
    for (let n = 0; n < 1_000; n++) await call();
    const one = proxy.connections;
    await Promise.all(Array.from({ length: 1_000 }, call));
    probe('connections per 1,000 calls', `${one} one by one, ${proxy.connections} at once`);
    expect(one).toBeLessThanOrEqual(5);
    expect(proxy.connections).toBeLessThanOrEqual(64);
  });

  test('2: watches that the API server ends every 2 s leave no gap: what changes meanwhile is seen at once', async () => {
    const watched = await Watched.of(cluster, [], 60_000);
    watched.proxy.watchSeconds = 2;
    await watched.started();
    const seenMs: number[] = [];
    const later: number[] = [];
    for (let n = 0; watched.asked.watches < 4; n++) {
      const [sinceMs, before] = [performance.now(), watched.asked.watches];
      await watched.create(`n${n}`);
      await eventually('it is seen', () => watched.names.length === n + 1);
      seenMs.push(Math.round(performance.now() - sinceMs));
      later.push(watched.asked.watches - before);
    }
    const { watches, lists } = watched.asked;
    probe('seen after', `at most ${Math.max(...seenMs)} ms: ${seenMs.length} changes, ${watches} watches`);
    expect(lists).toBe(1);
    expect(Math.max(...later)).toBeLessThanOrEqual(1); // by the watch that was open, or by the next one
  });

  test('3: a watch that falls silent is given up, and what it kept to itself is seen', async () => {
    const watched = await Watched.of(cluster, ['a']);
    watched.disturb({ is: 'silent', after: 2 }); // the object, and the end of the list
    await watched.started();
    await watched.create('b');
    const ms = await watched.caughtUp();
    probe('a silence of 1 s, by the client’s own deadline', `seen after ${ms} ms`);
    expect(watched.asked).toMatchObject({ watches: 1, lists: 1 });
  });

  test('4: a quiet kind goes on from bookmarks: it is not listed again, however much else is written', async () => {
    const [quiet, busy] = [await Watched.of(cluster, [], 60_000), await Watched.of(cluster)];
    quiet.proxy.watchSeconds = 4; // the bookmark comes 2 s before the end
    await quiet.started();
    for (const round of [1, 2, 3]) {
      for (const name of several(10)) await busy.create(`${name}-${round}`);
      await eventually('the next watch', () => quiet.asked.watches === round);
    }
    const versions = quiet.proxy
      .watchesOf('configmaps')
      .filter(({ isList }) => !isList)
      .map(({ query }) => Number(query.get('resourceVersion')));
    probe('versions that a quiet kind is watched from, 10 writes of others each', versions.join(', '));
    const steps = versions.slice(1).map((version, at) => version - (versions[at] ?? 0));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(10);
    expect(quiet.asked.lists).toBe(1);
  });

  const refusals: readonly (readonly [what: string, fault: Fault])[] = [
    ['401', { is: 'refused', status: 401 }],
    ['403', { is: 'refused', status: 403 }],
    ['404', { is: 'refused', status: 404 }],
    ['410', expired],
    ['429, in a second', { is: 'refused', status: 429, retryAfter: 1 }],
    ['500', { is: 'refused', status: 500 }],
    ['503', { is: 'refused', status: 503 }],
    ['a connection that is dropped', { is: 'dropped' }],
    ['an answer that breaks off', { is: 'cut', after: 0 }],
  ];
  /** @returns what is known in the end */
  const tried = async (what: string, fault: Fault): Promise<readonly string[]> => {
    const watched = await (await Watched.of(cluster, ['a'])).started();
    watched.disturb(fault, fault, fault);
    await watched.create('b');
    await watched.remove('a');
    await watched.caughtUp();
    watched.proxy.cut();
    await watched.create('c');
    const ms = await watched.caughtUp();
    probe(`three times ${what}`, `seen after ${ms} ms`);
    return [what, ...watched.names];
  };
  test('5: three watches in a row that are refused end nothing, however that is done', async () => {
    const known = await Promise.all(refusals.map(([what, fault]) => tried(what, fault))); // each waits for seconds
    expect(known).toEqual(refusals.map(([what]) => [what, 'b', 'c']));
  });

  test('6: it has started once all is listed, not before, however often that fails', async (context) => {
    await needsStreams(context, cluster);
    const watched = await Watched.of(cluster, several(5));
    const faults: readonly Fault[] = [
      { is: 'refused', status: 500 },
      { is: 'dropped' },
      { is: 'cut', after: 3 },
      { is: 'corrupt', after: 2 },
    ];
    watched.disturb(...faults);
    const known: number[] = [];
    const started = watched.reflector.start().then(() => known.push(watched.names.length));
    await eventually('all faults but one', () => watched.asked.lists >= 4);
    expect([watched.told, known]).toEqual([[], []]);
    await started;
    probe('lists that failed before it started', `${faults.length}, and none was taken for whole`);
    expect(known).toEqual([5]);
  });

  test.for<{ when: string; fault: Fault | undefined }>([
    { when: 'before the API server is asked', fault: { is: 'delayed', ms: 60_000 } },
    { when: 'while the list is sent', fault: { is: 'silent', after: 1 } },
    { when: 'while it watches', fault: undefined },
  ])('7, 8: stopped $when, nothing stays open, and nothing begins again', async ({ fault }) => {
    const watched = await Watched.of(cluster, ['a']);
    if (fault) watched.disturb(fault);
    const started = Promise.all([watched.reflector.start(), watched.reflector.start()]);
    await eventually('it has begun', () => watched.asked.lists === 1);
    if (!fault) await started;
    await watched.reflector.stop();
    await started;
    await eventually('all is closed', () => watched.proxy.open === 0);
    const before = watched.proxy.seen.length;
    await watched.create('b');
    await watched.reflector.start();
    await cluster.call('GET', '/readyz');
    expect(watched.proxy.seen).toHaveLength(before);
    expect(watched.troubles).toEqual([]);
  });

  test('9: what is deleted and created again while nobody watches is another object', async () => {
    const watched = await (await Watched.of(cluster, ['a'])).started();
    const before = watched.store.get(watched.key('a'))?.object.uid;
    watched.told.length = 0;
    watched.disturb({ is: 'refused', status: 500 }, expired);
    watched.proxy.cut();
    await watched.remove('a');
    const uid = await watched.create('a');
    await watched.caughtUp();
    expect(watched.store.get(watched.key('a'))?.object.uid).toBe(uid);
    expect(uid).not.toBe(before);
    expect(watched.told).toEqual([watched.key('a'), watched.key('a')]); // it went, and another came
  });

  test('10: a list that is older than what is known undoes nothing', async () => {
    const watched = await (await Watched.of(cluster, several(20))).started();
    for (const name of several(20)) await watched.remove(name);
    for (let n = 0; n < 30; n++) await watched.create(`later-${n}`);
    await watched.caughtUp();
    const sizes = new Set<number>();
    watched.told.length = 0;
    watched.disturb(expired, { is: 'older' }, { is: 'silent', after: 0 }, { is: 'older' });
    watched.proxy.cut();
    await eventually('it was told the older list', () => {
      sizes.add(watched.names.length);
      return watched.proxy.faults.get('older') === 2;
    });
    await watched.create('last');
    await watched.caughtUp();
    probe(
      'a list of 20 after one of 30',
      `kept ${[...sizes].join(', ')}, told ${watched.told.length} of 1 change`,
    );
    expect([...sizes]).toEqual([30]);
    expect(watched.told).toEqual([watched.key('last')]);
  });

  test('11: who is told and fails ends nothing, and is told again', async () => {
    const watched = await (await Watched.of(cluster, ['a'])).started();
    watched.fails.add(watched.key('b'));
    await watched.create('b');
    await eventually('it was told again', () => watched.told.includes(watched.key('b')));
    await watched.create('c');
    await watched.caughtUp();
    expect(watched.told).toEqual(['a', 'b', 'c'].map((name) => watched.key(name)));
  });

  test.for<{ number: number; what: string; fault: Fault; relists: boolean }>([
    { number: 12, what: 'a corrupt line', fault: { is: 'corrupt', after: 3 }, relists: true },
    { number: 12, what: 'a line that is cut off', fault: { is: 'cut', after: 3 }, relists: false },
    { number: 13, what: 'error 410 within', fault: { is: 'error', after: 3, code: 410 }, relists: true },
    { number: 13, what: 'error 429 within', fault: { is: 'error', after: 3, code: 429 }, relists: false },
    { number: 13, what: 'error 500 within', fault: { is: 'error', after: 3, code: 500 }, relists: false },
    { number: 13, what: 'error 504 within', fault: { is: 'error', after: 3, code: 504 }, relists: false },
    { number: 13, what: 'each event twice', fault: { is: 'twice' }, relists: false },
  ])('$number: $what loses nothing of what was said there', async ({ what, fault, relists }, context) => {
    await needsStreams(context, cluster);
    const watched = await Watched.of(cluster, ['a']);
    watched.disturb(fault);
    await watched.started();
    for (const name of several(6)) await watched.create(name);
    await watched.remove('n1');
    const ms = await watched.caughtUp();
    probe(what, `all seen after ${ms} ms, listed ${watched.asked.lists} times`);
    expect(watched.asked.lists).toBe(relists ? 2 : 1);
  });

  test('15: 1,200 objects come in one list, and in pages where the API server sends none, though a page expires', async () => {
    const watched = await Watched.of(cluster);
    for (let n = 0; n < 1_200; n += 50)
      await Promise.all(Array.from({ length: 50 }, (_, at) => watched.create(`n${n + at}`)));
    const sinceMs = performance.now();
    let hasExpired = false;
    watched.proxy.fault = ({ isList, query }) => {
      if (isList) return { is: 'refused', status: 400 };
      if (!query.has('continue') || hasExpired) return undefined;
      hasExpired = true;
      return expired;
    };
    await watched.started();
    const pagesMs = Math.round(performance.now() - sinceMs);
    await watched.caughtUp();
    expect(watched.asked).toMatchObject({ lists: 1, pages: 2 + 3 });
    expect(watched.told).toHaveLength(1_200);
    probe('1,200 objects', `${watched.asked.pages} pages with one that expired, ${pagesMs} ms`);
  });

  test('16: no error shows what an answer quotes', async () => {
    const canary = 'canary-9c1f7';
    const proxy = await proxyTo(cluster);
    const client = clientThrough(proxy, cluster);
    const secret = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
    const create = (body: object) => client.create(secret, 'default', { ...body });
    const errors = [
      // The API server itself quotes what it refuses.
      await failure(create({ metadata: { name: 'a' }, data: { k: canary } })),
      await failure(create({ metadata: { name: 'a', labels: { l: `${canary}/` } } })),
      await failure(create({ metadata: { name: `${canary}/` } })),
      await failure(create({ metadata: { name: 'a' }, type: canary, data: canary })),
    ];
    for (const status of [400, 401, 403, 422, 429, 500, 503]) {
      const body = {
        kind: 'Status',
        reason: 'Invalid',
        message: canary,
        details: { causes: [{ message: canary }] },
      };
      proxy.fault = () => ({ is: 'refused', status, body });
      errors.push(await failure(create({ metadata: { name: 'a' } })));
    }
    for (const error of errors) {
      const shown = `${String(error)} ${JSON.stringify(error)} ${everythingOf(error)}`.toLowerCase();
      expect(error).toMatchObject({ name: 'ApiError' });
      expect(shown).not.toContain(canary);
    }
    probe('errors that show a secret', `0 of ${errors.length}`);
  });

  test('18: the API server is left alone for as long as it asks', async () => {
    const watched = await Watched.of(cluster, ['a']);
    const at: number[] = [];
    const waits: readonly Fault[] = [{ is: 'refused', status: 429, retryAfter: 3 }];
    const left = [...waits];
    watched.proxy.fault = () => {
      at.push(performance.now());
      return left.shift();
    };
    await watched.started();
    const waitedMs = Math.round((at[1] ?? 0) - (at[0] ?? 0));
    probe('Retry-After: 3', `asked again after ${waitedMs} ms`);
    expect(waitedMs).toBeGreaterThanOrEqual(2_900);
  });
});
