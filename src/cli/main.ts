// The command line: commands, options, help with an example each, and exit codes.
import { basename } from 'node:path';
import { Argument, Command, CommanderError } from 'commander';
import about from '../../package.json' with { type: 'json' };
import { kindNames } from '../runtime/kinds/lookup.ts';
import { isForeseen, withRemedy } from './everyday.ts';
import { exitCode, failureOf, type ExitCode } from './exit.ts';
import { isClosedPipe, Terminal } from './output/terminal.ts';
import { thisProcess } from './process.ts';
import { addAsking } from './program/asking.ts';
import type { Add, CommandContext } from './program/context.ts';
import { group } from './program/groups.ts';
import { ofDirectory, unknownCommand } from './program/habits.ts';
import { addFiles, addReading } from './program/reading.ts';
import { addReconciling } from './program/reconciling.ts';

/** Declares the whole command line. The reference is generated from this, too. */
export function program(context: CommandContext): Command {
  const called = context.isPlugin ? 'kubectl holdfast' : 'holdfast';
  const root = new Command(called)
    .description(
      'Keeps the volumes of a workload scheduler and the credentials of a secrets service exactly as declared.',
    )
    .version(about.version, '-V, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => context.terminal.write(text),
      writeErr: (text) => context.terminal.note(text.trimEnd()),
    })
    .exitOverride()
    .showHelpAfterError('(--help shows the options)');
  const add: Add = (name, description, sample) => {
    const command = new Command(name).copyInheritedSettings(root).description(description);
    if (!context.isPlugin || !ofDirectory.has(name)) root.addCommand(command);
    return command.addHelpText('after', `\nExample:\n  $ ${called} ${sample}`);
  };
  addReconciling(add, context);
  addReading(add, context);
  addAsking(add, context);
  addFiles(add, context);
  addCompletion(add, root, context);
  group(root);
  const unknown = (name: string) =>
    unknownCommand(name, {
      isPlugin: context.isPlugin,
      known: root.commands.map((command) => command.name()),
    });
  root.on('command:*', ([name = '']: readonly string[]) => {
    if (name !== 'version') throw unknown(name);
    context.terminal.line(about.version);
  });
  // Commander shows the help of all commands to `help` of one that it does not know, and says nothing.
  root.on('beforeAllHelp', ({ error }: { readonly error: boolean }) => {
    const [first, name] = root.args;
    if (error && first === 'help' && name !== undefined) throw unknown(name);
  });
  return root;
}

function addCompletion(add: Add, root: Command, { terminal, end }: CommandContext): void {
  add(
    'completion',
    'print a script that completes commands in a shell',
    'completion bash > ~/.holdfast-completion',
  )
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nThen load it: `source ~/.holdfast-completion` in ~/.bashrc or ~/.zshrc; for fish, put it into\n~/.config/fish/completions/holdfast.fish.',
    )
    .action(async (shell) => {
      const { completionScript } = await import('./completion.ts');
      terminal.line(completionScript(shell, root, kindNames).trimEnd());
      end(exitCode.fine);
    });
}

const end = (code: ExitCode): void => {
  process.exitCode = code;
};

/** Runs one command. Sets the exit code; never throws. */
export async function main(): Promise<void> {
  const terminal = new Terminal(process.stdout, process.stderr);
  let failure: ExitCode = exitCode.error;
  const { refused } = terminal;
  // Here, because standard output may refuse the last lines after the command has ended.
  process.once('exit', () => {
    if (refused.aborted) end(isClosedPipe(refused.reason) ? exitCode.outputClosed : failure);
  });
  try {
    const isPlugin = basename(process.argv[1] ?? '').startsWith('kubectl-');
    const root = program({ terminal, process: thisProcess(), end, isPlugin });
    root.hook('preSubcommand', (_, command) => {
      failure = failureOf(command.name());
    });
    await root.parseAsync();
  } catch (error) {
    end(isFine(error) ? exitCode.fine : failure);
    explain(error, terminal);
  }
}

/** Of what only ends a command, such as `--help`. */
const isFine = (error: unknown): boolean => error instanceof CommanderError && error.exitCode === 0;

function explain(error: unknown, terminal: Terminal): void {
  if (error instanceof CommanderError) return; // Commander has printed the message
  if (isForeseen(error)) terminal.note(`holdfast: ${withRemedy(error)}`);
  else
    terminal.note(
      `holdfast: a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
}
