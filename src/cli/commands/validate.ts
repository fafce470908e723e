// `holdfast validate`: checks the tree offline, without services or secret values. If there is a state, it tells what a
// now empty file declared.
import { renderProblem } from '../../core/problem.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { readManifests } from '../../runtime/manifests.ts';
import type { Terminal } from '../output/terminal.ts';

export interface ValidateOptions {
  readonly stateDir: string;
  readonly output: 'text' | 'json';
}

/** @throws UsageError if the state can't be trusted */
export async function validate(
  root: string,
  { stateDir, output }: ValidateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { objects, problems, files } = await readManifests(root, stateDir);
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
