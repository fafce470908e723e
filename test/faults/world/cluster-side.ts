// What is declared in a cluster of one's own: the tree is applied as kubectl would, and pruned. Clusters are used one world
// after the other, a few at a time.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { noStatus, parseStatus } from '../../../src/core/status/status.ts';
import { crds, resources } from '../../../src/runtime/kinds/lookup.ts';
import type { Ended } from '../../support/cli.ts';
import { startCluster, type Cluster } from '../../e2e/kubernetes/cluster.ts';
import { runInside } from './in-process.ts';
import type { Remembered, SourceSide } from './source-side.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Thing extends Fields {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

const clustersMax = 3;
const namespaces = ['shop', 'system', 'blog'];
/** Says which Secrets are declared: those that are published are the program's. */
const declared = { faults: 'declared' };
const requestsKept = new Set(['holdfast.dev/intent', 'holdfast.dev/approve']);

class Pool {
  readonly #free: Cluster[] = [];
  readonly #waiting: ((cluster: Cluster) => void)[] = [];
  readonly #all: Promise<Cluster>[] = [];

  async take(): Promise<Cluster> {
    const cluster = this.#free.pop();
    if (cluster) return cluster;
    if (this.#all.length < clustersMax) {
      const started = prepared();
      this.#all.push(started);
      return started;
    }
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  give(cluster: Cluster): void {
    const next = this.#waiting.shift();
    if (next) next(cluster);
    else this.#free.push(cluster);
  }

  async stop(): Promise<void> {
    for (const cluster of this.#all.splice(0)) await (await cluster).stop();
  }
}

const pool = new Pool();
export const stopClusters = (): Promise<void> => pool.stop();

async function prepared(): Promise<Cluster> {
  const cluster = await startCluster();
  const definitions = [...crds().values()].join('\n---\n');
  const applied = await cluster.kubectl(['apply', '-f', '-'], { input: definitions });
  if (applied.code !== 0) throw new Error(applied.stderr);
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
  for (const kind of resources.keys()) while ((await cluster.call('GET', pathOf(kind, {}))).status !== 200);
  for (const name of namespaces)
    await cluster.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
  return cluster;
}

const pathOf = (
  kind: string,
  { namespace, name = '' }: { namespace?: string | undefined; name?: string },
): string => {
  const resource = resources.get(kind);
  const base = resource ? `/apis/${resource.apiVersion}` : '/api/v1';
  const within = namespace === undefined || namespace === '' ? '' : `/namespaces/${namespace}`;
  return `${base}${within}/${resource?.plural ?? 'secrets'}${name && `/${name}`}`;
};

const keyOf = ({ kind, metadata: { namespace, name } }: Thing): string =>
  [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');

export class ClusterSide implements SourceSide {
  readonly #cwd: string;
  readonly #seconds: number;
  readonly #cluster: Cluster;

  private constructor(cwd: string, seconds: number, cluster: Cluster) {
    this.#cwd = cwd;
    this.#seconds = seconds;
    this.#cluster = cluster;
  }

  static async open(cwd: string, seconds: number): Promise<ClusterSide> {
    const side = new ClusterSide(cwd, seconds, await pool.take());
    try {
      await side.#empty();
      if (existsSync(side.#kept)) await side.#restore(JSON.parse(readFileSync(side.#kept, 'utf8')));
    } catch (error) {
      pool.give(side.#cluster);
      throw error;
    }
    return side;
  }

  get #kept(): string {
    return join(this.#cwd, 'cluster.json');
  }

  get #flags() {
    return { kubeconfig: this.#cluster.kubeconfig, stateDir: join(this.#cwd, '.holdfast') };
  }

  get args(): readonly string[] {
    return ['run', '--source', 'kubernetes', '--once', '--no-lease', '--kubeconfig', this.#flags.kubeconfig];
  }

  pass(fault: string): Promise<Ended> {
    return runInside(this.#flags, this.#seconds, fault);
  }

  async declare(): Promise<boolean> {
    const wanted = new Map(this.#tree().map((thing) => [keyOf(thing), thing]));
    let created = false;
    const there = new Map((await this.#all()).map((thing) => [keyOf(thing), thing]));
    for (const [key, thing] of wanted) {
      const before = there.get(key);
      if (!before) created = true;
      if (before) await this.#change(before, thing);
      else await this.#write('POST', thing, withoutName(thing));
    }
    for (const [key, thing] of there) {
      const isPublished = thing.kind === 'Secret' && thing.metadata.labels?.['faults'] !== 'declared';
      const isChild = thing.metadata.annotations?.['holdfast.dev/generated-by'] !== undefined;
      const isOurs = !isPublished && !isChild;
      if (isOurs && !wanted.has(key) && thing.metadata.deletionTimestamp === undefined)
        await this.#cluster.call('DELETE', pathOf(thing.kind, thing.metadata));
    }
    return created;
  }

  async remember(key: string, field: string, value: string): Promise<void> {
    const [kind = '', ...names] = key.split('/');
    const [name = '', namespace] = names.toReversed();
    const contentType = 'application/merge-patch+json';
    const body = { status: { own: { [field]: value } } };
    await this.#cluster.call('PATCH', `${pathOf(kind, { namespace, name })}/status`, { body, contentType });
  }

  async approve(digest: string): Promise<Ended> {
    const body = { metadata: { annotations: { 'holdfast.dev/approve': digest } } };
    const contentType = 'application/merge-patch+json';
    for (const thing of await this.#all()) {
      if (!thing.kind.endsWith('Connection')) continue;
      await this.#cluster.call('PATCH', pathOf(thing.kind, thing.metadata), { body, contentType });
    }
    return { code: 0, stdout: '', stderr: '' };
  }

  async rows(): Promise<ReadonlyMap<string, Remembered>> {
    const things = (await this.#all()).filter(({ kind }) => kind !== 'Secret');
    return new Map(
      things.map((thing) => {
        const { deletionTimestamp, finalizers = [] } = thing.metadata;
        const held = finalizers.includes('holdfast.dev/finalizer');
        const status = parseStatus({ ...noStatus, ...Object(thing.status) });
        return [keyOf(thing), { held, deleting: deletionTimestamp !== undefined, status }];
      }),
    );
  }

  async outputs(): Promise<Readonly<Record<string, string>>> {
    const published = (await this.#all()).filter(
      ({ kind, metadata }) => kind === 'Secret' && metadata.labels?.['faults'] === undefined,
    );
    return Object.fromEntries(
      published.flatMap(({ metadata: { namespace, name }, data = {} }) =>
        Object.entries(data).map(([entry, text]) => [
          `${namespace}/${name}/${entry}`,
          Buffer.from(text, 'base64').toString(),
        ]),
      ),
    );
  }

  async close(keep: boolean): Promise<void> {
    if (keep) writeFileSync(this.#kept, JSON.stringify(await this.#all()));
    pool.give(this.#cluster);
  }

  #tree(): readonly Thing[] {
    const files = globSync('tree/**/*.yaml', { cwd: this.#cwd }).toSorted();
    const texts = files.map((file) => readFileSync(join(this.#cwd, file), 'utf8'));
    return texts
      .flatMap((text) => parseAllDocuments(text).map((one): unknown => one.toJS()))
      .filter((one): one is Thing => one !== null && Object(one)['kind'] !== 'Installation');
  }

  async #all(): Promise<readonly Thing[]> {
    const kinds = [...resources.keys(), 'Secret'];
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const { body } = await this.#cluster.call<{ readonly items: readonly Thing[] }>(
          'GET',
          pathOf(kind, {}),
        );
        return body.items.map((item) => ({ ...item, kind }));
      }),
    );
    return lists.flat();
  }

  /** As kubectl edits: what is declared, and the annotations; what the program keeps there stays. */
  async #change(before: Thing, { spec, metadata, ...rest }: Thing): Promise<void> {
    const kept = Object.entries(before.metadata.annotations ?? {}).filter(([name]) => requestsKept.has(name));
    const annotations = { ...metadata.annotations, ...Object.fromEntries(kept) };
    const isSame =
      isDeepStrictEqual(before.spec, spec) &&
      isDeepStrictEqual(before.metadata.annotations ?? {}, annotations);
    if (before.kind !== 'Secret' && isSame) return;
    const labels = before.kind === 'Secret' ? declared : before.metadata.labels;
    const body = { ...before, ...rest, spec, metadata: { ...before.metadata, annotations, labels } };
    await this.#write('PUT', before, body);
  }

  async #write(method: 'POST' | 'PUT', thing: Thing, body: unknown): Promise<Thing> {
    const path = pathOf(
      thing.kind,
      method === 'POST' ? { namespace: thing.metadata.namespace } : thing.metadata,
    );
    const { status, body: answer } = await this.#cluster.call<Thing>(method, path, { body });
    if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Of the world before. */
  async #empty(): Promise<void> {
    const contentType = 'application/merge-patch+json';
    for (const thing of await this.#all()) {
      const path = pathOf(thing.kind, thing.metadata);
      if (thing.metadata.finalizers)
        await this.#cluster.call('PATCH', path, { body: { metadata: { finalizers: null } }, contentType });
      await this.#cluster.call('DELETE', path);
    }
  }

  /** As a copy of the cluster: the same objects, with UIDs of their own wherever they stand. */
  async #restore(things: readonly Thing[]): Promise<void> {
    const uids = new Map<string, string>();
    for (const thing of things) {
      const made = await this.#write('POST', thing, withoutName(thing));
      uids.set(thing.metadata.uid ?? '', made.metadata.uid ?? '');
    }
    const renamed = (value: unknown): string =>
      [...uids].reduce((text, [before, now]) => text.replaceAll(before, now), JSON.stringify(value ?? null));
    for (const thing of things) {
      const path = pathOf(thing.kind, thing.metadata);
      const annotations: unknown = JSON.parse(renamed(thing.metadata.annotations));
      const contentType = 'application/merge-patch+json';
      await this.#cluster.call('PATCH', path, { body: { metadata: { annotations } }, contentType });
      if (thing.kind === 'Secret') continue;
      const body = { status: JSON.parse(renamed(thing.status)) as unknown };
      await this.#cluster.call('PATCH', `${path}/status`, { body, contentType });
      if (thing.metadata.deletionTimestamp !== undefined) await this.#cluster.call('DELETE', path);
    }
  }
}

/** As it is sent to be created. */
function withoutName({ metadata, ...rest }: Thing): unknown {
  const { name, namespace, annotations, finalizers, labels } = metadata;
  const given = rest.kind === 'Secret' ? { ...declared, ...labels } : labels;
  const isPublished = rest.kind === 'Secret' && labels?.['app.kubernetes.io/managed-by'] === 'holdfast';
  return {
    apiVersion: resources.get(rest.kind)?.apiVersion ?? 'v1',
    ...rest,
    metadata: { name, namespace, annotations, finalizers, labels: isPublished ? labels : given },
  };
}
