// A disk of its own that is full or read-only when a test says so. Mounting one takes rights that not everybody has.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeSync, openSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const mount = (...options: readonly string[]): void =>
  void execFileSync('mount', options, { stdio: 'ignore' });

/** Whether this user may mount one. */
export const canMount = ((): boolean => {
  const place = mkdtempSync(join(tmpdir(), 'holdfast-mount-'));
  try {
    mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place);
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
})();

export interface SmallDisk {
  readonly directory: string;
  readonly full: (is: boolean) => void;
  readonly readOnly: (is: boolean) => void;
}

/** Gone when the test is. */
export function smallDisk(mebibytes = 1): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-disk-'));
  mount('-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', directory);
  onTestFinished(() => {
    execFileSync('umount', [directory]);
    rmSync(directory, { recursive: true, force: true });
  });
  const filler = join(directory, 'filler');
  return {
    directory,
    full: (is) => (is ? fill(filler) : rmSync(filler, { force: true })),
    readOnly: (is) => mount('-o', `remount,${is ? 'ro' : 'rw'}`, directory),
  };
}

function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096, 1));
  } catch {
    // no space is left, as it should be
  } finally {
    closeSync(file);
  }
}
