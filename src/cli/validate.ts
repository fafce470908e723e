// `holdfast validate`: is the tree well-formed? Offline: no state, no service, no secret values.
import { TreeReader } from '../sources/directory/read.ts';
import { renderProblem } from '../sources/directory/problem.ts';
import { exitCode, type ExitCode } from './exit.ts';
import { declarations } from './kinds.ts';
import type { Terminal } from './terminal.ts';

export async function validate(root: string, output: 'text' | 'json', terminal: Terminal): Promise<ExitCode> {
  const { objects, problems, files } = await new TreeReader({ root, declarations }).read();
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
