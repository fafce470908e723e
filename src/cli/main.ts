// The command line: commands, options, help with an example each, and exit codes.
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import about from '../../package.json' with { type: 'json' };
import { retentionHold } from '../core/effect.ts';
import { ApiError, StorageError, UsageError } from '../core/errors.ts';
import { adopt } from './commands/adopt.ts';
import { apply, run } from './commands/run.ts';
import { runKubernetes, runKubernetesOnce } from './commands/run-kubernetes.ts';
import { backup } from './commands/backup.ts';
import { crds } from './commands/crds.ts';
import { dev } from './commands/dev.ts';
import { exitCode, type ExitCode } from './exit.ts';
import { get } from './commands/get.ts';
import { atPlace, type Place, type PlaceOptions } from '../runtime/place.ts';
import type { ClusterOptions } from '../runtime/kubernetes/cluster.ts';
import { managedKinds, requestCommands, type RequestCommand } from '../runtime/kinds.ts';
import { objectKey, wanted } from './object-key.ts';
import {
  clusterOptions,
  dialect,
  kubeconfig,
  kubeContext,
  listenAt,
  output,
  outputDir,
  placeOf,
  port,
  secretsDir,
  stateDir,
  timeout,
} from './options.ts';
import { withTls } from './listen-address.ts';
import { plan } from './commands/plan.ts';
import { thisProcess, type Process } from './process.ts';
import { Terminal } from './output/terminal.ts';
import { validate } from './commands/validate.ts';

const several = (name: string, before: readonly string[]): readonly string[] => [...before, name];

type Add = (name: string, description: string, sample: string) => Command;

interface CommandContext {
  readonly terminal: Terminal;
  readonly process: Process;
  readonly end: (code: ExitCode) => void;
  /** kubectl has it as a plugin. */
  readonly isPlugin: boolean;
}

function program(context: CommandContext): Command {
  const called = context.isPlugin ? 'kubectl holdfast' : 'holdfast';
  const root = new Command(called)
    .description(
      'Keeps the volumes of a workload scheduler and the credentials of a secrets service exactly as declared.',
    )
    .version(about.version, '-V, --version', 'print the version')
    .configureOutput({ writeErr: (text) => context.terminal.note(text.trimEnd()) })
    .exitOverride()
    .showHelpAfterError('(--help shows the options)');
  const add: Add = (name, description, sample) =>
    root.command(name).description(description).addHelpText('after', `\nExample:\n  $ ${called} ${sample}`);
  addReconciling(add, context);
  addLooking(add, context);
  addAsking(add, context);
  return root;
}

function addReconciling(add: Add, { terminal, process, end }: CommandContext): void {
  add('dev', 'run the embedded services and reconcile a directory with them', 'dev examples/quickstart')
    .argument('[dir]', 'directory of manifests; without it, only the services run')
    .option('--once', 'reconcile once, print the result and exit')
    .addOption(output('text', 'json'))
    .addOption(dialect())
    .addOption(
      new Option('--port <number>', 'port of the embedded scheduler; 0: any free port')
        .argParser(port)
        .default(0),
    )
    .addOption(
      new Option('--secrets-port <number>', 'port of the embedded secrets service; 0: any free port')
        .argParser(port)
        .default(0),
    )
    .addOption(listenAt())
    .addOption(stateDir())
    .addOption(secretsDir())
    .addOption(outputDir())
    .addOption(timeout())
    .action(async (dir, options) => end(await dev(dir, options, terminal, process)));

  add('run', 'reconcile a directory, or a cluster, until stopped', 'run --source manifests')
    .requiredOption(
      '--source <dir|kubernetes>',
      'directory of manifests; kubernetes: the custom resources of a cluster',
    )
    .addOption(listenAt())
    .option('--tls-cert-file <file>', 'PEM certificate of that address (default: plain HTTP)')
    .option('--tls-key-file <file>', 'PEM key of the certificate')
    .addOption(stateDir())
    .addOption(secretsDir())
    .addOption(outputDir())
    .optionsGroup('With --source kubernetes:')
    .addOption(kubeconfig())
    .addOption(kubeContext())
    .option(
      '-n, --namespace <name>',
      'namespace of the objects; may be given several times (default: all)',
      several,
      [],
    )
    .option('-l, --selector <labels>', 'labels of the objects, such as team=shop (default: all objects)')
    .option('--lease-name <name>', 'Lease that the process which acts holds', 'holdfast')
    .option('--lease-namespace <name>', "its namespace (default: the pod's, or the context's)")
    .option('--no-lease', 'act without a Lease: no other process may do so')
    .option('--once', 'reconcile once, print the result and exit')
    .addOption(output('text', 'json'))
    .addOption(timeout())
    .action(async ({ source, once, tlsCertFile, tlsKeyFile, ...given }) => {
      const options = { ...given, listen: withTls(given.listen, tlsCertFile, tlsKeyFile) };
      if (source !== 'kubernetes') return end(await run(source, options, process));
      end(await (once ? runKubernetesOnce(options, terminal, process) : runKubernetes(options, process)));
    });

  add('apply', 'reconcile a directory once, print the result and exit', 'apply manifests --timeout 120')
    .argument('<dir>', 'directory of manifests')
    .addOption(output('text', 'json'))
    .addOption(stateDir())
    .addOption(secretsDir())
    .addOption(outputDir())
    .addOption(timeout())
    .action(async (dir, options) => end(await apply(dir, options, terminal, process)));
}

function addLooking(add: Add, context: CommandContext): void {
  const { terminal, process, end, isPlugin } = context;
  const planned = isPlugin ? '' : 'manifests ';
  const planning = add(
    'plan',
    'show what would be done, without doing it',
    `plan ${planned}--output markdown`,
  )
    .argument('[dir]', 'directory of manifests; on a cluster, none')
    .addOption(output('text', 'json', 'markdown'))
    .option('--detailed-exitcode', 'exit with 2 if there is something to do')
    .addOption(stateDir())
    .addOption(secretsDir());
  clusterOptions(isPlugin)(planning).action(async (dir, options) =>
    end(await plan(plannedOf(dir, placeOf(options, process.env)), options, terminal, process)),
  );

  add('validate', 'check manifests offline', 'validate manifests')
    .argument('<dir>', 'directory of manifests')
    .addOption(output('text', 'json'))
    .addOption(stateDir())
    .action(async (dir, options) => end(await validate(dir, options, terminal)));

  const getting = add('get', 'show the declared objects and their status', `get ${example}`)
    .argument('[what]', 'KIND, or KIND/NAMESPACE/NAME for one object in full')
    .addOption(output('text', 'json'));
  onPlace(getting, context, (place, what) =>
    get(wanted(what, place.namespace), getting.opts(), place, terminal),
  );

  add('backup', 'copy the state, also while it is in use', 'backup /backups/state-monday.sqlite')
    .argument('<file>', 'file of the copy; must not exist')
    .addOption(stateDir())
    .action(async (file, options) => {
      terminal.line(await backup(file, options.stateDir));
      end(exitCode.fine);
    });

  add('crds', 'write the CustomResourceDefinitions', 'crds --directory crds')
    .option('--directory <dir>', 'where to write them', 'crds')
    .option('--check', 'only check: fail if they are out of date')
    .action((options) => end(crds(options, terminal)));
}

/** @throws UsageError */
function plannedOf(dir: string | undefined, place: PlaceOptions): string | ClusterOptions {
  if ('stateDir' in place) {
    if (dir !== undefined) return dir;
    throw new UsageError('plan: expected a directory of manifests, or --source kubernetes for a cluster');
  }
  if (dir === undefined) return place;
  throw new UsageError(`plan ${dir}: on a cluster, what is declared there is planned; give no directory`);
}

function addAsking(add: Add, context: CommandContext): void {
  const adopting = add(
    'adopt',
    'list what exists but is not managed yet; adopt what is identical',
    'adopt --yes',
  ).option('--yes', 'adopt what is exactly as declared');
  onPlace(adopting, context, (place) => adopt(adopting.opts(), place, context.terminal));

  const approving = add(
    'approve',
    'approve what waits for approval, such as deletions beyond the limits',
    'approve 1x9k2m7q',
  ).argument('<digest>', 'identifies exactly what to approve; `holdfast get` shows it');
  asking(approving, context, (digest) => ({ do: 'approve', digest }));

  for (const command of requestCommands) addRequest(add, command, context);
  for (const [name, help, request] of [
    ['resume', 'resume an object that was suspended by command', 'suspend'],
    ['unhold', 'let an object expire again that was held by command', retentionHold],
  ] as const) {
    const taking = add(name, help, `${name} ${example}`).argument('<object>', 'KIND/NAMESPACE/NAME');
    asking(taking, context, (object, namespace) => ({
      do: 'request',
      key: objectKey(object, namespace),
      name: request,
    }));
  }
}

/** An object, as one of the tour may be called. */
const example = `${managedKinds[0]}/shop/orders`;

function addRequest(add: Add, asks: RequestCommand, context: CommandContext): void {
  const { name, help, sets } = asks;
  const isReason = sets === 'reason';
  const command = add(
    name,
    help,
    `${name} ${asks.example}${isReason ? ' --reason "cluster is gone"' : ''}`,
  ).argument('<object>', 'KIND/NAMESPACE/NAME');
  if (isReason) command.requiredOption('--reason <text>', 'why; it is kept in the log');
  asking(command, context, (object, namespace) => {
    const key = objectKey(object, namespace);
    const requested = asks.requestOf(key.slice(0, key.indexOf('/')));
    if (requested === undefined) throw new UsageError(`${key}: ${name} is for ${asks.kinds.join(', ')}`);
    // Another token each time, whatever the date is.
    const token = isReason ? command.getOptionValue('reason') : sets === 'token' ? randomUUID() : sets;
    return { do: 'request', key, name: requested, token };
  });
}

/** A command that asks something of objects. */
function asking(
  command: Command,
  context: CommandContext,
  controlOf: (argument: string, namespace: string) => Parameters<Place['request']>[0],
): void {
  onPlace(command, context, async (place, argument = '') => {
    context.terminal.line(await place.request(controlOf(argument, place.namespace)));
    return exitCode.fine;
  });
}

/** A command that works on objects wherever they are. */
function onPlace(
  command: Command,
  { process, end, isPlugin }: CommandContext,
  act: (place: Place, argument?: string) => Promise<ExitCode>,
): void {
  clusterOptions(isPlugin)(command.addOption(stateDir())).action(async () => {
    const place = placeOf(command.opts(), process.env);
    end(await atPlace(place, process.asking, (at) => act(at, command.args[0])));
  });
}

const end = (code: ExitCode): void => {
  process.exitCode = code;
};

/** Runs one command. Sets the exit code; never throws. */
export async function main(): Promise<void> {
  const terminal = new Terminal(process.stdout, process.stderr);
  try {
    const isPlugin = basename(process.argv[1] ?? '').startsWith('kubectl-');
    await program({ terminal, process: thisProcess(), end, isPlugin }).parseAsync();
  } catch (error) {
    process.exitCode = explain(error, terminal);
  }
}

function explain(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.fine : exitCode.error; // Commander has printed it
  if (error instanceof UsageError || isOfTheSystem(error)) terminal.note(`holdfast: ${error.message}`);
  else
    terminal.note(
      `holdfast: a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  return exitCode.error;
}

/** A full or read-only disk, missing permissions, a taken port: not a bug. */
const isOfTheSystem = (error: unknown): error is Error =>
  error instanceof StorageError ||
  (error instanceof ApiError && error.reason === 'StateUnavailable') ||
  (error instanceof Error &&
    'syscall' in error &&
    'code' in error &&
    /^(E(NOSPC|DQUOT|ROFS|MFILE|NFILE|ACCES|PERM|IO|FBIG|ADDRINUSE|ADDRNOTAVAIL))$/.test(String(error.code)));
