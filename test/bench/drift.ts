// Drift: how long it takes from a volume's being changed behind the back of an idle operator until the repair. Both
// instants are the server's. The floor (drift-floor.ts) repairs the same changes, on the same server, right after.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startCluster, type Change, type Cluster } from './cluster.ts';
import { token } from './input.ts';
import { checkRestored, inject, injectionsFor, registration, type How, type Schedule } from './injector.ts';
import { apply, launch, placeAt, sources, start } from './operator.ts';

export interface Case {
  readonly volumes: number;
  readonly samples: number;
  readonly intervalMs: number;
}

export interface Repair {
  readonly how: How;
  readonly tookMs: number;
  /** A query was waiting when the change came; otherwise the operator was still busy with what was before. */
  readonly watched: boolean;
  /** How long after its time the change was made. */
  readonly lateMs: number;
}

export interface Series {
  readonly repairs: readonly Repair[];
  /** `METHOD pattern` → requests, those of the injector not counted. */
  readonly routes: Readonly<Record<string, number>>;
}

export interface Found {
  readonly operator: Series;
  readonly floor: Series;
}

/** What the floor is told. */
export interface FloorTask {
  readonly url: string;
  readonly token: string;
  readonly repairs: readonly { readonly volume: string; readonly body: string }[];
}

const floorFile = fileURLToPath(import.meta.resolve('./drift-floor.ts'));
/** After the last change. */
const repairedWithinMs = 60_000;

/**
 * @param directory is emptied.
 * @throws Error where a change is not repaired, is repaired by more than one write, or something else is written.
 */
export async function runDrift(directory: string, kase: Case): Promise<Found> {
  rmSync(directory, { recursive: true, force: true });
  const cluster = await startCluster({ roles: 0 });
  try {
    const place = placeAt(directory, sources, kase.volumes, cluster);
    await apply(directory, place);
    const injections = await injectionsFor(cluster.scheduler, kase.volumes, kase.samples);
    const schedule = { injections, intervalMs: kase.intervalMs };
    const running = await start(place);
    const operator = await repairsBy(running, cluster, schedule);
    const task = join(directory, 'floor.json');
    writeFileSync(task, JSON.stringify(floorTask(cluster.scheduler, schedule)));
    const bare = launch([floorFile, task]);
    await bare.said(/(watching)/);
    return { operator, floor: await repairsBy(bare, cluster, schedule) };
  } finally {
    await cluster.stop();
  }
}

const floorTask = (url: string, { injections }: Schedule): FloorTask => ({
  url,
  token,
  repairs: injections.map(({ found }) => ({ volume: found.ID, body: registration(found) })),
});

async function repairsBy(
  program: { stop(): Promise<void> },
  cluster: Cluster,
  schedule: Schedule,
): Promise<Series> {
  try {
    await cluster.idle();
    await cluster.ask('changes');
    const before = (await cluster.ask('look')).scheduler.routes;
    const dueMs = await inject(cluster.scheduler, schedule);
    const changes = await changesOf(cluster, schedule.injections.length);
    const after = (await cluster.ask('look')).scheduler.routes;
    const repairs = paired(changes, schedule, dueMs);
    await checkRestored(cluster.scheduler, schedule.injections);
    return { repairs, routes: grown(before, after, schedule) };
  } finally {
    await program.stop();
  }
}

/** Waits for as many repairs as there were changes, and for all to be quiet after them. */
async function changesOf(cluster: Cluster, samples: number): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const endMs = performance.now() + repairedWithinMs;
  for (;;) {
    changes.push(...(await cluster.ask('changes')));
    if (changes.filter(({ by }) => by === 'operator').length >= samples) break;
    if (performance.now() > endMs) break; // paired() says what is missing
    await pause(250);
  }
  await pause(1_000);
  return [...changes, ...(await cluster.ask('changes'))];
}

function paired(
  changes: readonly Change[],
  { injections }: Schedule,
  dueMs: readonly number[],
): readonly Repair[] {
  /** Volume → its injections that were not seen yet, by number, and the one that waits for its repair. */
  const due = Map.groupBy(injections.keys(), (i) => injections[i]?.found.ID);
  const open = new Map<string, { readonly change: Change; readonly number: number }>();
  const repairs: Repair[] = [];
  for (const change of changes) {
    const { volume, by, status, atMs } = change;
    if (status !== 200) throw new Error(`${by}: a write to ${volume} got ${status}`);
    const drifted = open.get(volume);
    if (by === 'injector') {
      if (drifted) throw new Error(`${volume} was changed again before it was repaired: allow more time`);
      open.set(volume, { change, number: due.get(volume)?.shift() ?? NaN });
      continue;
    }
    if (!drifted) throw new Error(`${volume} was written though nobody had changed it`);
    open.delete(volume);
    const how = injections[drifted.number]?.how ?? 'changed';
    const lateMs = drifted.change.atMs - (dueMs[drifted.number] ?? NaN);
    const { watched } = drifted.change;
    repairs.push({ how, tookMs: atMs - drifted.change.atMs, watched, lateMs });
  }
  if (open.size > 0)
    throw new Error(`not repaired: ${open.size}, ${[...open.keys()].slice(0, 5).join(', ')}`);
  return repairs;
}

function grown(
  before: Series['routes'],
  after: Series['routes'],
  { injections }: Schedule,
): Series['routes'] {
  const injected = (how: How): number => injections.filter((injection) => injection.how === how).length;
  const ofInjector: Series['routes'] = {
    'PUT /v1/volume/csi/{id}': injected('changed'),
    'DELETE /v1/volume/csi/{id}': injected('deregistered'),
  };
  const more = Object.entries(after).map(([route, count]): [string, number] => [
    route,
    count - (before[route] ?? 0) - (ofInjector[route] ?? 0),
  ]);
  return Object.fromEntries(more.filter(([, count]) => count > 0));
}
