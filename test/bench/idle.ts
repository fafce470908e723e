// Idle: how much physical memory the bundled program holds once it has nothing to do: with the quickstart declared, and
// with many volumes that are all as declared; and how much of a core the first uses. Every sample is a process of its own, and nothing
// makes it collect garbage.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startCluster } from './cluster.ts';
import { apply, launch, memoryOf, placeAt, processorSecondsOf, start, type Memory } from './operator.ts';

export interface Case {
  readonly repeats: number;
  /** How long a process has nothing to do before it is looked at. */
  readonly settleSeconds: number;
}

/** One look at each of them. */
export interface Bases {
  /** Node that waits, and nothing else. */
  readonly node: Memory;
  /** `run`, the quickstart declared: the operator and its status page. */
  readonly run: Memory;
  /** `dev`, the quickstart declared: both services besides. */
  readonly dev: Memory;
  /** Parts of one core that `run` used after that look, over `restSeconds`. */
  readonly runCores: number;
  /** The most that `--version` ever held; the same of a Node that ends at once. */
  readonly versionPeakBytes: number;
  readonly nodePeakBytes: number;
}

const quickstart = fileURLToPath(import.meta.resolve('../../examples/quickstart'));
const waiting = 'setInterval(() => {}, 1e9); console.log("ready")';

/** As usage.ts does it, but in JavaScript: what strips types is a good part of what is measured here. */
const sayPeak = `data:text/javascript,import { readFileSync } from 'node:fs';
process.on('exit', () => console.log(/^VmHWM:.*/m.exec(readFileSync('/proc/self/status', 'utf8'))[0]));`;

/** Long enough for a few probes of both services, which come every 30 seconds. */
const restSeconds = 120;

/** @throws Error unless it ends with 0 */
function peakBytesOf(args: readonly string[]): number {
  const output = execFileSync(process.execPath, ['--import', sayPeak, ...args], {
    encoding: 'utf8',
    env: {},
  });
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(output)?.[1]) * 1024;
}

/** @param directory is emptied. @param program the bundled one */
export async function basesOf(directory: string, program: string, { settleSeconds }: Case): Promise<Bases> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const tree = join(directory, 'quickstart');
  cpSync(quickstart, tree, { recursive: true });
  const [nodePeakBytes, versionPeakBytes] = [peakBytesOf(['-e', '']), peakBytesOf([program, '--version'])];
  const stateDir = ['--state-dir', join(directory, 'services')];
  const services = launch([program, 'dev', ...stateDir]);
  const launched = [services];
  try {
    await services.said(/(secrets)/);
    const run = launch([program, 'run', '--source', tree, ...stateDir]);
    const dev = launch([program, 'dev', tree, '--state-dir', join(directory, 'dev')]);
    const node = launch(['-e', waiting]);
    launched.unshift(run, dev, node);
    await Promise.all([node.said(/(ready)/), run.said(/("running")/), dev.said(/(7 of 7 ready)/)]);
    await pause(settleSeconds * 1_000);
    const [ofNode, ofRun, ofDev] = [node, run, dev].map(({ pid }) => memoryOf(pid));
    if (!ofNode || !ofRun || !ofDev) throw new Error('three processes, three looks');
    const used = processorSecondsOf(run.pid);
    await pause(restSeconds * 1_000);
    const runCores = (processorSecondsOf(run.pid) - used) / restSeconds;
    return { node: ofNode, run: ofRun, dev: ofDev, runCores, versionPeakBytes, nodePeakBytes };
  } finally {
    for (const one of launched) await one.stop();
  }
}

/**
 * Cold starts with so many volumes in sync.
 * @param directory is emptied. @param program the bundled one
 * @throws Error where one of them writes
 */
export async function memoryWith(
  directory: string,
  program: string,
  volumes: number,
  { repeats, settleSeconds }: Case,
): Promise<readonly Memory[]> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const cluster = await startCluster({ roles: 0 });
  try {
    const place = placeAt(directory, program, volumes, cluster);
    await apply(directory, place);
    const { writes } = (await cluster.ask('look')).scheduler;
    const samples: Memory[] = [];
    while (samples.length < repeats) {
      const operator = await start(place);
      try {
        await cluster.idle();
        await pause(settleSeconds * 1_000);
        samples.push(memoryOf(operator.pid));
      } finally {
        await operator.stop();
      }
    }
    const written = (await cluster.ask('look')).scheduler.writes - writes;
    if (written !== 0) throw new Error(`in sync, and yet ${written} writes`);
    return samples;
  } finally {
    await cluster.stop();
  }
}
