// Who may act, among several: asked of the real API server, on clocks that the test turns.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { assets } from './assets.ts';
import { Election } from './candidates.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { Proxy } from './proxy.ts';

const yearMs = 365 * 24 * 3_600_000;

describe.skipIf(assets === undefined)('a lease (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  let elections = 0;
  const election = () => new Election(cluster, `lease-${++elections}`);
  beforeAll(async () => {
    cluster = await startCluster({ users: { ann: [] } });
  });
  afterAll(() => cluster.stop());

  test('is held by one of three, which renews it; the others stand by', async () => {
    const run = election();
    const [a, b, c] = [
      await run.enter({ name: 'a' }),
      await run.enter({ name: 'b' }),
      await run.enter({ name: 'c' }),
    ];
    const before = await run.read();
    await run.pass(60_000);
    expect([a.changes, b.changes, c.changes]).toEqual([[true], [], []]);
    expect(() => b.lease.fence()).toThrow(
      expect.objectContaining({ name: 'ApiError', class: 'unavailable', reason: 'NotLeading' }),
    );
    const now = await run.read();
    expect(now).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(now?.['acquireTime']).toBe(before?.['acquireTime']);
    expect(now?.['renewTime']).not.toBe(before?.['renewTime']);
  });

  test('that is given back is taken at the next look, within 2 s', async () => {
    const run = election();
    const [a, b] = [await run.enter({ name: 'a' }), await run.enter({ name: 'b' })];
    await a.lease.stop();
    expect(a.changes).toEqual([true, false]);
    expect(await run.read()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await run.pass(2_000);
    expect(b.changes).toEqual([true]);
    expect(await run.read()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test('of a standby that stops stays with its holder', async () => {
    const run = election();
    const [a, b] = [await run.enter({ name: 'a' }), await run.enter({ name: 'b' })];
    await b.lease.stop();
    expect(await run.read()).toMatchObject({ holderIdentity: 'a' });
    expect(a.mayWrite).toBe(true);
  });

  describe('another holder', () => {
    test.for<{ what: string; renewTime: string; leaseDurationSeconds: number }>([
      {
        what: 'that says it renewed years ago',
        renewTime: '2001-01-01T00:00:00.000000Z',
        leaseDurationSeconds: 15,
      },
      {
        what: 'that says it will renew years from now',
        renewTime: '2091-01-01T00:00:00.000000Z',
        leaseDurationSeconds: 15,
      },
      { what: 'that promised less', renewTime: '2026-01-01T00:00:00.000000Z', leaseDurationSeconds: 5 },
    ])(
      '$what is waited for as long as it promised, from when it was seen',
      async ({ renewTime, leaseDurationSeconds }) => {
        const run = election();
        await run.create({ holderIdentity: 'else', leaseDurationSeconds, renewTime });
        const a = await run.enter({ name: 'a' });
        await run.pass(leaseDurationSeconds * 1_000 - 500);
        expect(a.changes).toEqual([]);
        await run.pass(500);
        expect(a.changes).toEqual([true]);
      },
    );

    test('that renews is waited for, however far its clock is off', async () => {
      const run = election();
      await run.create({ holderIdentity: 'else', leaseDurationSeconds: 15 });
      const a = await run.enter({ name: 'a' });
      for (let turn = 0; turn < 5; turn++) {
        await run.pass(14_000);
        await run.change({ spec: { renewTime: `200${turn}-01-01T00:00:00.000000Z` } });
      }
      expect(a.changes).toEqual([]);
    });

    test('that takes it by force is believed: two must not act', async () => {
      const run = election();
      const a = await run.enter({ name: 'a' });
      await run.change({ spec: { holderIdentity: 'else' } });
      await run.pass(2_000);
      expect(a.changes).toEqual([true, false]);
      expect(a.mayWrite).toBe(false);
    });
  });

  test('whose holder was cleared may have been taken and given back: who held it begins anew, and looks at everything again', async () => {
    const run = election();
    const a = await run.enter({ name: 'a' });
    await run.change({ spec: { holderIdentity: '' } });
    await run.pass(2_000);
    expect(a.changes).toEqual([true, false, true]);
    expect(await run.read()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 1 });
  });

  test('is fenced by term: what began before another held it is not sent after that', async () => {
    const run = election();
    const a = await run.enter({ name: 'a' });
    const before = a.lease.fence();
    await run.pass(20_000);
    expect(a.lease.fence()).toBe(before);
    await run.change({ spec: { holderIdentity: 'else' } });
    await run.pass(2_000);
    await run.change({ spec: { holderIdentity: '' } });
    await run.pass(2_000);
    expect(a.mayWrite).toBe(true);
    expect(a.lease.fence()).not.toBe(before);
  });

  test('is kept by its holder when the date jumps back or forth, or stands still', async () => {
    const run = election();
    let wallMs = Date.parse('2026-11-20T00:00:00Z');
    const [a, b] = [await run.enter({ name: 'a', wallMs: () => wallMs }), await run.enter({ name: 'b' })];
    for (const jumpMs of [yearMs, -2 * yearMs, yearMs]) {
      wallMs += jumpMs;
      await run.pass(20_000);
    }
    expect([a.changes, b.changes]).toEqual([[true], []]);
  });

  test('goes to one alone where several take it over at the same moment', async () => {
    const run = election();
    await run.create({ holderIdentity: 'gone', leaseDurationSeconds: 15 });
    const all = await Promise.all(['a', 'b', 'c'].map((name) => run.enter({ name })));
    await run.pass(16_000);
    expect(all.flatMap(({ changes }) => changes)).toEqual([true]);
  });

  test('that somebody annotates stays with its holder, and keeps the annotation', async () => {
    const run = election();
    const a = await run.enter({ name: 'a' });
    await run.change({ metadata: { annotations: { note: 'kept' } } });
    await run.pass(20_000);
    expect([a.changes, a.troubles]).toEqual([[true], []]);
    const { stdout } = await cluster.kubectl(['get', 'lease', `lease-${elections}`, '-o', 'yaml']);
    expect(stdout).toContain('note: kept');
  });

  test('that is deleted is made again by its holder: who had seen it held does not take it meanwhile', async () => {
    const run = election();
    const [a, b] = [await run.enter({ name: 'a' }), await run.enter({ name: 'b' })];
    await run.delete();
    await run.pass(20_000);
    expect([a.changes, b.changes]).toEqual([[true, false, true], []]);
  });

  test('that is deleted after its holder died is taken once that one may not act any more', async () => {
    const run = election();
    await run.create({ holderIdentity: 'gone', leaseDurationSeconds: 15 });
    const a = await run.enter({ name: 'a' });
    await run.pass(10_000);
    await run.delete();
    await run.pass(14_500);
    expect(a.changes).toEqual([]);
    await run.pass(2_000);
    expect(a.changes).toEqual([true]);
  });

  describe('a holder that gets no answer', () => {
    test('may not write 10 s after it last asked; another takes over after 15 s; it stands by again', async () => {
      const run = election();
      const proxy = await Proxy.to(cluster.url);
      onTestFinished(() => proxy.close());
      const a = await run.enter({ name: 'a', server: proxy.url });
      const b = await run.enter({ name: 'b' });
      proxy.silence();
      await run.pass(9_500, { hanging: [a] });
      expect([a.mayWrite, b.mayWrite]).toEqual([true, false]);
      await run.pass(500, { hanging: [a] });
      expect([a.mayWrite, a.changes, b.mayWrite]).toEqual([false, [true, false], false]);
      await run.pass(7_000, { hanging: [a] });
      expect([a.mayWrite, b.mayWrite]).toEqual([false, true]);
      expect(a.troubles).toEqual([expect.stringContaining('no answer in time')]);
      proxy.cut();
      await run.pass(30_000);
      expect([a.changes, b.changes]).toEqual([[true, false], [true]]);
      expect(a.troubles.at(-1)).toBeUndefined();
    });

    test('because its process stood still may not write, before any of its timers is called', async () => {
      const run = election();
      const a = await run.enter({ name: 'a' });
      a.stalledMs = 9_999;
      expect(a.mayWrite).toBe(true);
      a.stalledMs = 10_000;
      expect(a.mayWrite).toBe(false);
      expect(a.changes).toEqual([true]);
    });

    test('for a while may write until 10 s after it asked, not after it was answered', async () => {
      const run = election();
      const proxy = await Proxy.to(cluster.url);
      onTestFinished(() => proxy.close());
      const a = await run.enter({ name: 'a', server: proxy.url });
      proxy.silence();
      await run.pass(5_000, { hanging: [a] }); // it asked after 2 s
      proxy.resume();
      await run.quiet();
      a.stalledMs = 6_999;
      expect(a.mayWrite).toBe(true);
      a.stalledMs = 7_000;
      expect(a.mayWrite).toBe(false);
    });

    test('from its login is told as soon', async () => {
      const run = election();
      const login = Promise.withResolvers<void>();
      const a = await run.enter({ name: 'a', login: login.promise });
      expect(a.changes).toEqual([]);
      await run.pass(5_000);
      expect(a.troubles).toEqual(['no answer in time']);
      login.resolve();
      await run.pass(5_000);
      expect(a.changes).toEqual([true]);
    });
  });

  test('that can not be made is told: its namespace is not there', async () => {
    const run = election();
    const a = await run.enter({ name: 'a', namespace: 'none' });
    await run.pass(20_000);
    expect([a.changes, a.troubles]).toEqual([[], ['leases.create: NotFound']]);
  });

  test('is waited for by who may not read it, and that is told once', async () => {
    const run = election();
    const a = await run.enter({ name: 'a', user: 'ann' });
    await run.pass(20_000);
    expect(a.troubles).toEqual([expect.stringMatching(/leases\.get: .*forbidden/)]);
    expect(() => a.lease.fence()).toThrow(/forbidden/);
  });
});
