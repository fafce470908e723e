// Restart: how long `holdfast run` takes with many volumes in sync, until all of them are verified; beside a bare program
// that reads and parses the same files. Every restart is a process of its own.
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pageSize } from '../../src/live/volumes.ts';
import { startCluster, type Cluster, type Told } from './cluster.ts';
import { measured } from './measured.ts';
import { apply, memoryOf, placeAt, processorSecondsOf, start } from './operator.ts';

export interface Restart {
  /** From the start of the process to the end of its last request. */
  readonly seconds: number;
  /** Processor time of all its threads until it had nothing to do. */
  readonly processorSeconds: number;
  /** Requests for single volumes, and for lists of them. */
  readonly reads: number;
  readonly lists: number;
  readonly writes: number;
  /** Resident, once it has nothing to do. */
  readonly residentBytes: number;
  /** The most that was ever resident. */
  readonly peakBytes: number;
  /** Of the bare program that reads and parses the same files. */
  readonly floorSeconds: number;
  readonly floorProcessorSeconds: number;
}

type Look = Told['look'];

const countedIn = (route: string, { routes }: Look['scheduler'], before: Look['scheduler']): number =>
  (routes[route] ?? 0) - (before.routes[route] ?? 0);

/**
 * Waits until all pages were listed and nothing is asked any more: on a busy machine there are pauses in between.
 * @throws Error after 20 minutes
 */
async function allListed(cluster: Cluster, before: Look['scheduler'], volumes: number): Promise<Look> {
  const endMs = performance.now() + 1_200_000;
  for (;;) {
    await cluster.idle();
    const look = await cluster.ask('look');
    if (countedIn('GET /v1/volumes', look.scheduler, before) > Math.ceil(volumes / pageSize)) return look;
    if (performance.now() > endMs) throw new Error('the operator did not list all volumes within 20 minutes');
    await pause(250);
  }
}

const floorFile = fileURLToPath(import.meta.resolve('./restart-floor.ts'));

/** @param directory is emptied. @param program the bundled one */
export async function restartsOf(
  directory: string,
  program: string,
  volumes: number,
  repeats: number,
): Promise<readonly Restart[]> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const cluster = await startCluster({ roles: 0 });
  try {
    const place = placeAt(directory, program, volumes, cluster);
    await apply(directory, place);
    const restarts: Restart[] = [];
    while (restarts.length < repeats) {
      const before = (await cluster.ask('look')).scheduler;
      const beganMs = performance.now();
      const operator = await start(place);
      try {
        const { scheduler, quietMs } = await allListed(cluster, before, volumes);
        const counted = (route: string) => countedIn(route, scheduler, before);
        const seconds = (performance.now() - beganMs - quietMs) / 1_000;
        const processorSeconds = processorSecondsOf(operator.pid);
        const { residentBytes, peakBytes } = memoryOf(operator.pid);
        const floor = await measured(directory, [floorFile, place.tree]);
        restarts.push({
          seconds,
          processorSeconds,
          reads: counted('GET /v1/volume/csi/{id}'),
          lists: counted('GET /v1/volumes'),
          writes: scheduler.writes - before.writes,
          residentBytes,
          peakBytes,
          floorSeconds: floor.wallMs / 1_000,
          floorProcessorSeconds: (floor.userMs + floor.systemMs) / 1_000,
        });
      } finally {
        await operator.stop();
      }
    }
    return restarts;
  } finally {
    await cluster.stop();
  }
}
