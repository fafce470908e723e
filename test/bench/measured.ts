// Runs a program in a process of its own and measures it: wall from spawn to exit, what it used by its own word.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Of all threads of a process. */
export interface Usage {
  readonly userMs: number;
  readonly systemMs: number;
  /** Most physical memory that it ever held. */
  readonly peakBytes: number;
}

export interface Measured extends Usage {
  readonly wallMs: number;
}

const usageModule = import.meta.resolve('./usage.ts');

/** A program that says on descriptor 3 what it used, as usage.ts does. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Beside our own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A program of ours. @see measuredCommand */
export const measured = (directory: string, args: readonly string[]): Promise<Measured> =>
  measuredCommand(directory, { program: process.execPath, args: ['--import', usageModule, ...args] });

/**
 * Its output goes into files, which hold it up least.
 * @param directory for those files; may be used again once this has resolved.
 * @throws Error unless it ends with 0.
 */
export async function measuredCommand(directory: string, { program, args, env }: Command): Promise<Measured> {
  const [outputFile, errorFile] = [join(directory, 'output'), join(directory, 'errors')];
  const files = [openSync(outputFile, 'w'), openSync(errorFile, 'w')];
  const startedMs = performance.now();
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', ...files, 'pipe'],
  });
  const usage = text(readable(child.stdio[3]));
  const [code, signal] = await once(child, 'exit');
  const wallMs = performance.now() - startedMs;
  files.forEach(closeSync);
  if (code !== 0) {
    const last = readFileSync(errorFile, 'utf8').slice(-2_000);
    throw new Error(`${program} ${args.join(' ')}: ended with ${String(code ?? signal)}:\n${last}`);
  }
  const used: Usage = JSON.parse(await usage); // usage.ts wrote it, or what does the same
  return { ...used, wallMs };
}

function readable(stream: unknown): Readable {
  if (stream instanceof Readable) return stream;
  throw new Error('the process has no descriptor 3');
}
