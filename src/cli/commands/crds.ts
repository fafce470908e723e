// `holdfast crds`: generates the CustomResourceDefinitions from the schemas of the kinds.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { exitCode, type ExitCode } from '../exit.ts';
import { crds as wantedFiles, group } from '../../runtime/kinds/lookup.ts';
import { forAll, make, put } from '../../runtime/machine.ts';
import { shellWord } from '../output/shell.ts';
import type { Terminal } from '../output/terminal.ts';

/** Of every definition of this group, also of a kind that there is no more; other files beside them are not ours to remove. */
const ending = `.${group}.yaml`;

export function crds(
  { directory, check }: { readonly directory: string; readonly check?: boolean },
  terminal: Terminal,
): ExitCode {
  const wanted = wantedFiles();
  if (check !== true) make(directory, forAll);
  const found = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(ending)) : [];
  const stale = [
    ...found.filter((name) => !wanted.has(name)),
    ...[...wanted]
      .filter(([name, text]) => !found.includes(name) || readFileSync(join(directory, name), 'utf8') !== text)
      .map(([name]) => name),
  ];
  if (check === true) {
    const remedy = `holdfast crds --directory ${shellWord(directory)}`;
    for (const name of stale) {
      const is = !found.includes(name)
        ? 'is missing'
        : wanted.has(name)
          ? 'out of date'
          : 'out of date: of no kind';
      const verb = !found.includes(name) ? 'write' : wanted.has(name) ? 'update' : 'remove';
      terminal.note(`${join(directory, name)}: ${is}; to ${verb} it: ${remedy}`);
    }
    return stale.length === 0 ? exitCode.fine : exitCode.error;
  }
  for (const name of stale) {
    const text = wanted.get(name);
    if (text === undefined) rmSync(join(directory, name));
    else put(join(directory, name), text);
    terminal.line(`${text === undefined ? 'removed' : 'wrote'} ${join(directory, name)}`);
  }
  if (stale.length === 0) terminal.line(`${directory}: up to date`);
  return exitCode.fine;
}
