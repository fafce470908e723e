// Writes whose answers never come, or come late: each is sent once, and what became of it is told and shown.
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { failure } from '../../api/servers.ts';
import { conflict, data, done, opened, startedBy, type SourceBench } from '../../sources/bench.ts';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { FaultProxy, type Fault } from './fault-proxy.ts';
import { benchOn, prepare, stopAll } from './source-bench.ts';

const intent: Status = { ...noStatus, pending: { op: 'create', token: 'nonce' } };

/** The next request by that method goes wrong. @returns how many there were */
function disturb(proxy: FaultProxy, method: string, fault: Fault): () => number {
  let count = 0;
  proxy.fault = (seen) => (seen.method === method && ++count === 1 ? fault : undefined);
  return () => count;
}

describe.skipIf(assets === undefined)('a lost answer (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    await prepare(cluster);
  });
  afterEach(stopAll);
  afterAll(() => cluster.stop());

  async function started(): Promise<{ readonly bench: SourceBench; readonly proxy: FaultProxy }> {
    const proxy = await FaultProxy.to(cluster);
    onTestFinished(() => proxy.close());
    const between = { server: proxy.url, silenceMs: 60_000, begin: () => {} };
    return { proxy, bench: await startedBy(() => benchOn(cluster, between)) };
  }

  test('of the hold with its intent: it is not sent again, and the next visit shows it', async () => {
    const { bench, proxy } = await started();
    bench.told();
    const handle = opened(bench);
    const count = disturb(proxy, 'PATCH', { is: 'lost' });
    expect(await failure(handle.hold(intent))).toMatchObject({ name: 'ApiError', mayHaveHadEffect: true });
    expect(handle.object.held).toBe(false); // what is not known is not shown
    await eventually('it was told', () => bench.told().includes(`${data} listed`));
    expect(opened(bench)).toMatchObject({ object: { held: true }, status: intent });
    expect(count()).toBe(1);
    await opened(bench).writeStatus(done);
    expect(bench.source.read(data)?.status).toEqual(done);
  });

  test('of a status: it is not sent again, and the next visit shows it', async () => {
    const { bench, proxy } = await started();
    bench.told();
    const count = disturb(proxy, 'PUT', { is: 'lost' });
    expect(await failure(opened(bench).writeStatus(done))).toMatchObject({ mayHaveHadEffect: true });
    await eventually('it was told', () => bench.told().includes(`${data} listed`));
    expect(opened(bench).status).toEqual(done);
    expect(count()).toBe(1);
  });

  test('of the release: the object is gone, and that is told', async () => {
    const { bench, proxy } = await started();
    await opened(bench).hold(done);
    await bench.remove('data');
    bench.told();
    disturb(proxy, 'PATCH', { is: 'lost' });
    await failure(opened(bench).release({ removed: true }));
    await eventually('it is gone', () => bench.source.read(data) === undefined);
    expect(bench.told()).toContain(`${data} edited`);
  });

  test.for(['PATCH', 'PUT'])(
    'of a %s that never arrived: nothing is shown, and the next one does it',
    async (method) => {
      const { bench, proxy } = await started();
      const count = disturb(proxy, method, { is: 'dropped' });
      const handle = opened(bench);
      const write = () => (method === 'PUT' ? handle.writeStatus(done) : handle.hold(done));
      await failure(write());
      expect([handle.status, bench.source.read(data)?.status]).toEqual([noStatus, noStatus]);
      expect(count()).toBe(1);
      await write();
      expect(bench.source.read(data)?.status).toEqual(done);
    },
  );

  test('of a read that comes after the end of the object does not bring it back', async () => {
    const { bench, proxy } = await started();
    await opened(bench).hold(done);
    await bench.remove('data');
    const gate = Promise.withResolvers<void>();
    const count = disturb(proxy, 'GET', { is: 'late', until: gate.promise });
    proxy.fault = (
      (before) => (seen) =>
        seen.isWatch ? undefined : before(seen)
    )(proxy.fault);
    const looks = failure(opened(bench).confirm());
    await eventually('it was asked', () => count() === 1);
    await eventually('the API server has answered', () => proxy.held === 1);
    await opened(bench).release({ removed: true });
    bench.told();
    gate.resolve();
    expect(await looks).toMatchObject(conflict('gone'));
    expect([bench.source.read(data), bench.told()]).toEqual([undefined, []]);
  });
});
