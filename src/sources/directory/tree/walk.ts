// Finds the files of a tree in the order of their paths. It never leaves the tree, never loops, and reports everything
// that it can't read.
import type { BigIntStats, Dirent } from 'node:fs';
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { reasonOf } from './file.ts';

export interface FoundFile {
  /** Path relative to the tree, `/`-separated. */
  readonly origin: string;
  /** The real path, without symbolic links. */
  readonly path: string;
  readonly stat: BigIntStats;
}

export interface WalkOptions {
  /** Decides by the path in the tree whether a file counts. Other files are not opened. */
  readonly accepts: (origin: string) => boolean;
  /** Decides whether a hidden file counts all the same, if it can be read. Absent: none does. */
  readonly shows?: (origin: string) => boolean;
  readonly entriesMax: number;
  readonly report: (origin: string, trouble: string) => void;
  readonly entered?: (origin: string) => void;
  /** Called with each directory below the root that holds nothing at all. */
  readonly bare?: (origin: string) => void;
  /** Called with each file that does not count, or is hidden. */
  readonly skipped?: (origin: string) => void;
}

const depthMax = 32;

/** Under what Node makes of a name that is not UTF-8, nothing is there. */
const whyNot = (origin: string, error: unknown): string =>
  origin.includes('\uFFFD') ? 'its name is not UTF-8; rename it' : reasonOf(error);
const hidden = (name: string): boolean => name.startsWith('.');

interface Found {
  readonly origin: string;
  readonly path: string;
  readonly is: 'file' | 'directory';
}

/** The names that lead from a folder to a path, both real. @returns `undefined` if the path is not in the folder */
export function namesFrom(folder: string, path: string): readonly string[] | undefined {
  const names = relative(folder, path).split(sep);
  return names[0] === '..' ? undefined : names; // a name may begin with two dots
}

/**
 * Skips hidden directories, and hidden files unless `shows` lets them count. Follows symbolic links to files inside the
 * tree, and to hidden directories, which it would otherwise skip: Kubernetes lays out a mounted ConfigMap that way.
 */
export function* walk(root: string, options: WalkOptions): Generator<FoundFile> {
  let real: string;
  try {
    real = realpathSync(root);
  } catch (error) {
    options.report('.', `the directory can't be read: ${reasonOf(error)}`);
    return;
  }
  yield* new Walk(real, options).files('', real, 0);
}

class Walk {
  readonly #root: string;
  readonly #options: WalkOptions;
  readonly #linked = new Set<string>();
  #entries = 0;

  constructor(root: string, options: WalkOptions) {
    this.#root = root;
    this.#options = options;
  }

  *files(origin: string, path: string, depth: number): Generator<FoundFile> {
    for (const found of this.#list(origin, path)) {
      this.#entries += 1;
      if (this.#entries === this.#options.entriesMax + 1) {
        this.#options.report('.', `holds more than ${this.#options.entriesMax} files; the rest is not read`);
      }
      if (this.#entries > this.#options.entriesMax) return;
      if (found.is === 'file') {
        const file = this.#stat(found);
        if (file) yield file;
      } else if (depth === depthMax) {
        this.#options.report(
          found.origin,
          `is nested too deeply: at most ${depthMax} directories are entered`,
        );
      } else {
        this.#options.entered?.(found.origin);
        yield* this.files(found.origin, found.path, depth + 1);
      }
    }
  }

  #list(origin: string, path: string): readonly Found[] {
    const list: Found[] = [];
    try {
      const entries = readdirSync(path, { withFileTypes: true });
      if (entries.length === 0 && origin !== '') this.#options.bare?.(origin);
      for (const entry of entries) {
        const own = origin === '' ? entry.name : `${origin}/${entry.name}`;
        const found = this.#isHidden(entry, own)
          ? this.#skip(entry, own)
          : this.#classify(entry, own, join(path, entry.name));
        if (found) list.push(found);
      }
    } catch (error) {
      this.#options.report(origin || '.', `the directory can't be read: ${whyNot(origin, error)}`);
    }
    // A directory sorts like the files in it, so that the whole walk follows the order of paths.
    const rank = (f: Found): string => (f.is === 'file' ? f.origin : `${f.origin}/`);
    return list.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  }

  #isHidden(entry: Dirent, origin: string): boolean {
    return hidden(entry.name) && (entry.isDirectory() || this.#options.shows?.(origin) !== true);
  }

  #classify(entry: Dirent, origin: string, path: string): Found | undefined {
    if (entry.isSymbolicLink()) return this.#follow(origin, path);
    if (entry.isDirectory()) return { origin, path, is: 'directory' };
    return this.#options.accepts(origin) ? { origin, path, is: 'file' } : this.#skip(entry, origin);
  }

  #skip(entry: Dirent, origin: string): undefined {
    if (entry.isFile()) this.#options.skipped?.(origin);
  }

  #follow(origin: string, link: string): Found | undefined {
    const refuse = (why: string, isMeant = false): undefined => {
      this.#reportFile(origin, `symbolic link ${why}`, isMeant);
    };
    try {
      const path = realpathSync(link);
      const inside = namesFrom(this.#root, path);
      const directory = statSync(path).isDirectory();
      if (!directory && !this.#options.accepts(origin)) return undefined;
      if (!inside) return refuse('leads out of the tree and is not followed', !directory);
      if (!directory) return { origin, path, is: 'file' };
      if (!inside.some(hidden) || this.#linked.has(path)) {
        return refuse('leads to a directory that is read anyway, or around in a loop; it is not followed');
      }
      this.#linked.add(path);
      return { origin, path, is: 'directory' };
    } catch (error) {
      return refuse(`can't be followed: ${whyNot(origin, error)}`);
    }
  }

  #stat({ origin, path }: Found): FoundFile | undefined {
    try {
      return { origin, path, stat: lstatSync(path, { bigint: true }) };
    } catch (error) {
      this.#reportFile(origin, `can't be read: ${whyNot(origin, error)}`);
      return undefined;
    }
  }

  /**
   * Hidden files come and go beside others: locks of editors, files under way of a copy.
   * @param isMeant reports a hidden one, too: a link to a file is no lock, which leads nowhere
   */
  #reportFile(origin: string, trouble: string, isMeant = false): void {
    if (isMeant || !hidden(basename(origin))) this.#options.report(origin, trouble);
  }
}
