// Published Secrets as files: `<directory>/<namespace>/<name>/<key>`, in the layout in which Kubernetes mounts a Secret:
// keys are links through `..data`, which is moved from one whole set of files to the next. Whoever reads a key sees the
// old value or the new one. What this object did not write is never touched.
import {
  closeSync,
  existsSync,
  fsyncSync,
  globSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { EffectGate } from '../../api/effect.ts';
import { ApiError } from '../../core/errors.ts';
import type { Output, Published } from '../../core/output.ts';
import type { Key } from '../../core/resource.ts';
import { keyText } from '../../core/resource.ts';
import { reveal, Secret } from '../../core/secret.ts';
import { readBounded, reasonOf } from './file.ts';
import type { VersionOf } from './identity.ts';
import { isRecord, isTexts, parseJson } from './json.ts';

export interface OutputsOptions {
  /** Exists, and belongs to nobody else. */
  readonly directory: string;
  readonly gate: Pick<EffectGate, 'runSync'>;
  /** Tells without the value whether a file is as it was written. */
  readonly versionOf: VersionOf;
}

/** Says whose the files are, and in which state they were written; no value is in it. */
interface Mark {
  readonly object: string;
  readonly uid: string;
  readonly revision: string;
  /** Key → version of its value. */
  readonly entries: Readonly<Record<string, string>>;
}

/** The object that publishes. */
export interface Publisher {
  readonly key: Key;
  readonly uid: string;
}

const markFile = '..holdfast';
const link = '..data';
/** Two, so that one can be written while the other is read. */
const sets = ['..one', '..two'] as const;
const bytesMax = 2 ** 20;

export class Outputs {
  readonly #options: OutputsOptions;

  constructor(options: OutputsOptions) {
    this.#options = options;
  }

  /**
   * Takes away what a process left behind that was killed while it wrote or withdrew: it may hold a password. What can't
   * be read or removed is left: publishing there will say why.
   */
  sweep(): void {
    const { directory, gate } = this.#options;
    const left = globSync('*/..?*', { cwd: directory });
    if (left.length === 0) return;
    gate.runSync({ port: 'output', op: 'output.sweep', mutates: 'repeatable' }, () => {
      for (const draft of left) {
        try {
          rmSync(join(directory, draft), { recursive: true, force: true });
        } catch {
          // told of when something is published there
        }
      }
    });
  }

  /** @throws ApiError `OutputUnusable` where the file system refuses */
  published({ key, uid }: Publisher, name: string): Published {
    return explained(key, name, () => {
      const place = this.#placeOf(key, name);
      const found = lstatSync(place, { throwIfNoEntry: false });
      if (!found) return { is: 'absent' };
      const mark = found.isDirectory() ? this.#markIn(place) : undefined;
      if (!mark) return { is: 'foreign', owner: 'somebody else' };
      if (mark.uid !== uid) return { is: 'foreign', owner: mark.object };
      return { is: 'ours', revision: mark.revision, whole: this.#isWhole(place, key, name, mark) };
    });
  }

  /** @throws ApiError `OutputTaken` where somebody else's stands, `OutputUnusable` */
  publish(publisher: Publisher, output: Output): void {
    const { key, uid } = publisher;
    this.#run('output.write', key, output.name, (sending) => {
      const before = this.published(publisher, output.name);
      if (before.is === 'foreign') {
        const message = `output ${key.namespace}/${output.name} belongs to ${before.owner}`;
        throw new ApiError('waiting', 'OutputTaken', message);
      }
      const values = Object.entries(output.entries).map(
        ([entry, parts]) =>
          [entry, parts.map((part) => (part instanceof Secret ? reveal(part) : part)).join('')] as const,
      );
      const versions = values.map(
        ([entry, value]) =>
          [entry, this.#options.versionOf(key.namespace, output.name, entry, value)] as const,
      );
      const mark = { object: keyText(key), uid, revision: output.revision };
      const files = new Map(values).set(
        markFile,
        JSON.stringify({ ...mark, entries: Object.fromEntries(versions) }),
      );
      if (before.is === 'absent') this.#begin(key, output.name, files, sending);
      else move(this.#placeOf(key, output.name), files, sending);
    });
  }

  /** What is not there, or not this object's, stays as it is. @throws ApiError */
  withdraw(publisher: Publisher, name: string): void {
    const { key } = publisher;
    const isOurs = this.published(publisher, name).is === 'ours';
    const draft = this.#draftOf(key, name);
    if (!isOurs && !existsSync(draft)) return;
    this.#run('output.delete', key, name, (sending) => {
      // It goes as a whole: files without their mark would be nobody's.
      if (isOurs) {
        rmSync(draft, { recursive: true, force: true });
        renameSync(this.#placeOf(key, name), draft);
      }
      sending();
      rmSync(draft, { recursive: true, force: true });
    });
  }

  /** The first set appears whole under its name, so that a place without a mark is never ours. */
  #begin(key: Key, name: string, files: ReadonlyMap<string, string>, sending: () => void): void {
    const space = join(this.#options.directory, key.namespace);
    mkdirSync(space, { recursive: true, mode: 0o700 });
    if (!lstatSync(space).isDirectory()) throw new Error(`${space} is not a directory`);
    const draft = this.#draftOf(key, name);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    move(draft, files, sending);
    renameSync(draft, join(space, name));
    sync(space);
  }

  #placeOf = (key: Key, name: string): string => join(this.#options.directory, key.namespace, name);

  /** Where it is on its way in or out: never a place of an output, whose name begins otherwise. */
  #draftOf = (key: Key, name: string): string => this.#placeOf(key, `..${name}`);

  #markIn(place: string): Mark | undefined {
    const file = readBounded(join(place, current(place) ?? '', markFile), bytesMax);
    if ('trouble' in file) return undefined;
    const mark = parseJson(file.bytes.toString());
    return isMark(mark) ? mark : undefined;
  }

  #isWhole(place: string, { namespace }: Key, name: string, { entries }: Mark): boolean {
    const keys = Object.keys(entries);
    const there = readdirSync(place).filter((entry) => !entry.startsWith('..'));
    if (there.toSorted().join('/') !== keys.toSorted().join('/')) return false;
    if (linkAt(join(place, link)) !== current(place)) return false;
    return keys.every((entry) => {
      if (linkAt(join(place, entry)) !== join(link, entry)) return false;
      const file = readBounded(join(place, link, entry), bytesMax);
      if ('trouble' in file) return false;
      return this.#options.versionOf(namespace, name, entry, file.bytes.toString()) === entries[entry];
    });
  }

  #run(
    op: 'output.write' | 'output.delete',
    key: Key,
    name: string,
    act: (sending: () => void) => void,
  ): void {
    const info = { port: 'output', op, mutates: 'repeatable', key: keyText(key) } as const;
    this.#options.gate.runSync(info, (sending) => explained(key, name, () => act(sending)));
  }
}

function explained<T>(key: Key, name: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const message = `output ${key.namespace}/${name} can't be used: ${reasonOf(error)}`;
    throw new ApiError('unavailable', 'OutputUnusable', message, { cause: error });
  }
}

const isMark = (value: unknown): value is Mark =>
  isRecord(value) &&
  ['object', 'uid', 'revision'].every((field) => typeof value[field] === 'string') &&
  isTexts(value['entries']);

/** What a link says; empty where there is none. */
function linkAt(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : '';
}

/** The set that is read now; where the link to it is gone or leads elsewhere, the one that stands. */
function current(place: string): string | undefined {
  const target = linkAt(join(place, link));
  return sets.find((set) => set === target) ?? sets.find((set) => existsSync(join(place, set)));
}

/** Writes the set that is not read, then has it read. @param sending is called right before anybody sees the new one */
function move(place: string, files: ReadonlyMap<string, string>, sending: () => void): void {
  const before = current(place);
  const next = before === sets[0] ? sets[1] : sets[0];
  const set = join(place, next);
  rmSync(set, { recursive: true, force: true });
  mkdirSync(set, { mode: 0o700 });
  for (const [name, text] of files) writeFileSync(join(set, name), text, { mode: 0o600, flush: true });
  sync(set);
  sending();
  relink(place, link, next);
  if (before !== undefined) rmSync(join(place, before), { recursive: true, force: true }); // the old password
  const keys = new Set([...files.keys()].filter((name) => name !== markFile));
  for (const key of keys) {
    if (linkAt(join(place, key)) !== join(link, key)) relink(place, key, join(link, key));
  }
  for (const entry of readdirSync(place)) {
    if (!entry.startsWith('..') && !keys.has(entry)) unlinkSync(join(place, entry));
  }
  sync(place);
}

/** Puts a link in the place of whatever has its name, at once. */
function relink(place: string, name: string, target: string): void {
  const draft = join(place, '..link');
  rmSync(draft, { recursive: true, force: true });
  symlinkSync(target, draft);
  renameSync(draft, join(place, name));
}

function sync(directory: string): void {
  const opened = openSync(directory, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
