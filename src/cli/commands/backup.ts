// `holdfast backup`: copies the state, also while the operator runs.
import { backUpState } from '../../runtime/place/state-file.ts';

/** @returns the message for the user. @throws UsageError if there is no state, or it can't be copied */
export async function backup(to: string, stateDir: string): Promise<string> {
  const file = await backUpState(stateDir, to);
  return `${to} is a backup of ${file}; to restore it, stop holdfast, copy it over ${file}, remove ${file}-wal and ${file}-shm, and start again`;
}
