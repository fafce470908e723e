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
  /** What it is to be as fast as, in the table. */
  readonly target: string;
  /** Reconciles what is declared in a cluster, and ends once so many volumes are ready. */
  readonly command: (kubeconfig: string, volumes: number, requestsAtOnce: number) => Command;
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
    target: '≤ 1.0',
    command: (kubeconfig, volumes, workers) => ({
      program,
      args: [`--once=${volumes}`, `--workers=${workers}`],
      env: { KUBECONFIG: kubeconfig },
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
    target: '≤ 0.25',
    command: (kubeconfig, volumes, connections) => ({
      program,
      args: [join(folder, 'peer.py'), `--once=${volumes}`, `--connections=${connections}`],
      env: { KUBECONFIG: kubeconfig, PYTHONDONTWRITEBYTECODE: '1' },
    }),
  };
}

function without(name: string, tool: string): undefined {
  say(`without ${name}: there is no ${tool}`);
}
