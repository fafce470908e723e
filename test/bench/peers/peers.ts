// The peers: the same reconciler as others write it, in Go on controller-runtime and in Python on kopf. Each is built when
// it is asked for, outside the repository.
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say } from '../benchmark.ts';
import type { Command } from '../measured.ts';

export interface Peer {
  readonly name: string;
  /** At most so many times its wall time is the operator's to be, by source; in the table. */
  readonly target: Readonly<Record<'directory' | 'kubernetes', string>>;
  /** Reconciles what is declared in a cluster, and ends once so many volumes are ready. */
  readonly inCluster: (kubeconfig: string, volumes: number, requestsAtOnce: number) => Command;
  /** Reconciles what a directory declares once. @param state the file of its state */
  readonly inDirectory: (directory: string, state: string, requestsAtOnce: number) => Command;
}

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'holdfast', 'peers');
const folderOf = (name: string): string => fileURLToPath(new URL(`${name}/`, import.meta.url));
const runs = (program: string, args: readonly string[]): boolean => spawnSync(program, args).status === 0;
const stdio = ['ignore', process.stderr, 'inherit'] as const;

/** Those that can be built here; the others are named. @throws Error where one does not build */
export function buildPeers(): readonly Peer[] {
  return [controllerRuntime(), kopf()].filter((peer) => peer !== undefined);
}

function controllerRuntime(): Peer | undefined {
  const name = 'controller-runtime (Go)';
  if (!runs('go', ['version'])) return without(name, 'Go');
  const program = join(cache, 'controller-runtime');
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' };
  const args = ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-o', program, '.'];
  execFileSync('go', args, { cwd: folderOf('go'), env, stdio: [...stdio] });
  return {
    name,
    target: { directory: '≤ 1.15', kubernetes: '≤ 1.0' },
    inCluster: (kubeconfig, volumes, workers) => ({
      program,
      args: [`--once=${volumes}`, `--workers=${workers}`],
      env: { KUBECONFIG: kubeconfig },
    }),
    inDirectory: (directory, state, workers) => ({
      program,
      args: [`--directory=${directory}`, `--state=${state}`, `--workers=${workers}`],
    }),
  };
}

function kopf(): Peer | undefined {
  const name = 'kopf (Python)';
  if (!runs('python3', ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))']))
    return without(name, 'Python 3.10');
  const folder = folderOf('py');
  const requirements = join(folder, 'requirements.txt');
  const environment = join(cache, `kopf-${hash('sha256', readFileSync(requirements)).slice(0, 12)}`);
  const [program, complete] = [join(environment, 'bin/python'), join(environment, 'complete')];
  if (!existsSync(complete)) {
    mkdirSync(cache, { recursive: true });
    execFileSync('python3', ['-m', 'venv', '--clear', environment], { stdio: [...stdio] });
    const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', requirements];
    execFileSync(program, install, { stdio: [...stdio] });
    writeFileSync(complete, '');
  }
  return {
    name,
    target: { directory: '≤ 0.4', kubernetes: '≤ 0.25' },
    inCluster: (kubeconfig, volumes, connections) => ({
      program,
      args: [join(folder, 'cluster.py'), `--once=${volumes}`, `--connections=${connections}`],
      env: { KUBECONFIG: kubeconfig, PYTHONDONTWRITEBYTECODE: '1' },
    }),
    inDirectory: (directory, state, connections) => ({
      program,
      args: [join(folder, 'directory.py'), directory, `--state=${state}`, `--connections=${connections}`],
      env: { PYTHONDONTWRITEBYTECODE: '1' },
    }),
  };
}

function without(name: string, tool: string): undefined {
  say(`without ${name}: there is no ${tool}`);
}
