// `holdfast run` for the benchmarks: a process that is started, looked at from outside, and stopped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectBoth, type Addresses } from './declared.ts';
import { writeTree } from './input.ts';
import { measured } from './measured.ts';

/** The program as it is developed. */
export const sources = fileURLToPath(import.meta.resolve('../../src/cli/holdfast.mjs'));

/** A place with a tree and a state. */
export interface Place {
  readonly program: string;
  readonly tree: string;
  readonly stateDir: string;
}

export interface Operator extends Launched {
  /** Of its status page. */
  readonly url: string;
}

/** A tree of so many volumes, pointed at both services. @param directory is made */
export function placeAt(directory: string, program: string, volumes: number, at: Addresses): Place {
  const tree = join(directory, 'tree');
  mkdirSync(tree, { recursive: true });
  writeTree({ directory: tree, volumes, volumesPerFile: 10 });
  connectBoth(tree, at);
  return { program, tree, stateDir: join(directory, 'state') };
}

/** Makes everything declared. @throws Error unless all of it is ready */
export async function apply(directory: string, { program, tree, stateDir }: Place): Promise<void> {
  await measured(directory, [program, 'apply', tree, '--state-dir', stateDir, '--timeout', '3600']);
}

/** @throws Error where it ends before it runs */
export async function start({ program, tree, stateDir }: Place): Promise<Operator> {
  const launched = launch([program, 'run', '--source', tree, '--state-dir', stateDir]);
  return { ...launched, url: await launched.said(/"status":"([^"]+)"/) };
}

export interface Launched {
  readonly pid: number;
  /** Waits for its output to match, and gives the first group. @throws Error where it ends before */
  said(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

/** A process of Node, in a bare environment. Its errors are shown. */
export function launch(args: readonly string[]): Launched {
  const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${args.join(' ')}: not started`);
  const exited = once(child, 'exit');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-10_000)));
  const ended = exited.then(([code]) => {
    throw new Error(`${args.join(' ')}: ended with ${String(code)}:\n${output}`);
  });
  ended.catch(() => {}); // expected once it is stopped
  return {
    pid,
    async said(pattern) {
      for (;;) {
        const found = pattern.exec(output)?.[1];
        if (found !== undefined) return found;
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export interface Memory {
  /** Physical memory that it holds now, all of it, and the part that is no file. */
  readonly residentBytes: number;
  readonly anonymousBytes: number;
  /** The most that it ever held. */
  readonly peakBytes: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { residentBytes: bytes('VmRSS'), anonymousBytes: bytes('RssAnon'), peakBytes: bytes('VmHWM') };
}

/** The system counts it in hundredths of a second. */
export function processorSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
