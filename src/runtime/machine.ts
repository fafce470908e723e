// What an operator uses of its machine: directories, their readers and watchers, the disk of its state, and sockets.
// Simulations replace it.
import { existsSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { DispatcherOf } from '../api/http/transport.ts';
import { UsageError, messageOf } from '../core/errors.ts';
import type { Boot } from '../sources/directory/state/boot.ts';
import type { IngestOptions } from '../sources/directory/ingest.ts';
import { isManifest, TreeReader } from '../sources/directory/tree/reader.ts';
import type { Storage } from '../sources/directory/state/storage.ts';
import type { State } from '../sources/directory/state/state.ts';
import { namesFrom } from '../sources/directory/tree/walk.ts';
import { watchTree } from '../sources/directory/tree/watch.ts';
import { systemClock } from './clock.ts';
import { declarations } from './kinds/lookup.ts';
import { program } from './program.ts';

/** Does not include time and randomness: those always come from the process. */
export interface Machine {
  readonly storage: Storage;
  readonly boot: Boot;
  /** @param previous the last valid spec, by keyText */
  readonly reader: (previous: (key: string) => unknown) => IngestOptions['reader'];
  readonly watch: IngestOptions['watch'];
  readonly dispatcherOf: DispatcherOf;
}

export interface Places {
  readonly stateDir: string;
  readonly secretsDir?: string;
  /** Directory of published Secrets. Default: `outputs` in the state directory. */
  readonly outputDir?: string;
  /** Absent: real sockets, files and threads. With a machine given, metrics are off. */
  readonly machine?: Machine;
  /** Called if the system does not report file changes; then the next scan finds them. */
  readonly onTrouble?: (message: string) => void;
}

/** Creates a directory with its parents. @param mode absent: for its owner alone @throws UsageError if that is impossible */
export function make(directory: string, mode = 0o700): void {
  try {
    makeIn(resolve(directory), mode);
  } catch (error) {
    throw new UsageError(`${directory} can't be made: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * As `make`, for a directory that holds passwords or tokens. In a repository, `git add --all` would commit them, so git is told to
 * leave out all of it. Nothing is put into a directory that is there already, which may hold other things.
 * @throws UsageError
 */
export function makeUntracked(directory: string): void {
  const wasThere = existsSync(directory);
  make(directory);
  if (!wasThere) put(join(directory, '.gitignore'), '*\n');
}

/** @param flag `wx`: only if there is none; then half a file is taken away @throws UsageError that names the file */
export function put(file: string, text: string, flag: 'w' | 'wx' = 'w'): void {
  try {
    writeFileSync(file, text, { flag });
  } catch (error) {
    const isAnothers = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (flag === 'wx' && !isAnothers) rmSync(file, { force: true });
    throw new UsageError(`${file} can't be written: ${messageOf(error)}`, { cause: error });
  }
}

/** The mode of a directory for everybody, as the umask has it. */
export const forAll = 0o777;

/** Creates one level at a time: Node's recursive mkdir never returns where the system answers ENOENT, as in /proc. */
function makeIn(path: string, mode: number): void {
  const isThere = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  if (path !== dirname(path)) makeIn(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isThere()) throw error; // else another process created it
  }
}

const manifests = 'expected a directory of manifests';

/** @throws UsageError unless the directory exists */
export function existing(directory: string, what: string): string {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory()) return directory;
  throw new UsageError(`${directory}: ${what}, ${found ? 'and this is a file' : 'and there is none'}`);
}

/** The real path of a directory, also of one that does not exist yet: then its nearest ancestor that does is followed. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (path === dirname(path)) throw error;
    return join(realPathOf(dirname(path)), basename(path));
  }
}

/** Where a directory is. What is among the manifests is read as one of them, and committed; what is hidden there is not read. */
function whereIs(directory: string, root: string): 'outside' | 'hidden' | 'among' {
  const inside = namesFrom(realpathSync(root), realPathOf(resolve(directory)));
  if (!inside) return 'outside';
  return inside.some((name) => name.startsWith('.')) ? 'hidden' : 'among';
}

/** Whether a file at this path would be in the tree of manifests, and not hidden there. */
export const isInside = (file: string, root: string): boolean => whereIs(file, root) === 'among';

/** Whether a file at this path would be among those that are read as manifests. */
export const isAmong = (file: string, root: string): boolean =>
  isManifest(basename(file)) && isInside(file, root);

const elsewhere = 'expected a directory outside of the manifests';

type OperatorDirectories = Pick<Places, 'outputDir' | 'secretsDir' | 'stateDir'>;

/** @throws UsageError for a directory of outputs inside the tree, unless the state is hidden there */
function outputDirOf({ outputDir, stateDir }: OperatorDirectories, root: string): string {
  const directory = resolve(outputDir ?? join(stateDir, 'outputs'));
  const where = whereIs(directory, root);
  if (where === 'outside') return directory;
  if (outputDir !== undefined) throw new UsageError(`--output-dir ${outputDir}: ${elsewhere}`);
  if (where === 'hidden') return directory;
  const expected = `${elsewhere}, or a hidden one, or --output-dir outside of them`;
  throw new UsageError(`--state-dir ${stateDir}: ${expected}; passwords are published in ${directory}`);
}

/** Judges directories before anything is made in them. @returns the directory of outputs. @throws UsageError */
export function judged(manifestsIn: string, places: OperatorDirectories): string {
  existing(manifestsIn, manifests);
  if (places.secretsDir !== undefined) existing(places.secretsDir, 'expected the directory of Secrets');
  return outputDirOf(places, manifestsIn);
}

/** As `judged`, for a state directory in which the embedded services keep a token and files of their own. @throws UsageError */
export function judgedForEmbedded(manifestsIn: string, places: OperatorDirectories): void {
  const { stateDir } = places;
  existing(manifestsIn, manifests);
  if (whereIs(stateDir, manifestsIn) === 'among')
    throw new UsageError(
      `--state-dir ${stateDir}: ${elsewhere}, or a hidden one; the embedded services keep their token there`,
    );
  judged(manifestsIn, places);
}

/** Reads and watches the tree of manifests, and the directory of Secrets, if there is one. */
export function treeAccess(
  { machine, secretsDir, watch, onTrouble }: Places & { readonly watch: boolean },
  root: string,
  state: Pick<State, 'rows' | 'takeReadings'>,
): Pick<IngestOptions, 'reader' | 'watch'> {
  const previous = (key: string): unknown => state.rows.get(key)?.object.spec;
  if (machine) return { reader: machine.reader(previous), watch: machine.watch };
  const secrets = secretsDir !== undefined && { secretsDir };
  const told = watch ? onTrouble : undefined;
  const { rows } = state;
  const kept = program !== undefined && { readings: { program, rows, stored: state.takeReadings() } };
  return {
    reader: new TreeReader({ root, declarations, previous, ...secrets, ...kept }),
    watch: (onChange) => watchBoth(root, secretsDir, onChange, told),
  };
}

function watchBoth(
  root: string,
  secretsDir: string | undefined,
  onChange: () => void,
  onTrouble: ((message: string) => void) | undefined,
): { close(): void } {
  const trees = [watchTree(root, onChange, systemClock, { onTrouble })];
  if (secretsDir !== undefined)
    trees.push(watchTree(secretsDir, onChange, systemClock, { onTrouble, hiddenToo: true }));
  return {
    close() {
      for (const tree of trees) tree.close();
    },
  };
}
