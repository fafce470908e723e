// Restart: how long `holdfast run` takes with many volumes in sync, until all of them are verified; beside a bare program
// that reads and parses the same files. Every restart is a process of its own.
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startCluster } from './cluster.ts';
import { measured } from './measured.ts';
import { apply, memoryOf, placeAt, start } from './operator.ts';

export interface Restart {
  /** From the start of the process to the end of its last request. */
  readonly seconds: number;
  /** Requests for single volumes, and for lists of them. */
  readonly reads: number;
  readonly lists: number;
  readonly writes: number;
  /** Resident, once it has nothing to do. */
  readonly residentBytes: number;
  /** Of the bare program that reads and parses the same files. */
  readonly floorSeconds: number;
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
        await cluster.idle();
        const { scheduler, quietMs } = await cluster.ask('look');
        const seconds = (performance.now() - beganMs - quietMs) / 1_000;
        const counted = (route: string) => (scheduler.routes[route] ?? 0) - (before.routes[route] ?? 0);
        const { residentBytes } = memoryOf(operator.pid);
        const floor = await measured(directory, [floorFile, place.tree]);
        restarts.push({
          seconds,
          reads: counted('GET /v1/volume/csi/{id}'),
          lists: counted('GET /v1/volumes'),
          writes: scheduler.writes - before.writes,
          residentBytes,
          floorSeconds: floor.wallMs / 1_000,
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
