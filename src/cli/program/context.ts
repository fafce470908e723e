// Shared by the modules that declare commands.
import type { Command } from 'commander';
import { UsageError } from '../../core/errors.ts';
import { parseSelector } from '../../core/text/selector.ts';
import type { ClusterOptions } from '../../runtime/kubernetes/cluster.ts';
import type { Place, PlaceOptions } from '../../runtime/place/place.ts';
import type { ExitCode } from '../exit.ts';
import { clusterOptions, namespaceOption, placeOf, stateDir, type NamespaceUse } from '../options.ts';
import type { Terminal } from '../output/terminal.ts';
import type { Process } from '../process.ts';

/** @param sample arguments of an example call */
export type Add = (name: string, description: string, sample: string) => Command;

export interface CommandContext {
  readonly terminal: Terminal;
  readonly process: Process;
  readonly end: (code: ExitCode) => void;
  /** Whether kubectl runs the program, as a plugin. */
  readonly isPlugin: boolean;
}

/** What `-n` is for, by the argument of the command. Otherwise it is for a list. */
const namespaceUses: Readonly<Record<string, NamespaceUse>> = { object: 'object', what: 'both' };

/** Completes a command that works on the objects of a state directory or a cluster. */
export function onPlace(
  command: Command,
  { process, end, isPlugin }: CommandContext,
  act: (place: Place, words: readonly string[]) => Promise<ExitCode>,
): void {
  const taken = command.registeredArguments[0]?.name() ?? '';
  command.addOption(stateDir());
  // An approval holds for all that its digest covers, in whatever namespace.
  if (taken !== 'digest') command.addOption(namespaceOption(namespaceUses[taken]));
  clusterOptions(isPlugin)(command).action(async () => {
    const { atPlace } = await import('../../runtime/place/place.ts');
    const place = placeOf(command.opts(), process.env);
    end(await atPlace(place, process.asking, (at) => act(at, command.args)));
  });
}

/**
 * The directory or the cluster that a command works on as a whole.
 * @throws UsageError unless exactly one is given, and for `-n` with a directory, of which everything is looked at
 */
export function wholeIn(dir: string | undefined, place: PlaceOptions): string | ClusterOptions {
  const declared = declaredIn(dir, place);
  if (typeof declared === 'string' && place.namespace !== undefined)
    throw new UsageError(`-n, --namespace: only on a cluster; ${declared} is looked at as a whole`);
  return declared;
}

/** The directory or the cluster that a command works on. @throws UsageError unless exactly one is given */
export function declaredIn(dir: string | undefined, place: PlaceOptions): string | ClusterOptions {
  if ('stateDir' in place) {
    if (dir !== undefined) return dir;
    throw new UsageError(
      'expected a directory of manifests, such as `.` for this one, or --source kubernetes for a cluster',
    );
  }
  if (dir === undefined) return place;
  throw new UsageError(`${dir}: on a cluster, what is declared there counts; give no directory`);
}

/** Chooses by label as the operator of the cluster does. @throws UsageError for a directory, and for labels that can't be read */
export function choosing(
  declared: string | ClusterOptions,
  { selector }: { readonly selector?: string },
): string | ClusterOptions {
  if (selector === undefined) return declared;
  if (typeof declared === 'string') throw new UsageError('-l, --selector: only on a cluster');
  parseSelector(selector);
  return { ...declared, selector };
}

export const missingPath = (command: string): UsageError =>
  new UsageError(`expected a directory of manifests: \`holdfast ${command} .\` takes this one`);
