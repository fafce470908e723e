// Writes one published Secret to disk in the layout of a Secret that Kubernetes mounts: keys are links through `..data`,
// which switches from one complete set of files to the next. outputs.ts decides which object owns a place.
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

/** Names the owner of a set; written before any value. */
export const markFile = '..holdfast';
const link = '..data';
/** The link's name before it is renamed. */
const linkDraft = '..link';
/** One set is written while the other one is read. */
const sets = ['..one', '..two'] as const;

/**
 * The size of the largest output: number of files, the mark included, and bytes. A trial may therefore refuse a smaller
 * output without need, but it never accepts one that doesn't fit.
 */
const trial = { files: 33, bytes: 128 * 1024 } as const;

function linkAt(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : '';
}

/** The set that readers see; if its link is missing or leads elsewhere, the set that exists. */
export function current(place: string): string | undefined {
  const target = linkAt(join(place, link));
  return sets.find((set) => set === target) ?? sets.find((set) => existsSync(join(place, set)));
}

/** Whether exactly these keys link to the current set: no other key, and no leftover of a killed write. */
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
 * Whether all that is left of a place is ours and names no owner. Whoever removes a place while it is written may leave links, and
 * sets without their mark. An empty folder may be somebody's.
 */
export function isRemains(place: string): boolean {
  const there = readdirSync(place);
  return there.length > 0 && there.every((name) => isRemnant(place, name));
}

function isRemnant(place: string, name: string): boolean {
  const path = join(place, name);
  if (lstatSync(path).isDirectory())
    return (
      sets.some((set) => set === name) &&
      readdirSync(path, { withFileTypes: true }).every((file) => file.isFile() && file.name !== markFile)
    );
  const target = linkAt(path);
  return target === join(link, name) || ((name === link || name === linkDraft) && target !== '');
}

/**
 * Writes the other set, then switches to it.
 * @param files in writing order
 * @param sending called right before the switch
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
  if (before !== undefined) rmSync(join(place, before), { recursive: true, force: true }); // may hold the old password
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
 * Uses as much of the disk as `move` would, and frees it again. Throws where `move` would.
 * @param sending called where `move` calls it
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

/** Fills the set that readers do not see. If that fails, removes it again as far as possible. */
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

/** Atomically replaces the entry of this name by a link. */
const relink = (place: string, name: string, target: string): void =>
  renameSync(draftLink(place, target), join(place, name));

function draftLink(place: string, target: string): string {
  const draft = join(place, linkDraft);
  rmSync(draft, { recursive: true, force: true });
  symlinkSync(target, draft);
  return draft;
}

/** Cleans up after a failure without hiding it. */
export function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // the next write or the next process's sweep cleans up
  }
}
