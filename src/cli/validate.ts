// `holdfast validate`: is the tree well-formed? Offline: no service, no secret values. A state, where there is one, tells
// what a file declared that holds nothing any more.
import { join } from 'node:path';
import { withEmptied } from '../sources/directory/emptied.ts';
import { TreeReader } from '../sources/directory/read.ts';
import { renderProblem } from '../sources/directory/problem.ts';
import { openStateReadOnly } from '../sources/directory/snapshot.ts';
import { exitCode, type ExitCode } from './exit.ts';
import { declarations } from './kinds.ts';
import type { Terminal } from './terminal.ts';

export interface ValidateOptions {
  readonly stateDir: string;
  readonly output: 'text' | 'json';
}

/** @throws UsageError when there is a state that can't be trusted */
export async function validate(
  root: string,
  { stateDir, output }: ValidateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const read = await new TreeReader({ root, declarations }).read();
  const snapshot = await openStateReadOnly(join(stateDir, 'state.sqlite'));
  const isItsState = snapshot?.installation === read.installation;
  const { objects, problems, files } = withEmptied(read, isItsState ? (snapshot?.rows ?? []) : []);
  if (output === 'json') {
    terminal.json({ objects: [...objects.keys()], problems, files });
  } else {
    for (const problem of problems) terminal.note(renderProblem(problem, { color: terminal.colourOnErr }));
    const found = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    terminal.line(
      `${objects.size} objects in ${files} files, ${problems.length === 0 ? 'no problems' : found}`,
    );
  }
  return problems.length === 0 ? exitCode.fine : exitCode.error;
}
