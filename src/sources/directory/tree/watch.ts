// Reports that a tree may have changed. The reports are hints: a scan every 30 seconds finds changes that they miss, such
// as on network file systems, beyond a watch limit, or behind links to files that change in place.
import { watch, type FSWatcher } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Clock } from '../../../core/time/clock.ts';

/** A burst of events, such as a checkout's, is reported once; a longer one repeatedly. */
const settleMs = 50;
const rescanMs = 30_000;

/**
 * Calls `onChange` after every change, and every 30 s without one. A reader that starts at each call ends up with the
 * current content.
 */
export function watchTree(
  root: string,
  onChange: () => void,
  clock: Pick<Clock, 'setTimer'>,
  { onTrouble = () => {}, hiddenToo = false }: WatchOptions = {},
): { close(): void } {
  const tree = new TreeWatch(resolve(root), { onChange, clock, onTrouble, hiddenToo });
  tree.start();
  return tree;
}

export interface WatchOptions {
  /** Called once if the system can't watch the whole tree. */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /** The reader takes hidden files, too. Default: it takes none. */
  readonly hiddenToo?: boolean;
}

interface Listeners extends Required<WatchOptions> {
  readonly onTrouble: (message: string) => void;
  readonly onChange: () => void;
  readonly clock: Pick<Clock, 'setTimer'>;
}

/**
 * Uses one watch per directory. On Linux, Node's recursive watch uses one per file: for 10,000 files it blocks the event
 * loop for 0.3 s and takes a sixth of the usual limit. New directories are watched before `onChange` is called.
 */
class TreeWatch {
  readonly #root: string;
  readonly #listeners: Listeners;
  readonly #watchers = new Map<string, FSWatcher>();
  #parent: FSWatcher | undefined;
  /** Directories with events since they were last read. */
  readonly #touched = new Set<string>();
  #whole = true;
  #cancelSettle: (() => void) | undefined;
  #cancelRescan = (): void => {};
  #closed = false;
  #troubled = false;

  constructor(root: string, listeners: Listeners) {
    this.#root = root;
    this.#listeners = listeners;
  }

  start(): void {
    // The tree itself may be a link that is swapped, or a directory that does not exist yet.
    this.#parent = this.#open(dirname(this.#root), (name) => {
      if (name !== null && name !== basename(this.#root)) return;
      this.#drop();
      this.#lookAgain();
    });
    this.#settleSoon();
    this.#armRescan();
  }

  close(): void {
    this.#closed = true;
    this.#cancelSettle?.();
    this.#cancelRescan();
    this.#parent?.close();
    this.#drop();
  }

  #armRescan(): void {
    this.#cancelRescan = this.#listeners.clock.setTimer(rescanMs, () => {
      this.#lookAgain();
      this.#armRescan();
    });
  }

  #lookAgain(): void {
    this.#whole = true;
    this.#settleSoon();
  }

  #settleSoon(): void {
    this.#cancelSettle ??= this.#listeners.clock.setTimer(settleMs, () => void this.#settle());
  }

  async #settle(): Promise<void> {
    this.#cancelSettle = undefined;
    const [whole, touched] = [this.#whole, [...this.#touched]];
    this.#whole = false;
    this.#touched.clear();
    if (whole) await this.#coverTree();
    else for (const directory of touched) await this.#cover(directory, false);
    if (!this.#closed) this.#listeners.onChange();
  }

  async #coverTree(): Promise<void> {
    const real = await realpath(this.#root).catch(() => undefined);
    if (real !== undefined) await this.#cover(real, true);
  }

  /** Watches a directory and those below it. @param again also reads directories that are already watched */
  async #cover(directory: string, again: boolean): Promise<void> {
    if (!this.#watchers.has(directory)) {
      const watcher = this.#open(directory, (name, event) => this.#happened(directory, name, event));
      if (watcher === undefined) return;
      this.#watchers.set(directory, watcher);
    }
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(directory, entry.name);
      const counts = entry.isDirectory() && !entry.name.startsWith('.');
      if (counts && (again || !this.#watchers.has(path))) await this.#cover(path, again);
    }
  }

  #open(directory: string, listen: (name: string | null, event: string) => void): FSWatcher | undefined {
    if (this.#closed) return undefined;
    try {
      const watcher = watch(directory, (event, name) => listen(name, event));
      watcher.on('error', () => this.#drop(directory));
      return watcher;
    } catch (error) {
      this.#unwatched(error);
      return undefined;
    }
  }

  #unwatched(error: unknown): void {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (this.#troubled || code === 'ENOENT' || code === 'ENOTDIR') return;
    this.#troubled = true;
    const hint = code === 'ENOSPC' ? ': fs.inotify.max_user_watches is too low' : '';
    this.#listeners.onTrouble(
      `the tree can't be watched as a whole (${code}${hint}); changes are noticed within ${rescanMs / 1000} s`,
    );
  }

  #happened(directory: string, name: string | null, event: string): void {
    // Kubernetes swaps `..data`. Other hidden files belong to editors, unless they are read.
    if (!this.#listeners.hiddenToo && name?.startsWith('.') && !name.startsWith('..')) return;
    const path = name === null ? directory : join(directory, name);
    if (event === 'rename' && this.#watchers.has(path)) this.#drop(path);
    this.#touched.add(directory);
    this.#settleSoon();
  }

  /** Closes the watches of a directory that was removed or replaced, and of all below it; without one, all watches. */
  #drop(directory?: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (directory !== undefined && path !== directory && !path.startsWith(`${directory}${sep}`)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }
}
