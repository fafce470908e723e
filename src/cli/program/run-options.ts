// Which options of `run` have a meaning with which source. One that has none is refused: to ignore `-n` would reconcile what
// nobody asked for.
import type { Command, Option } from 'commander';
import { UsageError } from '../../core/errors.ts';

/** The heading of the options that only a cluster has. */
export const ofCluster = 'With --source kubernetes:';

const whole = 'run reconciles all that the directory declares; give it a directory that holds only the part';
const connections = 'the connections that a directory declares say where the services are';
const locked = 'the state directory is locked, so that two processes never act on it';
const once = '`holdfast apply` has it, which reconciles a directory once';

/** What to do instead, by the name of the option. */
const withDirectory: Readonly<Record<string, string>> = {
  namespace: whole,
  selector: whole,
  kubeconfig: connections,
  context: connections,
  leaseName: locked,
  leaseNamespace: locked,
  lease: locked,
  once: '`holdfast apply` does that for a directory',
  output: once,
  timeout: once,
};

const withCluster: Readonly<Record<string, string>> = {
  secretsDir: 'on a cluster, values come from its Secrets',
  outputDir: 'on a cluster, outputs become Secrets of the cluster',
};

/** @throws UsageError for an option that the source ignores, and for a directory where kubectl runs the program */
export function checkRunOptions(command: Command, source: string, isPlugin: boolean): void {
  const isCluster = source === 'kubernetes';
  if (isPlugin && !isCluster)
    throw new UsageError(
      `--source ${source}: kubectl holdfast is about the cluster, --source kubernetes; \`holdfast run\` takes a directory`,
    );
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') continue;
    if (!isCluster && option.helpGroupHeading === ofCluster)
      throw new UsageError(
        `${flagOf(option)}: only with --source kubernetes; ${withDirectory[name] ?? once}`,
      );
    const instead = withCluster[name];
    if (isCluster && instead !== undefined)
      throw new UsageError(`${flagOf(option)}: only with a directory; ${instead}`);
  }
}

const flagOf = ({ short, long }: Option): string => [short, long].filter(Boolean).join(', ');

/** The hint below the error that `--source` is missing: what works instead, or why the argument can't be the source. */
export function sourceHint(text: string, command: Command, isPlugin: boolean): string {
  const [argument = isPlugin ? 'kubernetes' : undefined] = command.args;
  if (!text.includes("'--source ") || argument === undefined || argument.startsWith('-')) return text;
  try {
    checkRunOptions(command, argument, isPlugin);
    return `${text}(did you mean --source ${argument}?)\n`;
  } catch (error) {
    if (error instanceof UsageError) return `${text}(${error.message})\n`;
    throw error;
  }
}
