// One published Secret on the disk, in the layout in which Kubernetes mounts one: keys are links through `..data`, which
// is moved from one whole set of files to the next. Nothing here asks whose a place is: outputs.ts does.
import {
  closeSync,
  existsSync,
  fsyncSync,
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

/** Says in each set whose it is; written before any value. */
export const markFile = '..holdfast';
const link = '..data';
/** A link on its way to its name. */
const linkDraft = '..link';
/** Two, so that one can be written while the other is read. */
const sets = ['..one', '..two'] as const;

/** What the largest output takes: files with its mark, and bytes. For a smaller one, a trial refuses early, never late. */
const trial = { files: 33, bytes: 128 * 1024 } as const;

/** What a link says; empty where there is none. */
function linkAt(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : '';
}

/** The set that is read now; where the link to it is gone or leads elsewhere, the one that stands. */
export function current(place: string): string | undefined {
  const target = linkAt(join(place, link));
  return sets.find((set) => set === target) ?? sets.find((set) => existsSync(join(place, set)));
}

/** Whether these keys lead to the set that is read, and nothing else is there: no key more, nothing that a killed write left. */
export function isLaidOut(place: string, keys: readonly string[]): boolean {
  const set = current(place);
  const there = readdirSync(place);
  const left = there.some((name) => name === linkDraft || sets.some((one) => one === name && one !== set));
  const named = there.filter((name) => !name.startsWith('..'));
  if (left || named.toSorted().join('/') !== keys.toSorted().join('/')) return false;
  if (linkAt(join(place, link)) !== set) return false;
  return keys.every((key) => linkAt(join(place, key)) === join(link, key));
}

/**
 * Writes the set that is not read, then has it read.
 * @param files in the order in which they are written
 * @param sending is called right before anybody sees the new one
 */
export function move(place: string, files: ReadonlyMap<string, string>, sending: () => void): void {
  const before = current(place);
  const next = unread(before);
  inSet(place, next, (set) => {
    for (const [name, text] of files)
      writeFileSync(join(set, name), text, { mode: 0o600, flush: true, flag: 'wx' });
    sync(set);
    sending();
    relink(place, link, next);
  });
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

/**
 * Takes as much of the disk as `move` will, where it will, and gives it back. Throws where `move` would.
 * @param sending is called where `move` calls it
 */
export function tryMove(place: string, sending: () => void): void {
  const next = unread(current(place));
  inSet(place, next, (set) => {
    for (let n = 1; n < trial.files; n++) writeFileSync(join(set, `${n}`), '', { mode: 0o600 });
    writeFileSync(join(set, 'trial'), Buffer.alloc(trial.bytes, 1), { mode: 0o600, flush: true });
    sync(set);
    sending();
    rmSync(draftLink(place, next));
  });
  rmSync(join(place, next), { recursive: true });
  sync(place);
}

export function sync(directory: string): void {
  const opened = openSync(directory, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

const unread = (read: string | undefined): (typeof sets)[number] => (read === sets[0] ? sets[1] : sets[0]);

/** Fills a set that nobody reads. What could not be filled whole is taken away again, as far as that can be done. */
function inSet(place: string, name: (typeof sets)[number], fill: (set: string) => void): void {
  const set = join(place, name);
  rmSync(set, { recursive: true, force: true });
  mkdirSync(set, { mode: 0o700 });
  try {
    fill(set);
  } catch (error) {
    if (linkAt(join(place, link)) !== name) quietly(() => rmSync(set, { recursive: true, force: true }));
    throw error;
  }
}

/** Puts a link in the place of whatever has its name, at once. */
const relink = (place: string, name: string, target: string): void =>
  renameSync(draftLink(place, target), join(place, name));

/** @returns its path */
function draftLink(place: string, target: string): string {
  const draft = join(place, linkDraft);
  rmSync(draft, { recursive: true, force: true });
  symlinkSync(target, draft);
  return draft;
}

/** Cleaning up after a failure: that failure is what is told. */
export function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // what is left is mended by the next write, or swept by the next process
  }
}
