// The command line: commands, options, help with an example each, and exit codes.
import { randomUUID } from 'node:crypto';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import about from '../../package.json' with { type: 'json' };
import { ApiError, StorageError, UsageError } from '../core/errors.ts';
import { parseKey } from '../core/resource.ts';
import { nearest } from '../core/nearest.ts';
import { adopt } from './commands/adopt.ts';
import { apply, run } from './commands/run.ts';
import { runKubernetes, runKubernetesOnce } from './commands/run-kubernetes.ts';
import { backup } from './commands/backup.ts';
import { crds } from './commands/crds.ts';
import { dev } from './commands/dev.ts';
import { exitCode, type ExitCode } from './exit.ts';
import { get } from './commands/get.ts';
import { parseListen, withTls } from './listen-address.ts';
import { kinds, managedKinds, requestCommands, type RequestCommand } from '../runtime/kinds.ts';
import { plan } from './commands/plan.ts';
import { thisProcess, type Process } from './process.ts';
import { request } from '../runtime/requests.ts';
import { Terminal } from './output/terminal.ts';
import { validate } from './commands/validate.ts';

const seconds = (text: string): number => whole(text, 1, 86_400);
const port = (text: string): number => whole(text, 0, 65_535);

function whole(text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`);
}

/** `KIND/NAMESPACE/NAME`; the namespace `default` may be left out. */
function objectKey(text: string): string {
  const key = parseKey(text);
  const kind = key && kinds.get(key.kind);
  if (!key || !kind) {
    const known = [...kinds.keys()];
    const near = nearest(text.split('/')[0] ?? '', known);
    const hint = near === undefined ? `kinds: ${known.join(', ')}` : `did you mean ${near}?`;
    throw new UsageError(`${text}: expected KIND/NAMESPACE/NAME or KIND/NAME; ${hint}`);
  }
  return key.namespace === '' && kind.connectionField !== undefined
    ? `${key.kind}/default/${key.name}`
    : text;
}

function wanted(what: string | undefined): string | undefined {
  if (what === undefined || what.includes('/')) return what && objectKey(what);
  if (kinds.has(what)) return what;
  throw new UsageError(`${what}: expected ${[...kinds.keys()].join(', ')}, or KIND/NAMESPACE/NAME`);
}

const stateDir = () => new Option('--state-dir <dir>', 'directory of the state').default('.holdfast');
const secretsDir = () =>
  new Option('--secrets-dir <dir>', 'secret values as files: <dir>/<namespace>/<name>/<key>');
const outputDir = () =>
  new Option(
    '--output-dir <dir>',
    'directory for published Secrets (default: outputs in the state directory)',
  );
const listenAt = () =>
  new Option(
    '--listen <host:port>',
    'address of the status page, health and metrics; port 0: any free port; off: none',
  )
    .argParser(parseListen)
    .default(parseListen('127.0.0.1:0'), '127.0.0.1:0');
const output = (...choices: string[]) =>
  new Option('-o, --output <format>', 'output format').choices(choices).default('text');
const timeout = () =>
  new Option('--timeout <seconds>', 'how long to wait for everything to settle')
    .argParser(seconds)
    .default(60);
const kubeconfig = () =>
  new Option(
    '--kubeconfig <file>',
    "kubeconfig (default: KUBECONFIG, the pod's service account, or ~/.kube/config)",
  );
const kubeContext = () =>
  new Option('--context <name>', 'context of the kubeconfig (default: its current one)');
const several = (name: string, before: readonly string[]): readonly string[] => [...before, name];
const dialect = () =>
  new Option('--dialect <name>', 'names and behaviour of the services: as documented, or as Nomad and Vault')
    .choices(['cluster', 'nomad'])
    .default('cluster');

type Add = (name: string, description: string, sample: string) => Command;

interface CommandContext {
  readonly terminal: Terminal;
  readonly process: Process;
  readonly end: (code: ExitCode) => void;
}

function program(context: CommandContext): Command {
  const root = new Command('holdfast')
    .description(
      'Keeps the volumes of a workload scheduler and the credentials of a secrets service exactly as declared.',
    )
    .version(about.version, '-V, --version', 'print the version')
    .configureOutput({ writeErr: (text) => context.terminal.note(text.trimEnd()) })
    .exitOverride()
    .showHelpAfterError('(--help shows the options)');
  const add: Add = (name, description, sample) =>
    root.command(name).description(description).addHelpText('after', `\nExample:\n  $ holdfast ${sample}`);
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

function addLooking(add: Add, { terminal, process, end }: CommandContext): void {
  add('plan', 'show what would be done, without doing it', 'plan manifests --output markdown')
    .argument('<dir>', 'directory of manifests')
    .addOption(output('text', 'json', 'markdown'))
    .option('--detailed-exitcode', 'exit with 2 if there is something to do')
    .addOption(stateDir())
    .addOption(secretsDir())
    .action(async (dir, options) => end(await plan(dir, options, terminal, process)));

  add('validate', 'check manifests offline', 'validate manifests')
    .argument('<dir>', 'directory of manifests')
    .addOption(output('text', 'json'))
    .addOption(stateDir())
    .action(async (dir, options) => end(await validate(dir, options, terminal)));

  add('get', 'show the declared objects and their status', `get ${example}`)
    .argument('[what]', 'KIND, or KIND/NAMESPACE/NAME for one object in full')
    .addOption(output('text', 'json'))
    .addOption(stateDir())
    .action(async (what, options) => end(await get(wanted(what), options, terminal)));

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

function addAsking(add: Add, { terminal, end }: CommandContext): void {
  add('adopt', 'list what exists but is not managed yet; adopt what is identical', 'adopt --yes')
    .option('--yes', 'adopt what is exactly as declared')
    .addOption(stateDir())
    .action(async (options) => end(await adopt(options, terminal)));

  add('approve', 'approve what waits for approval, such as deletions beyond the limits', 'approve 1x9k2m7q')
    .argument('<digest>', 'identifies exactly what to approve; `holdfast get` shows it')
    .addOption(stateDir())
    .action(async (digest, options) => {
      terminal.line(await request(options.stateDir, { do: 'approve', digest }));
      end(exitCode.fine);
    });

  for (const command of requestCommands) addRequest(add, command, terminal, end);
  add('resume', 'resume an object that was suspended by command', `resume ${example}`)
    .argument('<object>', 'KIND/NAMESPACE/NAME')
    .addOption(stateDir())
    .action(async (object, options) => {
      const asked = { key: objectKey(object), name: 'suspend' };
      terminal.line(await request(options.stateDir, { do: 'request', ...asked }));
      end(exitCode.fine);
    });
}

/** An object, as one of the tour may be called. */
const example = `${managedKinds[0]}/shop/orders`;

function addRequest(add: Add, asks: RequestCommand, terminal: Terminal, ends: CommandContext['end']): void {
  const { name, help, sets } = asks;
  const isReason = sets === 'reason';
  const command = add(name, help, `${name} ${asks.example}${isReason ? ' --reason "cluster is gone"' : ''}`)
    .argument('<object>', 'KIND/NAMESPACE/NAME')
    .addOption(stateDir());
  if (isReason) command.requiredOption('--reason <text>', 'why; it is kept in the log');
  command.action(async (object, options) => {
    const key = objectKey(object);
    const requested = asks.requestOf(key.slice(0, key.indexOf('/')));
    if (requested === undefined) throw new UsageError(`${key}: ${name} is for ${asks.kinds.join(', ')}`);
    // Another token each time, whatever the date is.
    const token = isReason ? options.reason : sets === 'token' ? randomUUID() : sets;
    terminal.line(await request(options.stateDir, { do: 'request', key, name: requested, token }));
    ends(exitCode.fine);
  });
}

const end = (code: ExitCode): void => {
  process.exitCode = code;
};

/** Runs one command. Sets the exit code; never throws. */
export async function main(): Promise<void> {
  const terminal = new Terminal(process.stdout, process.stderr);
  try {
    await program({ terminal, process: thisProcess(), end }).parseAsync();
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
