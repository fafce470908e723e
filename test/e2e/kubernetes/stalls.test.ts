// Processes and an API server that stand still for a while, as machines do, and go on as if nothing had been.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/poll.ts';
import { portOf } from '../../support/port.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import { Election } from './candidates.ts';
import { startCluster, type Cluster } from './cluster.ts';

const stalls = 8;

/** A service that writes down who wrote. */
async function ledger(): Promise<{ readonly url: string; readonly writers: readonly string[] }> {
  const writers: string[] = [];
  const server = createServer((request, response) => {
    writers.push(request.url?.slice(1) ?? '');
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${portOf(server)}`, writers };
}

function start(cluster: Cluster, name: string, service: string): ChildProcess {
  const script = join(import.meta.dirname, 'leader.ts');
  const args = [script, name, cluster.url, cluster.ca, cluster.adminToken, service];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

describe.skipIf(assets === undefined)('stalls (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  test(`a leader that was stopped begins no write once another leads: ${stalls} times`, async () => {
    const { url, writers } = await ledger();
    const children = new Map(['a', 'b'].map((name) => [name, start(cluster, name, url)] as const));
    const takeovers: number[] = [];
    await eventually('somebody leads', () => writers.length > 0);
    for (let stall = 0; stall < stalls; stall++) {
      const leader = writers.at(-1) ?? '';
      children.get(leader)?.kill('SIGSTOP');
      const sinceMs = performance.now();
      await eventually('the other leads', () => writers.at(-1) !== leader);
      takeovers.push(Math.round(performance.now() - sinceMs));
      const before = writers.length;
      children.get(leader)?.kill('SIGCONT');
      await eventually('it went on for a while', () => writers.length > before + 50);
      // One may have passed the fence, and was stopped before it was sent.
      expect(writers.slice(before).filter((name) => name === leader).length).toBeLessThanOrEqual(1);
    }
    report(`lease of 2 s: taken over ${takeovers.toSorted((x, y) => x - y).join(', ')} ms after a stop`);
  });

  test('of the API server: who leads may write for 10 s, then nobody; when it goes on, one leads', async () => {
    const run = new Election(cluster, 'frozen');
    const [a, b] = [await run.enter({ name: 'a' }), await run.enter({ name: 'b' })];
    cluster.signal('SIGSTOP');
    onTestFinished(() => cluster.signal('SIGCONT'));
    await run.pass(9_500, { hanging: [a, b] });
    expect([a.mayWrite, b.mayWrite]).toEqual([true, false]);
    await run.pass(20_500, { hanging: [a, b] });
    expect([a.changes, b.changes]).toEqual([[true, false], []]);
    cluster.signal('SIGCONT');
    await eventually('one leads', async () => {
      await run.pass(500, { hanging: [a, b] });
      return a.mayWrite || b.mayWrite;
    });
    await run.pass(30_000);
    expect([a.mayWrite, b.mayWrite].filter(Boolean)).toHaveLength(1);
  });
});
