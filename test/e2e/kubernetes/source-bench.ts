// The contract of a source, asked of the API server: a kind of its own, `Disk`, in a namespace `shop`, and the real source
// with a client whose watches can be held up.
import { randomUUID } from 'node:crypto';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { EffectGate } from '../../../src/api/effect.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { statusOf } from '../../../src/schema/crd/status.ts';
import { KubernetesSource, type Leadership } from '../../../src/sources/kubernetes/source.ts';
import type { SourceBench } from '../../sources/bench.ts';
import type { Cluster } from './cluster.ts';
import { definitionOf, disks } from './disks.ts';
import { insist } from './insist.ts';
import { declareWorkload, pathOfWorkload } from './workloads.ts';

const shop = '/apis/holdfast.dev/v1alpha1/namespaces/shop/disks';
const secretsOf = '/api/v1/namespaces/shop/secrets';
const definition = definitionOf({
  spec: {
    type: 'object',
    properties: { size: { type: 'integer' }, deletionPolicy: { type: 'string' } },
  },
  status: statusOf('Namespaced'), // what it does not allow, the API server drops
});

const bodyOf = (name: string, size: number) => ({
  apiVersion: disks.apiVersion,
  kind: 'Disk',
  metadata: { name, namespace: 'shop' },
  spec: { size },
});

/** Holds back what watches tell for as long as it is closed. */
class Valve {
  #open = Promise.withResolvers<void>();
  constructor() {
    this.#open.resolve();
  }

  close(): void {
    this.#open = Promise.withResolvers();
  }

  open(): void {
    this.#open.resolve();
  }

  async *through<T>(events: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const event of events) {
      await this.#open.promise;
      yield event;
    }
  }
}

export async function prepare(cluster: Cluster): Promise<void> {
  await cluster.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition });
  for (const name of ['shop', 'blog'])
    await cluster.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
  while ((await cluster.call('GET', shop)).status !== 200);
}

interface Written {
  readonly metadata: { readonly generation: number };
}

interface Read {
  readonly data?: Readonly<Record<string, string>>;
}

interface Disks {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

/** Nothing of the test before is there any more. */
async function empty(cluster: Cluster): Promise<void> {
  const { body } = await cluster.call<Disks>('GET', shop);
  for (const { metadata } of body.items) {
    const path = `${shop}/${metadata.name}`;
    await cluster.call('PATCH', path, {
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    });
    await cluster.call('DELETE', path);
  }
  await cluster.call('DELETE', secretsOf);
}

export interface Between {
  /** What stands between the source and the API server. */
  readonly server: string;
  readonly silenceMs: number;
  /** A process begins, which knows nothing of what others were told. */
  begin(): void;
}

/** @param between it refuses some requests: they are repeated, as the engine visits again */
export async function benchOn(cluster: Cluster, between?: Between): Promise<SourceBench> {
  await empty(cluster);
  await cluster.call('POST', shop, { body: bodyOf('data', 1) });
  return benchOf(cluster, between);
}

const running = new Set<() => Promise<void>>();

export async function stopAll(): Promise<void> {
  for (const stop of running) await stop();
  running.clear();
}

const known = async (key: string, is: () => boolean): Promise<void> => {
  const signal = AbortSignal.timeout(20_000);
  while (!is()) {
    if (signal.aborted) throw new Error(`${key}: the source was not told`);
    await new Promise(setImmediate);
  }
};

const keyOf = (name: string): string => `Disk/shop/${name}`;

const secret = (name: string, data: Readonly<Record<string, string>>, labels = {}) => ({
  metadata: { name, namespace: 'shop', labels },
  stringData: data,
});

function benchOf(cluster: Cluster, between?: Between): SourceBench {
  const told: string[] = [];
  const valve = new Valve();
  let lost = false;
  const leadership: Leadership = {
    get leading() {
      return !lost;
    },
    fence() {
      if (lost) throw new ApiError('unavailable', 'StateUnavailable', 'the lease is lost');
    },
  };
  const gate = new EffectGate({ nowMs: systemClock.nowMs, fence: () => source.fence() });
  const config = {
    server: between?.server ?? cluster.url,
    tls: { ca: Secret.of('ca', '', cluster.ca) },
    namespace: 'default',
    headers: async () => ({ authorization: Secret.of('token', '', `Bearer ${cluster.adminToken}`) }),
  };
  const client = new KubernetesClient(config, gate, systemClock.nowMs, between?.silenceMs);
  if (between) insist(client);
  between?.begin();
  const watch = client.watch.bind(client);
  client.watch = async (...args) => valve.through(await watch(...args));
  const source: KubernetesSource = new KubernetesSource({
    client,
    resources: new Map([['Disk', disks]]),
    namespaces: [],
    validate: () => undefined,
    leadership,
    clock: systemClock,
    random: Math.random,
    newID: randomUUID,
    connectionOf: () => undefined,
    related: (kind) => [kind],
    onTrouble: () => {},
  });
  const stop = async (): Promise<void> => {
    valve.open();
    await source.stop();
    await client.close();
  };
  running.add(stop);
  const put = async (name: string, size: number): Promise<number> => {
    const patched = await cluster.call<Written>('PATCH', `${shop}/${name}`, {
      body: { spec: { size } },
      contentType: 'application/merge-patch+json',
    });
    const { status, body } =
      patched.status === 404
        ? await cluster.call<Written>('POST', shop, { body: bodyOf(name, size) })
        : patched;
    if (status >= 300) throw new Error(JSON.stringify(body));
    return body.metadata.generation;
  };
  return {
    source,
    revives: false,
    told: () => told.splice(0),
    start: () => source.start((key, cause) => told.push(`${key} ${cause}`)),
    async declare(name, size) {
      const generation = await put(name, size);
      await known(keyOf(name), () => source.read(keyOf(name))?.object.generation === generation);
    },
    async declareUnheard(name, size) {
      valve.close();
      await put(name, size);
    },
    async ask(name, request, token) {
      await cluster.call('PATCH', `${shop}/${name}`, {
        body: { metadata: { annotations: { [`holdfast.dev/${request}`]: token } } },
        contentType: 'application/merge-patch+json',
      });
      await known(keyOf(name), () => source.read(keyOf(name))?.object.requests[request] === token);
    },
    async remove(name) {
      await cluster.call('DELETE', `${shop}/${name}`);
      await known(keyOf(name), () => source.read(keyOf(name))?.object.deleting !== false);
    },
    async setPassword(value) {
      const before = told.length;
      const watched = { 'holdfast.dev/watch': 'Enabled' };
      const path = `${secretsOf}/login`;
      if (value === undefined) await cluster.call('DELETE', path);
      else {
        const body = secret('login', { password: value }, watched);
        const made = await cluster.call('POST', secretsOf, { body });
        if (made.status === 409) await cluster.call('PUT', path, { body });
      }
      await known('Secret/shop/login', () => told.includes('Secret/shop/login secret', before));
    },
    async readOutput(name) {
      const { status, body } = await cluster.call<Read>('GET', `${secretsOf}/${name}`);
      if (status === 404) return undefined;
      return Object.fromEntries(
        Object.entries(body.data ?? {}).map(([entry, text]) => [
          entry,
          Buffer.from(text, 'base64').toString(),
        ]),
      );
    },
    async putForeign(name) {
      await cluster.call('POST', secretsOf, { body: secret(name, { password: 'theirs' }) });
    },
    workloads: {
      async declare(workload) {
        await cluster.call('DELETE', pathOfWorkload('shop', workload));
        await declareWorkload(cluster, 'shop', workload);
      },
      async restarts(workload) {
        const { body } = await cluster.call<Written>('GET', pathOfWorkload('shop', workload));
        return body.metadata.generation - 1;
      },
    },
    async restarted() {
      await stop();
      return benchOf(cluster, between);
    },
    loseLock: async () => void (lost = true),
  };
}
