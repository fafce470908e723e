// Says whether the file of a state can be reached, and what stands in the way if it can't.
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError, messageOf } from '../../../core/errors.ts';

const asItsUser = 'check its owner and its mode, or run this as the user that runs the operator';

/**
 * @returns false only if there is no such file
 * @throws UsageError if nobody can tell: a command would work as if there were no state, and hide what the state holds
 */
export function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return false;
    const remedy = isRefusal(code) ? `: ${asItsUser}` : '';
    throw new UsageError(`${file} can't be read: ${reasonOf(error)}${remedy}`, { cause: error });
  }
}

/**
 * Why SQLite can't open a state, which its error does not say: SQLite also works with files beside the state.
 * @returns `undefined` if nothing is found
 */
export function hindranceOf(file: string): string | undefined {
  const folder = dirname(file);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const error = refusalOf(path, constants.R_OK);
    if (isRefusal(codeOf(error))) return `${path} can't be read (${reasonOf(error)}): ${asItsUser}`;
  }
  const error = refusalOf(folder, constants.W_OK);
  if (error === undefined) return undefined;
  const remedy = isRefusal(codeOf(error)) ? asItsUser : 'make it writable';
  return `SQLite makes files beside it, and ${folder} can't be written (${reasonOf(error)}): ${remedy}`;
}

function refusalOf(path: string, mode: number): unknown {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return error;
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const isRefusal = (code: unknown): boolean => code === 'EACCES' || code === 'EPERM';

/** Without the call and the path, which the sentence around it names. */
const reasonOf = (error: unknown): string => messageOf(error).replace(/, \w+ '.*$/s, '');
