// `holdfast backup`: a copy of the state to go back to, also while the operator runs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../core/errors.ts';
import { backUp } from '../sources/directory/backup.ts';
import { systemClock } from './clock.ts';

/** @returns what to tell the person. @throws UsageError when there is no state, or the copy can't be made. */
export async function backup(to: string, stateDir: string): Promise<string> {
  const file = join(stateDir, 'state.sqlite');
  if (!existsSync(file))
    throw new UsageError(
      `${stateDir}: there is no state here; give --state-dir as it was given to run or dev`,
    );
  await backUp(file, to, new Date(systemClock.wallMs()).toISOString());
  return `${to} is a backup of ${file}; to go back to it: stop holdfast, copy it over ${file}, remove ${file}-wal and ${file}-shm, and start again`;
}
