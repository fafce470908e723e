// One collection of the API server, ConfigMaps of a namespace of its own, kept by a reflector and a store behind a proxy
// that disturbs them.
import { onTestFinished } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import type { Resource } from '../../../src/api/kubernetes/resources.ts';
import { Secret } from '../../../src/core/secret.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { Reflector } from '../../../src/sources/kubernetes/reflector.ts';
import { Store } from '../../../src/sources/kubernetes/store.ts';
import { eventually } from '../../support/poll.ts';
import type { Cluster } from './cluster.ts';
import { FaultProxy, type Fault, type Seen } from './fault-proxy.ts';

export const configMaps: Resource = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** @param silenceMs a watch that says nothing for so long is given up */
export function clientThrough(proxy: FaultProxy, cluster: Cluster, silenceMs = 1_000): KubernetesClient {
  const authorization = Secret.of('token', '', `Bearer ${cluster.adminToken}`);
  const client = new KubernetesClient(
    { server: proxy.url, namespace: 'default', headers: async () => ({ authorization }) },
    new EffectGate({ nowMs: systemClock.nowMs }),
    systemClock.nowMs,
    silenceMs,
  );
  onTestFinished(() => client.close());
  return client;
}

export async function proxyTo(cluster: Cluster): Promise<FaultProxy> {
  const proxy = await FaultProxy.to(cluster);
  onTestFinished(() => proxy.close());
  return proxy;
}

let namespaces = 0;

export class Watched {
  readonly proxy: FaultProxy;
  readonly store: Store;
  readonly reflector: Reflector;
  readonly told: string[] = [];
  readonly troubles: (string | undefined)[] = [];
  readonly namespace = `probe-${++namespaces}`;
  /** Whoever is told of this fails, once. */
  readonly fails = new Set<string>();
  readonly #cluster: Cluster;
  readonly #path = `/api/v1/namespaces/${this.namespace}/configmaps`;

  private constructor(cluster: Cluster, proxy: FaultProxy, silenceMs?: number) {
    this.#cluster = cluster;
    this.proxy = proxy;
    const { kind } = configMaps;
    const of = { kind, namespace: this.namespace };
    this.store = new Store({
      validate: () => undefined,
      notify: (key) => {
        if (this.fails.delete(key)) throw new Error('who is told has a bug');
        this.told.push(key);
      },
      onDeletion: () => {},
    });
    this.reflector = new Reflector({
      client: clientThrough(proxy, cluster, silenceMs),
      resource: configMaps,
      of: { namespace: this.namespace },
      into: {
        replace: (objects, version) => this.store.replace(of, objects, version),
        changed: (object) => this.store.changed(kind, object),
        deleted: (object) => this.store.remove(of, object),
      },
      clock: systemClock,
      random: Math.random,
      trouble: (message) => this.troubles.push(message),
    });
    this.store.isListed = true;
    onTestFinished(() => this.reflector.stop());
  }

  /** @param names what is there before it begins */
  static async of(cluster: Cluster, names: readonly string[] = [], silenceMs?: number): Promise<Watched> {
    const watched = new Watched(cluster, await proxyTo(cluster), silenceMs);
    await cluster.call('POST', '/api/v1/namespaces', { body: { metadata: { name: watched.namespace } } });
    for (const name of names) await watched.create(name);
    return watched;
  }

  async started(): Promise<this> {
    await this.reflector.start();
    return this;
  }

  /** @returns its UID */
  async create(name: string, data: Readonly<Record<string, string>> = {}): Promise<string> {
    const { status, body } = await this.#cluster.call<{ metadata: { uid: string } }>('POST', this.#path, {
      body: { metadata: { name }, data },
    });
    if (status !== 201) throw new Error(`${name}: ${status}`);
    return body.metadata.uid;
  }

  async remove(name: string): Promise<void> {
    await this.#cluster.call('DELETE', `${this.#path}/${name}`);
  }

  key(name: string): string {
    return `ConfigMap/${this.namespace}/${name}`;
  }

  get names(): readonly string[] {
    return [...this.store.keys()].map((key) => key.split('/')[2] ?? '').toSorted();
  }

  /** Watches that were asked for, those that begin with a list, and lists in pages. */
  get asked(): { readonly watches: number; readonly lists: number; readonly pages: number } {
    const of = this.proxy.seen.filter(({ path }) => path === this.#path);
    return {
      watches: of.filter(({ isWatch, isList }) => isWatch && !isList).length,
      lists: of.filter(({ isList }) => isList).length,
      pages: of.filter(({ isWatch }) => !isWatch).length,
    };
  }

  /** The next requests of this collection go wrong, one after the other; those after them pass. */
  disturb(...faults: readonly Fault[]): void {
    const left = [...faults];
    this.proxy.fault = ({ path }: Seen) => (path === this.#path ? left.shift() : undefined);
  }

  /** Resolves once it is as the API server has it. @returns how long that took, in ms */
  async caughtUp(): Promise<number> {
    const sinceMs = performance.now();
    const { body } = await this.#cluster.call<{
      items: readonly { metadata: { name: string; uid: string; resourceVersion: string } }[];
    }>('GET', this.#path);
    const there = body.items.map(
      ({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`,
    );
    const known = () =>
      this.names.map((name) => {
        const stored = this.store.get(this.key(name));
        return `${name} ${stored?.object.uid} ${stored?.resourceVersion}`;
      });
    const wanted = there.toSorted().join('\n');
    await eventually('it is as the API server has it', () => known().toSorted().join('\n') === wanted, {
      seen: () => `${known().length} of ${there.length}`,
    });
    return Math.round(performance.now() - sinceMs);
  }
}
