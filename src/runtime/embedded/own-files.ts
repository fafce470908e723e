// Reads and writes files and folders of this user. Its checks ensure that no other user could have created or changed
// them or, where that matters, could read them.
import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError, messageOf } from '../../core/errors.ts';

const others = { write: 0o022, all: 0o077 } as const;
/** In bytes. The lowest limit of systems with Unix sockets is 104. */
const pathBytesMax = 100;

/**
 * @param kept what other users must not be able to do: write, or anything at all
 * @returns `undefined` if the file does not exist
 * @throws UsageError if other users have such access, or the file can't be read
 */
export function ownText(file: string, kept: keyof typeof others): string | undefined {
  const descriptor = opened(file);
  if (descriptor === undefined) return undefined;
  try {
    checkOwn(file, fstatSync(descriptor), kept);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new UsageError(`${file}: can't be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Writes atomically, readable for this user only. @throws UsageError */
export function writeOwn(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    rmSync(draft, { force: true }); // in a shared folder it may be a link or another user's file, which would be written to
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new UsageError(`${file}: can't be written: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Creates a folder for sockets: in the directory, or among the temporary files if the path would be too long.
 * @throws UsageError if another user could have created it
 */
export function socketFolder(directory: string, longestName: string): string {
  const real = realpathSync(directory);
  const inside = join(real, 'sockets');
  const fits = Buffer.byteLength(join(inside, longestName)) <= pathBytesMax;
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16);
  const folder = fits ? inside : join(tmpdir(), `holdfast-${process.getuid?.() ?? 0}-${hash}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkFolder(folder);
  return folder;
}

/** @throws UsageError if another user could have created the folder, or may enter it */
export function checkFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) throw new UsageError(`${folder}: expected a folder`);
  checkOwn(folder, found, 'all');
}

function checkOwn(path: string, { uid, mode }: Stats, kept: keyof typeof others): void {
  const user = process.getuid?.();
  if (user === undefined) return; // a system without such permissions
  if (uid !== user)
    throw new UsageError(`${path}: expected to belong to user ${user}, belongs to user ${uid}`);
  if ((mode & others[kept]) === 0) return;
  const found = (mode & 0o777).toString(8).padStart(4, '0');
  throw new UsageError(
    `${path}: others may ${kept === 'all' ? 'access' : 'write'} it (mode ${found}): remove it, and it will be made again`,
  );
}
