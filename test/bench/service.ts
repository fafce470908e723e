// The benchmarks' scheduler as they see it: a process that is started fresh, asked what it counted, and ended.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import type { Counters } from '../../src/embedded/scheduler/fixtures/endpoints.ts';
import { token } from './input.ts';

export interface Counted extends Counters {
  /** Digest of every request about a volume: method, URL, headers, length of the body, in the order per volume. */
  readonly asked: string;
  /** The same of method and URL alone. */
  readonly operations: string;
  /** Most requests that were under way at once. */
  readonly inFlightMax: number;
}

export interface Service {
  readonly url: string;
  counted(): Promise<Counted>;
  /** @throws Error unless there are exactly so many volumes, each on a disk of its own, and no other disks. */
  holds(volumes: number): Promise<void>;
  stop(): Promise<void>;
}

const serverFile = fileURLToPath(import.meta.resolve('./server.ts'));

export async function startService(latencyMs: number): Promise<Service> {
  const child = fork(serverFile, [String(latencyMs)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const answer = async <T>(): Promise<T> => {
    const ended = exited.then(([code]) => {
      throw new Error(`the benchmark's scheduler ended with ${String(code)}`);
    });
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message; // of this type: server.ts, the other end, sends nothing else
  };
  const { url } = await answer<{ readonly url: string }>();
  return {
    url,
    counted() {
      child.send('counted');
      return answer<Counted>();
    },
    async holds(volumes) {
      const disks = await list<{ readonly externalID: string }>(`${url}/setup/disks`);
      const held = await list<{ readonly ExternalID: string }>(`${url}/v1/volumes?type=csi&namespace=*`);
      const used = new Set(held.map((volume) => volume.ExternalID));
      const well = disks.length === volumes && held.length === volumes && used.size === volumes;
      if (well && disks.every((disk) => used.has(disk.externalID))) return;
      const found = `${held.length} volumes on ${used.size} of ${disks.length} disks`;
      throw new Error(`expected ${volumes} volumes, each on its own disk, got ${found}`);
    },
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}

async function list<T>(url: string): Promise<readonly T[]> {
  const { statusCode, body } = await request(url, { headers: { 'X-Cluster-Token': token } });
  if (statusCode !== 200) throw new Error(`${url}: status ${statusCode}: ${await body.text()}`);
  return JSON.parse(await body.text()); // in the shape that the embedded scheduler gives
}
