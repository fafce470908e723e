// Tells whether git is amid an operation on the files of a tree, by the files that it keeps meanwhile.
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readBounded } from './file.ts';

/** It is there for a moment whenever git touches its index, and stays if git is killed. */
export const indexLock = 'index.lock';

/** Files and directories in the directory of git that are there until an operation has ended or was aborted. */
const marks = [
  'rebase-merge',
  'rebase-apply',
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  indexLock,
] as const;

const linkMax = 4_096;

/** @returns the file that says so; `undefined`: git is done, or the tree is in no repository that can be read */
export function unfinishedIn(root: string): string | undefined {
  try {
    for (let folder = realpathSync(root); ; folder = dirname(folder)) {
      const at = gitDirectory(join(folder, '.git'));
      if (at !== undefined) return marks.find((mark) => existsSync(join(at, mark)));
      if (folder === dirname(folder)) return undefined;
    }
  } catch {
    return undefined;
  }
}

/** In a linked worktree and in a submodule, `.git` is a file that says where the directory is. */
function gitDirectory(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || found.isDirectory()) return found && path;
  const file = readBounded(path, linkMax);
  const link = 'bytes' in file ? /^gitdir: (.+)/.exec(file.bytes.toString())?.[1] : undefined;
  return link === undefined ? undefined : resolve(dirname(path), link);
}
