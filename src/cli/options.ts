// Options that several commands share, and their parsers.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { UsageError } from '../core/errors.ts';
import type { PlaceOptions } from '../runtime/place/place.ts';
import { logFormats, logLevels } from './log-options.ts';
import { parseListen } from './listen-address.ts';

const seconds = (text: string): number => whole(text, 1, 86_400);
export const port = (text: string): number => whole(text, 0, 65_535);

function whole(text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`);
}

function label(what: string): (text: string) => string {
  return (text) => {
    if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
    throw new InvalidArgumentError(`expected a ${what}: a-z, 0-9 and - inside, up to 63 characters`);
  };
}

export const namespaceName = label('namespace');
export const installationName = label('name');

/** Parser for an option that may be given several times. */
export const several = (name: string, before: readonly string[]): readonly string[] => [...before, name];

/** Parser for a mount that may be given several times. The services list mounts with a slash at the end. */
export const severalMounts = (path: string, before: readonly string[]): readonly string[] => {
  const mount = path.replaceAll(/^\/+|\/+$/g, '');
  if (mount === '') throw new InvalidArgumentError('expected a path, such as ldap');
  return several(mount, before);
};

/** For those whose fingers know kubectl. */
export const filename = () => new Option('-f, --filename <path>', 'the path, as kubectl takes it');

/** @throws UsageError if two are given */
export function onePath(
  path: string | undefined,
  { filename: named }: { readonly filename?: string },
): string | undefined {
  if (path !== undefined && named !== undefined)
    throw new UsageError(`${path}, -f ${named}: expected one path`);
  return path ?? named;
}

export const stateDir = () => new Option('--state-dir <dir>', 'directory of the state').default('.holdfast');
export const secretsDir = () =>
  new Option('--secrets-dir <dir>', 'secret values as files: <dir>/<namespace>/<name>/<key>');
export const outputDir = () =>
  new Option(
    '--output-dir <dir>',
    'directory for published Secrets (default: outputs in the state directory)',
  );
export const listenAt = () =>
  new Option(
    '--listen <host:port>',
    'address of the status page, health and metrics; port 0: any free port; off: none',
  )
    .argParser(parseListen)
    .default(parseListen('127.0.0.1:0'), '127.0.0.1:0');
export const output = (...choices: string[]) =>
  new Option('-o, --output <format>', 'output format').choices(choices).default('text');
export const logLevel = () =>
  new Option('--log-level <level>', 'least important lines of the log that are written')
    .choices(logLevels)
    .default('info');
export const logFormat = () =>
  new Option('--log-format <format>', 'JSON lines, or lines for people').choices(logFormats).default('json');
export const timeout = () =>
  new Option('--timeout <seconds>', 'how long to wait for everything to settle')
    .argParser(seconds)
    .default(60);
export const dialect = () =>
  new Option('--dialect <name>', 'names and behaviour of the services: as documented, or as Nomad and Vault')
    .choices(['cluster', 'nomad'])
    .default('cluster');
export const kubeconfig = () =>
  new Option(
    '--kubeconfig <file>',
    "kubeconfig (default: KUBECONFIG, the pod's service account, or ~/.kube/config)",
  );
export const kubeContext = () =>
  new Option('--context <name>', 'context of the kubeconfig (default: its current one)');

/** Options that select a cluster. A kubectl plugin always works on a cluster. */
export const clusterOptions =
  (isPlugin: boolean) =>
  (command: Command): Command =>
    command
      .optionsGroup(isPlugin ? 'The cluster:' : 'On a cluster, if one of these is given:')
      .addOption(
        new Option('--source <kubernetes>', 'the custom resources of a cluster, not the state of a directory')
          .choices(['kubernetes'])
          .default(isPlugin ? 'kubernetes' : undefined)
          .hideHelp(isPlugin),
      )
      .addOption(kubeconfig())
      .addOption(kubeContext());

const ofContext = 'default: that of the context, or `default`';
const namespaceHelp = {
  list: 'only this namespace (default: all)',
  object: `namespace of an object that is named without one (${ofContext})`,
  cluster: 'of a cluster, only what is declared in this namespace (default: all)',
  both: `only this namespace (default: all); an object that is named without one is in it (${ofContext})`,
} as const;

/** What a command looks at: a list, one object, either, or a whole directory, but perhaps a part of a cluster. */
export type NamespaceUse = keyof typeof namespaceHelp;

export const namespaceOption = (of: NamespaceUse = 'list') =>
  new Option('-n, --namespace <name>', namespaceHelp[of]).argParser(namespaceName);
export const allNamespaces = () =>
  new Option('-A, --all-namespaces', 'all namespaces, as without -n').conflicts('namespace');
export const selector = () =>
  new Option('-l, --selector <labels>', 'labels, such as team=shop,tier!=test or team in (shop,blog)');

export const clusterSelector = () =>
  new Option('-l, --selector <labels>', 'only objects with these labels, as for `run` (default: all)');

export interface KubeconfigOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface PlaceFlags extends KubeconfigOptions {
  readonly stateDir: string;
  readonly source?: string;
  readonly namespace?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

export const configOf = ({ kubeconfig: file, context }: KubeconfigOptions, env: Env) => ({
  env,
  ...(file !== undefined && { kubeconfig: file }),
  ...(context !== undefined && { context }),
});

export function placeOf(flags: PlaceFlags, env: Env): PlaceOptions {
  const { source, namespace, kubeconfig: file, context } = flags;
  if (source !== undefined || file !== undefined || context !== undefined)
    return { cluster: configOf(flags, env), ...(namespace !== undefined && { namespace }) };
  return { stateDir: flags.stateDir, ...(namespace !== undefined && { namespace }) };
}
