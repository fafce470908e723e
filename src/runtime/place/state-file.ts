// Reads or copies the state of a directory, for commands that do not change it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { isThere } from '../../sources/directory/state/access.ts';
import { backUp } from '../../sources/directory/state/backup.ts';
import type { Selection } from '../../sources/directory/state/contents.ts';
import { openStateReadOnly, type Snapshot } from '../../sources/directory/state/snapshot.ts';
import { lockFile, onDisk } from '../../sources/directory/state/storage.ts';
import { systemBoot, systemClock } from '../clock.ts';

export const stateFile = (stateDir: string): string => join(stateDir, 'state.sqlite');

/** @param only the objects to read; absent: all @returns `undefined` if there is no state. @throws UsageError if it can't be read or trusted */
export const readSnapshot = (stateDir: string, only?: Selection): Promise<Snapshot | undefined> =>
  openStateReadOnly(stateFile(stateDir), systemBoot().boot, only);

const missing = (stateDir: string, orElse = ', or --source kubernetes for a cluster'): UsageError =>
  new UsageError(`${stateDir}: no state here; use the --state-dir of run or dev${orElse}`);

/** @throws UsageError if there is no state, or it can't be trusted */
export async function stateIn(stateDir: string, only?: Selection): Promise<Snapshot> {
  const snapshot = await readSnapshot(stateDir, only);
  if (!snapshot) throw missing(stateDir);
  return snapshot;
}

/**
 * Makes no state. An operator that is starting holds the lock before it makes one.
 * @throws StateInUse if an operator may be starting, UsageError if there is no state
 */
export function checkState(stateDir: string): void {
  const file = stateFile(stateDir);
  if (isThere(file)) return;
  if (isThere(lockFile(file))) onDisk(file).lock().release();
  if (!isThere(file)) throw missing(stateDir);
}

/** Copies the state, even while it is in use. @returns its file. @throws UsageError if that is impossible */
export async function backUpState(stateDir: string, to: string): Promise<string> {
  const file = stateFile(stateDir);
  if (!isThere(file)) throw missing(stateDir, '');
  if (existsSync(to))
    throw new UsageError(`${to} is there already, and a backup overwrites nothing: give another name`);
  await backUp(file, to, new Date(systemClock.wallMs()).toISOString());
  return file;
}
