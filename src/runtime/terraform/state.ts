// Reads a state of Terraform, bounded in size, in either of the forms in which Terraform prints it.
import { readFileSync, statSync } from 'node:fs';
import { UsageError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { wrongIn, type State } from './instance.ts';
import { isShown, shownState } from './shown-state.ts';
import { fileState } from './state-file.ts';

const sizeMaxMiB = 32;

/** @throws UsageError that names the place, what was expected and what was found */
export function readState(file: string): State {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) {
    const got =
      found === undefined
        ? 'and there is none'
        : `got ${found.isDirectory() ? 'a directory' : 'no regular file'}`;
    throw new UsageError(`${file}: expected a state file of Terraform, ${got}`);
  }
  if (found.size > sizeMaxMiB * 1024 * 1024)
    throw new UsageError(`${file}: expected at most ${sizeMaxMiB} MiB, got ${found.size} bytes`);
  const state = parseJson(readFileSync(file, 'utf8'));
  if (!isRecord(state))
    throw new UsageError(
      `${file}: expected a JSON object, as terraform state pull or terraform show -json prints it`,
    );
  return isShown(state) ? shownState(state, wrongIn(file)) : fileState(state, wrongIn(file));
}
