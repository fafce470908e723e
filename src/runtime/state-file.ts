// The state of a directory, as those find it who only look at it or copy it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../core/errors.ts';
import { backUp } from '../sources/directory/state/backup.ts';
import { openStateReadOnly, type Snapshot } from '../sources/directory/state/snapshot.ts';
import { systemClock } from './clock.ts';

export const stateFile = (stateDir: string): string => join(stateDir, 'state.sqlite');

/** @returns `undefined` where there is none. @throws UsageError when it can't be trusted */
export const lookIntoState = (stateDir: string): Promise<Snapshot | undefined> =>
  openStateReadOnly(stateFile(stateDir));

const missing = (stateDir: string): UsageError =>
  new UsageError(`${stateDir}: there is no state here; give --state-dir as it was given to run or dev`);

/** @throws UsageError when there is none, or it can't be trusted */
export async function stateIn(stateDir: string): Promise<Snapshot> {
  const snapshot = await lookIntoState(stateDir);
  if (!snapshot) throw missing(stateDir);
  return snapshot;
}

/** Copies the state, also while it is in use. @returns the state's file. @throws UsageError when that can't be done */
export async function backUpState(stateDir: string, to: string): Promise<string> {
  const file = stateFile(stateDir);
  if (!existsSync(file)) throw missing(stateDir);
  await backUp(file, to, new Date(systemClock.wallMs()).toISOString());
  return file;
}
