// `holdfast validate`: checks manifests offline, without services or secret values. If there is a state, it shows what
// a file declared that is empty now, and whether the state belongs to another installation.
import { join, relative } from 'node:path';
import type { Problem } from '../../core/text/problem.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { readManifests, type Read } from '../../runtime/manifests.ts';
import type { Terminal } from '../output/terminal.ts';
import { counted } from '../../core/text/count.ts';

export interface ValidateOptions {
  readonly stateDir: string;
  /** Whether the user gave the state directory: then the manifests have to be that state's. */
  readonly isStateNamed: boolean;
  readonly output: 'text' | 'json';
}

/** @throws UsageError if the state was named, and can't be read or trusted */
export async function validate(
  paths: readonly string[],
  { stateDir, isStateNamed, output }: ValidateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const unread: Problem[] = [];
  const onUnread = ({ message }: Error): void =>
    void unread.push({ origin: stateDir, message: `not compared with this state: ${message}` });
  const read = await readManifests(paths, stateDir, isStateNamed ? undefined : onUnread);
  const placed = (root: string, all: readonly Problem[]) =>
    read.length === 1 ? all : all.map((problem) => placedIn(root, problem));
  const foreign = ({ foreign: found }: Read, isError: boolean) =>
    found && isStateNamed === isError ? [found] : [];
  const problems = read.flatMap((one) => placed(one.root, [...one.scan.problems, ...foreign(one, true)]));
  const told = read.flatMap((one) => placed(one.root, [...foreign(one, false), ...one.warnings]));
  const warnings = [...unread, ...told];
  const objects = read.flatMap(({ scan }) => [...scan.objects.keys()]);
  const files = read.reduce((sum, { scan }) => sum + scan.files, 0);
  if (output === 'json') {
    terminal.json({ objects, problems, warnings, files });
  } else {
    for (const problem of problems) terminal.problem(problem);
    for (const warning of warnings) terminal.warning(warning);
    const found = [
      ...(problems.length > 0 ? [counted(problems.length, 'problem')] : []),
      ...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
    ];
    const all = found.length === 0 ? 'no problems' : found.join(', ');
    terminal.line(`${counted(objects.length, 'object')} in ${counted(files, 'file')}, ${all}`);
  }
  return problems.length === 0 ? exitCode.fine : exitCode.error;
}

/** The problem with paths from the working directory, for several trees. */
function placedIn(root: string, problem: Problem): Problem {
  const from = (file: string): string => relative('', join(root, file));
  const { origin, place } = problem;
  return { ...problem, origin: from(origin), ...(place && { place: { ...place, file: from(place.file) } }) };
}
