// Holdfast on a cluster as its manifests install it: the program, under its own account, and the embedded services, in
// processes of their own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { resources } from '../../../src/runtime/kinds/lookup.ts';
import type { Condition, Status } from '../../../src/core/status/status.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import type { ConditionType, Reason } from '../../../src/core/status/reasons.ts';
import { folder, Holdfast } from '../../support/cli.ts';
import { connection, type Spec } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { Service } from '../../support/service.ts';
import { startCluster, type Cluster, type ClusterOptions } from './cluster.ts';
import { base, kubectl, operator } from './objects.ts';

const dialect = 'cluster';
const api = '/apis/holdfast.dev/v1alpha1';
const merge = 'application/merge-patch+json';
/** The machine may be busy with other things. */
export const withinMs = 60_000;

/** An object as the API server has it. */
export interface Live {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: Spec;
  readonly status: Partial<Status>;
}

/** A cluster with the manifests of deploy/kustomize, and namespace `shop`. It has no Deployment controller, so no pods. */
export async function installedCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await startCluster({
    controllers: true,
    ...options,
    users: { [operator]: [], ...options.users },
  });
  await kubectl(cluster, ['create', 'namespace', 'shop']);
  await kubectl(cluster, ['apply', '-k', base]);
  await kubectl(cluster, ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  return cluster;
}

/** Both embedded services, and their own word on what they have. */
export class Services {
  readonly stateDir: string;
  readonly scheduler: Service;
  readonly #secretsUrl: string;
  readonly #token: string;

  private constructor(stateDir: string, schedulerUrl: string, secretsUrl: string) {
    this.stateDir = stateDir;
    this.#token = readFileSync(join(stateDir, 'embedded-token'), 'utf8').trim();
    this.scheduler = new Service(schedulerUrl, dialect, this.#token);
    this.#secretsUrl = secretsUrl;
  }

  static async start(): Promise<Services> {
    const stateDir = await folder();
    const args = ['dev', '--state-dir', stateDir, '--dialect', dialect, '--listen', 'off'];
    const process = new Holdfast(args, { cwd: stateDir });
    const at = /(http:\/\/127\.0\.0\.1:\d+)[^]*?(http:\/\/127\.0\.0\.1:\d+)/;
    const [, scheduler = '', secrets = ''] = await process.says(at, withinMs);
    return new Services(stateDir, scheduler, secrets);
  }

  async secrets<T>(method: 'GET' | 'LIST' | 'POST', path: string, body?: unknown): Promise<T | undefined> {
    const reply = await request(`${this.#secretsUrl}${path}`, {
      // oxlint-disable-next-line no-unsafe-type-assertion -- a verb of the service
      method: method as 'GET',
      headers: { 'X-Secrets-Token': this.#token, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.body.text();
    if (reply.statusCode === 404) return undefined;
    if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
    // oxlint-disable-next-line no-unsafe-type-assertion -- the embedded service's word
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** IDs of registered volumes, and names of disks that were made, both in order. */
  async held(): Promise<{ readonly volumes: readonly string[]; readonly disks: readonly string[] }> {
    const volumes = (await this.scheduler.volumes()).map(({ ID }) => ID).toSorted();
    const disks = (await this.scheduler.disks()).map(({ name }) => name).toSorted();
    return { volumes, disks };
  }
}

/** The declared objects of a cluster, and the program over them. */
export class Installed {
  readonly cluster: Cluster;
  readonly services: Services;
  /** Environment of the processes that are started from now on. */
  env: Readonly<Record<string, string>> = {};

  constructor(cluster: Cluster, services: Services) {
    this.cluster = cluster;
    this.services = services;
  }

  /** Nothing is declared, and no process runs: that of the test before was ended. */
  static async on(cluster: Cluster): Promise<Installed> {
    const installed = new Installed(cluster, await Services.start());
    await installed.#clear();
    return installed;
  }

  /** @param more further arguments */
  run(...more: readonly string[]): Holdfast {
    const { stateDir } = this.services;
    const lease = ['--lease-namespace', 'holdfast-system'];
    const to = ['--kubeconfig', this.cluster.kubeconfig, '--context', operator];
    const args = ['run', '--source', 'kubernetes', ...to, ...lease, '--state-dir', stateDir];
    return new Holdfast([...args, '--listen', 'off', ...more], { cwd: stateDir, env: this.env });
  }

  async start(...more: readonly string[]): Promise<Holdfast> {
    const process = this.run(...more);
    await process.says(/"msg":"leading"/, withinMs);
    return process;
  }

  /** Applies objects. @returns what kubectl says */
  apply(...items: readonly Spec[]): Promise<string> {
    const list = { apiVersion: 'v1', kind: 'List', items };
    return kubectl(this.cluster, ['apply', '-f', '-'], JSON.stringify(list));
  }

  /** To the embedded scheduler; it is called `main`. */
  connect(more: Spec = {}): Promise<string> {
    return this.apply(connection({ url: 'embedded', dialect }, more));
  }

  /** @param key `KIND/[NAMESPACE/]NAME` */
  async get(key: string): Promise<Live | undefined> {
    const { status, body } = await this.cluster.call<Live>('GET', pathOf(key));
    return status === 200 ? body : undefined;
  }

  async list(kind: string): Promise<readonly Live[]> {
    const { plural } = resourceOf(kind);
    const { body } = await this.cluster.call<{ readonly items?: readonly Live[] }>('GET', `${api}/${plural}`);
    return (body.items ?? []).map((item) => ({ ...item, kind }));
  }

  async all(): Promise<readonly Live[]> {
    return (await Promise.all([...resources.keys()].map((kind) => this.list(kind)))).flat();
  }

  async patch(key: string, body: Spec, subresource = ''): Promise<void> {
    const reply = await this.cluster.call('PATCH', pathOf(key) + subresource, { body, contentType: merge });
    if (reply.status !== 200) throw new Error(`${key}: ${JSON.stringify(reply.body)}`);
  }

  annotate(key: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    return this.patch(key, { metadata: { annotations } });
  }

  async delete(key: string): Promise<void> {
    await this.cluster.call('DELETE', pathOf(key));
  }

  /** Waits for a reason, and gives its condition. */
  async reason(key: string, reason: Reason, type: ConditionType = 'Ready'): Promise<Condition> {
    let last: Live | undefined;
    const look = async () => {
      last = await this.get(key);
      const found = conditionOf(last?.status.conditions ?? [], type);
      return found?.reason === reason && found;
    };
    const seen = () => JSON.stringify(last?.status.conditions ?? last ?? 'none');
    return eventually(`${key} ${type} ${reason}`, look, { seen, withinMs });
  }

  async ready(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      let last: Live | undefined;
      const look = async () => {
        last = await this.get(key);
        const is = conditionOf(last?.status.conditions ?? [], 'Ready');
        return is?.status === 'True' && is.observedGeneration === last?.metadata.generation;
      };
      const seen = () => JSON.stringify(last?.status.conditions ?? last ?? 'none');
      await eventually(`${key} is ready`, look, { seen, withinMs });
    }
  }

  async gone(key: string): Promise<void> {
    let last: Live | undefined;
    const look = async () => (last = await this.get(key)) === undefined;
    const seen = () => JSON.stringify([last?.metadata, last?.status]);
    await eventually(`${key} is gone`, look, { seen, withinMs });
  }

  async #clear(): Promise<void> {
    for (const { kind, metadata } of await this.all()) {
      const key = [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join('/');
      await this.patch(key, { metadata: { finalizers: null } });
      await this.delete(key);
    }
    await this.cluster.call('DELETE', '/api/v1/namespaces/shop/secrets');
    await this.cluster.call('DELETE', '/apis/coordination.k8s.io/v1/namespaces/holdfast-system/leases');
  }
}

function resourceOf(kind: string) {
  const resource = resources.get(kind);
  if (!resource) throw new Error(`no kind ${kind}`);
  return resource;
}

export function pathOf(key: string): string {
  const [kind = '', ...names] = key.split('/');
  const { plural } = resourceOf(kind);
  const [name, namespace] = names.toReversed();
  return `${api}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${plural}/${name}`;
}
