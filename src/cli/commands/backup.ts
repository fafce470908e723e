// `holdfast backup`: a copy of the state to go back to, also while the operator runs.
import { backUpState } from '../../runtime/state-file.ts';

/** @returns what to tell the person. @throws UsageError when there is no state, or the copy can't be made. */
export async function backup(to: string, stateDir: string): Promise<string> {
  const file = await backUpState(stateDir, to);
  return `${to} is a backup of ${file}; to go back to it: stop holdfast, copy it over ${file}, remove ${file}-wal and ${file}-shm, and start again`;
}
