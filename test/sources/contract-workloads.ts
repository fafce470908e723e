// What a source has to keep of workloads, if there are any where it is: a crash restarts nothing twice because of this alone.
import { describe, expect, test } from 'vitest';
import type { Workload } from '../../src/core/effect.ts';
import { again, conflict, opened, startedBy, type SourceBench } from './bench.ts';

const web: Workload = { kind: 'Deployment', name: 'web' };
const restart = (token: string, workload = web) =>
  ({ port: 'source', op: 'workload.restart', workload, token }) as const;
const done = { is: 'done' };
const missing = {
  class: 'waiting',
  message: 'Deployment shop/none does not exist',
  mayHaveHadEffect: false,
};

/** @param make a bench whose source is not started yet */
export function workloadsContract(name: string, make: () => Promise<SourceBench>): void {
  describe(`${name}: a workload`, () => {
    test('is restarted once per token, also by the next process; where there are none, none can be tried', async () => {
      const bench = await startedBy(make);
      if (!bench.workloads) return expect(bench.source).not.toHaveProperty('tryRestart');
      await bench.workloads.declare(web);
      await bench.source.tryRestart?.('shop', web);
      expect(await bench.workloads.restarts(web)).toBe(0);
      expect(await opened(bench).perform(restart('t1'))).toEqual(done);
      const next = await again(bench);
      expect(await opened(next).perform(restart('t1'))).toEqual(done);
      expect(await next.workloads?.restarts(web)).toBe(1);
      expect(await opened(next).perform(restart('t2'))).toEqual(done);
      expect(await next.workloads?.restarts(web)).toBe(2);
    });

    test('that is not there is refused: tried, or not, nothing was done', async ({ skip }) => {
      const bench = await startedBy(make);
      if (!bench.workloads) return skip('there are none');
      await bench.workloads.declare(web);
      const none: Workload = { kind: 'Deployment', name: 'none' };
      await expect(bench.source.tryRestart?.('shop', none)).rejects.toMatchObject(missing);
      const outcome = await opened(bench).perform(restart('t1', none));
      expect(outcome).toMatchObject({ is: 'rejected', error: missing });
    });

    test('is not restarted for an object that is gone, nor by a process that may not act', async ({
      skip,
    }) => {
      const bench = await startedBy(make);
      if (!bench.workloads) return skip('there are none');
      await bench.workloads.declare(web);
      const late = opened(bench);
      await late.hold();
      await bench.declare('other', 1);
      const other = opened(bench, 'Disk/shop/other');
      await bench.remove('data');
      await opened(bench).release({ removed: true });
      await expect(late.perform(restart('t1'))).rejects.toMatchObject(conflict('gone'));
      await bench.loseLock();
      expect(await other.perform(restart('t1'))).toMatchObject({ is: 'rejected' });
      expect(await bench.workloads.restarts(web)).toBe(0);
    });
  });
}
