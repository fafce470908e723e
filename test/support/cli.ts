// The program as people run it: a process of its own in a folder of its own. Nothing that was started outlives its test.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { compileCache } from './compile-cache.ts';
import { eventually } from './poll.ts';

/** This checkout's: bundled where the run has bundled it (bundled.ts), else as its sources are. */
const itself =
  process.env['TESTED_PROGRAM'] ?? fileURLToPath(new URL('../../src/cli/holdfast.mjs', import.meta.url));

const nobody = 65_534;

export interface Ended {
  /** Exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Without the rights of the superuser, should it be one who runs the tests. */
  readonly unprivileged?: boolean;
  /** Another program than this checkout's. */
  readonly program?: string;
  /** The file or device to which its standard output goes. Absent: here. */
  readonly stdout?: string;
  /** Its standard output is a pipe whose reader is gone before it starts. */
  readonly stdoutClosed?: true;
}

/** Starts what follows with a pipe that nobody reads. */
const unread = ['bash', '-c', 'exec 3> >(:); wait $!; exec "$@" >&3 3>&-', 'bash'];

/** An empty folder that goes with the test. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A process of the program. */
export class Holdfast {
  readonly #child: ChildProcess;
  readonly #started = performance.now();
  readonly ended: Promise<Ended>;
  #stdout = '';
  #stderr = '';

  constructor(
    args: readonly string[],
    { cwd, env = {}, unprivileged, program = itself, stdout, stdoutClosed }: RunOptions,
  ) {
    const { PATH = '' } = process.env;
    const out = stdout === undefined ? 'pipe' : openSync(stdout, 'a');
    const line = [...(stdoutClosed ? unread : []), process.execPath, program, ...args];
    this.#child = spawn(line[0] ?? '', line.slice(1), {
      cwd,
      env: { PATH, NODE_COMPILE_CACHE: compileCache, ...env },
      stdio: ['ignore', out, 'pipe'],
      ...(unprivileged === true && process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
    });
    if (typeof out === 'number') closeSync(out);
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => {
        resolve({ code: signal ?? code ?? 'SIGKILL', stdout: this.#stdout, stderr: this.#stderr });
      });
    });
    onTestFinished(async () => {
      this.#child.kill('SIGKILL');
      await this.ended;
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Milliseconds since it was started. */
  get ageMs(): number {
    return performance.now() - this.#started;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until its output matches. */
  async says(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray> {
    const look = () => pattern.exec(this.#stdout + this.#stderr) ?? undefined;
    const seen = () => (this.#stdout + this.#stderr).slice(-2_000);
    return await eventually(`output like ${String(pattern)}`, look, {
      seen,
      ...(withinMs !== undefined && { withinMs }),
    });
  }

  /** Asks it to stop, and waits until it has. */
  async stop(): Promise<Ended> {
    this.#child.kill('SIGTERM');
    return await this.ended;
  }
}

/** Runs one command to its end. */
export const holdfast = (args: readonly string[], options: RunOptions): Promise<Ended> =>
  new Holdfast(args, options).ended;
