// The headings under which `holdfast --help` lists the commands, in the order of a first day.
import { Help, type Command } from 'commander';

const groups = {
  'Begin:': ['dev', 'init', 'unmanaged', 'export', 'import', 'policy'],
  'Reconcile:': ['validate', 'plan', 'diff', 'apply', 'run'],
  'Look:': ['get', 'describe', 'explain'],
  'Files and tools:': ['backup', 'schema', 'crds', 'completion', 'help'],
} as const;

/** Of the requests, which are the kinds' own. */
const asking = 'Ask for something:';

export function group(root: Command): void {
  const headed = (command: Command): Command => {
    const isIts = ([, names]: readonly [string, readonly string[]]) => names.includes(command.name());
    return command.helpGroup(Object.entries(groups).find(isIts)?.[0] ?? asking);
  };
  root.commands.forEach(headed);
  const help = new Help();
  const order: readonly string[] = Object.values(groups).flat();
  const place = (command: Command): number => order.indexOf(command.name());
  // Commander makes the command help by itself, and only here.
  root.configureHelp({
    visibleCommands: (command) =>
      command === root
        ? help
            .visibleCommands(command)
            .map(headed)
            .toSorted((a, b) => place(a) - place(b))
        : help.visibleCommands(command),
  });
}
