// Builds disk.c, where that can be done.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const hasCompiler =
  process.platform === 'linux' && spawnSync('cc', ['--version'], { stdio: 'ignore' }).status === 0;

/** @returns the library to be loaded before all others. */
export function compiled(folder: string): string {
  const library = join(folder, 'disk.so');
  const source = join(import.meta.dirname, 'disk.c');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-pthread', '-o', library, source]);
  return library;
}
