// Convergence with what is declared in a cluster: a fresh API server for each run, with everything declared beforehand.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { crds } from '../../src/runtime/kinds/lookup.ts';
import { finalizer, intentAnnotation } from '../../src/sources/kubernetes/wire.ts';
import { startCluster, type Cluster } from '../e2e/kubernetes/cluster.ts';
import { asSameAs, requestsIn, routesOfVolumes, type Case, type Pair, type PeerRun } from './convergence.ts';
import { manifestsOf, requestsAtOnce } from './input.ts';
import { measured, measuredCommand, type Measured } from './measured.ts';
import type { Peer } from './peers/peers.ts';
import { startService, type Counted, type Service } from './service.ts';

/**
 * Of the operator: volumes whose visits begin while the connection becomes usable are read once more, and it lists what there
 * is, and probes.
 */
const readsMore = 3 * requestsAtOnce;
const applyTimeoutSeconds = 3_600;
const floorFile = fileURLToPath(import.meta.resolve('./cluster-floor.ts'));
const base = '/apis/holdfast.dev/v1alpha1';
const volumesPath = `${base}/namespaces/bench/csivolumes`;

interface Thing {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Run {
  readonly cluster: Cluster;
  readonly service: Service;
}

/**
 * One pair, and one run of each peer, on fresh servers.
 * @param directory is emptied. @param program the bundled one
 * @throws Error when the pair is not valid, and why
 */
export async function runClusterPair(
  directory: string,
  program: string,
  kase: Case,
  others: readonly Peer[],
): Promise<Pair> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { operator, again, counted, writes } = await within(kase, (run) =>
    runOperator(directory, program, kase, run),
  );
  const { floor, asked } = await within(kase, (run) => runFloor(directory, kase, run, counted));
  const perVolume = writes / kase.volumes;
  const peers: PeerRun[] = [];
  for (const peer of others)
    peers.push(await within(kase, (run) => runPeer(directory, kase, run, { peer, asked })));
  const routes = { ...counted.routes, 'API server: writes': writes };
  return { operator, again, floor, routes, perVolume, peers };
}

async function within<T>({ latencyMs, volumes }: Case, act: (run: Run) => Promise<T>): Promise<T> {
  const cluster = await startCluster();
  const service = await startService(latencyMs);
  try {
    await populate(cluster, service.url, volumes);
    return await act({ cluster, service });
  } finally {
    await service.stop();
    await cluster.stop();
  }
}

async function populate(cluster: Cluster, address: string, volumes: number): Promise<void> {
  await cluster.kubectl(['apply', '-f', '-'], { input: [...crds().values()].join('\n---\n') });
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
  await cluster.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'bench' } } });
  const things = manifestsOf(volumes, address).values();
  const work = async (): Promise<void> => {
    for (const text of things) {
      for (const document of parseAllDocuments(text)) await post(cluster, document.toJS());
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, work));
}

const paths: Readonly<Record<string, string>> = {
  Secret: '/api/v1/namespaces/bench/secrets',
  SchedulerConnection: `${base}/schedulerconnections`,
  CSIVolume: volumesPath,
};

async function post(cluster: Cluster, body: Thing): Promise<void> {
  const { status } = await cluster.call('POST', paths[body.kind] ?? '', { body });
  if (status === 404) return post(cluster, body); // the definition is not served yet
  if (status >= 300) throw new Error(`${body.kind} ${body.metadata.name}: ${status}`);
}

async function runOperator(directory: string, program: string, { volumes }: Case, { cluster, service }: Run) {
  const source = ['--source', 'kubernetes', '--once', '--no-lease', '--kubeconfig', cluster.kubeconfig];
  const command = [program, 'run', ...source, '--output', 'json', '--timeout', String(applyTimeoutSeconds)];
  const declaredBefore = writesIn(cluster);
  const operator = await measured(directory, command);
  const counted = await service.counted();
  await service.holds(volumes);
  const writes = writesIn(cluster) - declaredBefore;
  // What the floor is to write: a status and an annotation as long as ours.
  const { body } = await cluster.call('GET', `${volumesPath}/volume-000000`);
  writeFileSync(join(directory, 'sample.json'), JSON.stringify(body));
  const again = await measured(directory, command);
  const after = await service.counted();
  const more = after.writes - counted.writes + writesIn(cluster) - declaredBefore - writes;
  if (more !== 0) throw new Error(`the second pass wrote ${more} times, not 0`);
  const requests = requestsIn(after) - requestsIn(counted);
  return { operator, again: { ...again, requests }, counted, writes };
}

async function runFloor(
  directory: string,
  { volumes }: Case,
  { cluster, service }: Run,
  operator: Counted,
): Promise<{ readonly floor: Measured; readonly asked: Counted }> {
  const { url, ca, adminToken } = cluster;
  const at = {
    server: url,
    ca,
    token: adminToken,
    service: service.url,
    sample: join(directory, 'sample.json'),
  };
  writeFileSync(join(directory, 'floor.json'), JSON.stringify(at));
  const floor = await measured(directory, [floorFile, join(directory, 'floor.json'), String(requestsAtOnce)]);
  const asked = await service.counted();
  const more = requestsIn(operator) - requestsIn(asked);
  const isSame = operator.writes === asked.writes && more >= 0 && more <= readsMore;
  if (!isSame)
    throw new Error(
      `the floor asked ${routesOfVolumes(asked.routes)}, the operator ${routesOfVolumes(operator.routes)}`,
    );
  await service.holds(volumes);
  return { floor, asked };
}

/** Bodies and headers may differ from the floor's; what is asked about each volume, and in which order, may not. */
async function runPeer(
  directory: string,
  { volumes }: Case,
  { cluster, service }: Run,
  { peer, asked }: { readonly peer: Peer; readonly asked: Counted },
): Promise<PeerRun> {
  const before = writesIn(cluster);
  const command = peer.inCluster(cluster.kubeconfig, volumes, requestsAtOnce);
  const run = await measuredCommand(directory, command);
  asSameAs(asked, await service.counted(), peer.name);
  await service.holds(volumes);
  await areReady(cluster, volumes);
  const { name, target } = peer;
  return { name, target: target.kubernetes, run, perVolume: (writesIn(cluster) - before) / volumes };
}

interface Stored {
  readonly metadata: {
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly conditions?: readonly Readonly<Record<'type' | 'status', string>>[] };
}

/** @throws Error unless so many volumes are ready, each with its finalizer and the intent of what was done */
async function areReady(cluster: Cluster, volumes: number): Promise<void> {
  const { body } = await cluster.call<{ readonly items: readonly Stored[] }>('GET', volumesPath);
  const ready = body.items.filter(
    ({ metadata: { finalizers, annotations = {} }, status }) =>
      finalizers?.includes(finalizer) === true &&
      intentAnnotation in annotations &&
      status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
  ).length;
  if (ready !== volumes) throw new Error(`${ready} of ${volumes} volumes are ready`);
}

/** What the API server wrote, by its own word; a question that is asked by POST is none. */
function writesIn({ auditLog }: Cluster): number {
  const lines = readFileSync(auditLog, 'utf8').split('\n');
  return lines.filter(
    (line) => /"verb":"(create|update|patch|delete)"/.test(line) && line.includes('holdfast.dev'),
  ).length;
}
