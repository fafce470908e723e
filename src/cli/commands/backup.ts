// `holdfast backup`: copies the state, also while the operator runs.
import { dirname, resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { isInside, realPathOf } from '../../runtime/machine.ts';
import { treeAround } from '../../runtime/manifests.ts';
import { backUpState } from '../../runtime/place/state-file.ts';

/** @returns the message for the user. @throws UsageError if there is no state, or it can't be copied there */
export async function backup(to: string, stateDir: string): Promise<string> {
  refuseAmongManifests(to);
  const file = await backUpState(stateDir, to);
  return `${to} is a backup of ${file}; to restore it, stop holdfast, copy it over ${file}, remove ${file}-wal and ${file}-shm, and start again`;
}

/** A state has the key that tells which values Secrets had: it must not be committed, and is no manifest. */
function refuseAmongManifests(file: string): void {
  const path = resolve(file);
  const root = treeAround(realPathOf(dirname(path)));
  if (root === undefined || !isInside(path, root)) return;
  const expected = 'expected a place outside of the manifests, or a hidden one';
  throw new UsageError(`${file}: ${expected}: what is among them is committed with them`);
}
