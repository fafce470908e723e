// Convergence: how long `holdfast apply` takes to create n volumes, divided by how long the floor (floor.ts) takes for
// the same requests. A pair that does not end in the right state, or did not make the same requests, is no sample.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectTree, requestsAtOnce, writeTree, type Tree } from './input.ts';
import { measured, measuredCommand, type Measured } from './measured.ts';
import type { Peer } from './peers/peers.ts';
import { startService, type Counted, type Service } from './service.ts';

export interface Case {
  /** Where the volumes are declared. */
  readonly source: 'directory' | 'kubernetes';
  readonly volumes: number;
  readonly volumesPerFile: number;
  /** Added by the server before each reply. */
  readonly latencyMs: number;
}

/** One run of the operator and one of the floor, right after it. */
export interface Pair {
  readonly operator: Measured;
  readonly floor: Measured;
  /** The operator again, on what it had made, and its requests. */
  readonly again: Measured & { readonly requests: number };
  /** What was asked of the server in the operator's first run: `METHOD pattern` → requests. */
  readonly routes: Readonly<Record<string, number>>;
  /** Writes of the API server for each volume. */
  readonly perVolume?: number;
  /** Of each, after the floor. */
  readonly peers?: readonly PeerRun[];
}

export interface PeerRun extends Pick<Peer, 'name'> {
  readonly target: string;
  readonly run: Measured;
  /** The same again, on what it had made. Absent: not measured. */
  readonly again?: Measured;
  /** Writes of the API server for each volume. Absent: there is none. */
  readonly perVolume?: number;
}

const applyTimeoutSeconds = 3_600;

const floorFile = fileURLToPath(import.meta.resolve('./floor.ts'));

/**
 * One pair, and two passes of each peer, on fresh servers.
 * @param directory is emptied. @param program the bundled one
 * @throws Error when the pair is not valid, and why.
 */
export async function runPair(
  directory: string,
  program: string,
  kase: Case,
  others: readonly Peer[],
): Promise<Pair> {
  rmSync(directory, { recursive: true, force: true });
  const tree: Tree = { ...kase, directory: join(directory, 'tree') };
  mkdirSync(tree.directory, { recursive: true });
  writeTree(tree);
  const { counted, ...runs } = await withService(kase, (at) => runOperator(directory, program, tree, at));
  const floor = await withService(kase, (at) => runFloor(directory, tree, at, counted));
  const peers: PeerRun[] = [];
  for (const peer of others)
    peers.push(await withService(kase, (at) => runPeer(directory, tree, at, { peer, operator: counted })));
  return { ...runs, floor, routes: counted.routes, peers };
}

async function withService<T>({ latencyMs }: Case, run: (service: Service) => Promise<T>): Promise<T> {
  const service = await startService(latencyMs);
  try {
    return await run(service);
  } finally {
    await service.stop();
  }
}

async function runOperator(directory: string, program: string, tree: Tree, service: Service) {
  connectTree(tree, service.url);
  const command = [program, 'apply', tree.directory, '--state-dir', join(directory, 'state')];
  const apply = () =>
    measured(directory, [...command, '--output', 'json', '--timeout', String(applyTimeoutSeconds)]);
  const operator = await apply();
  const counted = await service.counted();
  if (counted.inFlightMax > requestsAtOnce) throw new Error(`${counted.inFlightMax} requests at once`);
  await service.holds(tree.volumes);
  const again = await apply();
  const after = await service.counted();
  const written = after.writes - counted.writes;
  if (written !== 0) throw new Error(`the second pass wrote ${written} times, not 0`);
  return { operator, again: { ...again, requests: requestsIn(after) - requestsIn(counted) }, counted };
}

export const requestsIn = ({ routes }: Counted): number =>
  Object.values(routes).reduce((sum, count) => sum + count, 0);

/** @param operator what the operator asked: the floor has to ask the same. */
async function runFloor(
  directory: string,
  tree: Tree,
  service: Service,
  operator: Counted,
): Promise<Measured> {
  connectTree(tree, service.url);
  const floor = await measured(directory, [floorFile, tree.directory, String(requestsAtOnce)]);
  const { asked, routes } = await service.counted();
  if (asked !== operator.asked) {
    const [theirs, ours] = [routesOfVolumes(routes), routesOfVolumes(operator.routes)];
    throw new Error(`the floor asked something else than the operator: ${theirs}, not ${ours}`);
  }
  await service.holds(tree.volumes);
  return floor;
}

async function runPeer(
  directory: string,
  tree: Tree,
  service: Service,
  { peer, operator }: { readonly peer: Peer; readonly operator: Counted },
): Promise<PeerRun> {
  connectTree(tree, service.url);
  const state = join(directory, 'peer');
  rmSync(state, { recursive: true, force: true });
  mkdirSync(state);
  const command = peer.inDirectory(tree.directory, join(state, 'state'), requestsAtOnce);
  const run = await measuredCommand(directory, command);
  const counted = await service.counted();
  asSameAs(operator, counted, peer.name);
  await service.holds(tree.volumes);
  const again = await measuredCommand(directory, command);
  const written = (await service.counted()).writes - counted.writes;
  if (written !== 0) throw new Error(`${peer.name}: its second pass wrote ${written} times, not 0`);
  return { name: peer.name, target: peer.target.directory, run, again };
}

/**
 * What is asked about each volume, and in which order; headers and bodies are a peer's own.
 * @throws Error unless a peer asked the same, and no more at once.
 */
export function asSameAs(
  expected: Counted,
  { routes, operations, inFlightMax }: Counted,
  name: string,
): void {
  const [theirs, ours] = [routesOfVolumes(routes), routesOfVolumes(expected.routes)];
  if (operations !== expected.operations || theirs !== ours)
    throw new Error(`${name} asked ${theirs}, and not ${ours}`);
  if (inFlightMax > requestsAtOnce) throw new Error(`${name}: ${inFlightMax} requests at once`);
}

/** Requests about single volumes, as a text. How often a connection is probed depends on how long the run takes. */
export const routesOfVolumes = (routes: Counted['routes']): string =>
  JSON.stringify(Object.entries(routes).filter(([route]) => route.includes('{id}')));
