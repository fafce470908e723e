// What the declarations of commands share.
import type { Command } from 'commander';
import { UsageError } from '../../core/errors.ts';
import type { ClusterOptions } from '../../runtime/kubernetes/cluster.ts';
import type { Place, PlaceOptions } from '../../runtime/place.ts';
import type { ExitCode } from '../exit.ts';
import { clusterOptions, namespaceOption, placeOf, stateDir } from '../options.ts';
import type { Terminal } from '../output/terminal.ts';
import type { Process } from '../process.ts';

/** @param sample how it may be called */
export type Add = (name: string, description: string, sample: string) => Command;

export interface CommandContext {
  readonly terminal: Terminal;
  readonly process: Process;
  readonly end: (code: ExitCode) => void;
  /** kubectl has it as a plugin. */
  readonly isPlugin: boolean;
}

/** A command that works on objects wherever they are. */
export function onPlace(
  command: Command,
  { process, end, isPlugin }: CommandContext,
  act: (place: Place, words: readonly string[]) => Promise<ExitCode>,
): void {
  clusterOptions(isPlugin)(command.addOption(stateDir()).addOption(namespaceOption())).action(async () => {
    const { atPlace } = await import('../../runtime/place.ts');
    const place = placeOf(command.opts(), process.env);
    end(await atPlace(place, process.asking, (at) => act(at, command.args)));
  });
}

/** What a command is about that takes a directory or, without one, a cluster. @throws UsageError */
export function declaredIn(dir: string | undefined, place: PlaceOptions): string | ClusterOptions {
  if ('stateDir' in place) {
    if (dir !== undefined) return dir;
    throw new UsageError('expected a directory of manifests, or --source kubernetes for a cluster');
  }
  if (dir === undefined) return place;
  throw new UsageError(`${dir}: on a cluster, what is declared there counts; give no directory`);
}
