// Faults of every day are no bugs: a taken port, a full disk, a directory that is missing. One line says what to do.
import { ApiError, StorageError, UsageError } from '../core/errors.ts';

const room = 'free space on its disk';
const writable = 'make it writable again, or use another directory';
const descriptors = 'raise the limit of open files (ulimit -n)';

/** By the code of the system, or of SQLite. */
const remedies: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ['EADDRINUSE', 'stop what listens there, or choose another port'],
  ['EADDRNOTAVAIL', 'choose an address of this machine, such as 127.0.0.1'],
  ['ENOSPC', room],
  ['EDQUOT', room],
  ['EFBIG', room],
  [13, room],
  ['EROFS', writable],
  [8, writable],
  ['EACCES', 'check its owner and its mode; a port below 1024 needs more rights'],
  ['EPERM', 'check its owner and its mode'],
  ['EIO', 'check the disk, which may be broken'],
  ['EMFILE', descriptors],
  ['ENFILE', descriptors],
  ['ENOENT', 'check the path'],
  ['ENOTDIR', 'check the path: a file stands in the place of a directory'],
  ['EEXIST', 'check the path: a file stands in the place of a directory'],
]);

/** The first code among an error and its causes. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode % 256; // the rest says where
  return 'code' in error ? error.code : codeOf(error.cause);
}

/** Wrong input, or a fault of the system; anything else is a bug. */
export const isForeseen = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof StorageError ||
  (error instanceof ApiError && error.reason === 'StateUnavailable') ||
  (error instanceof Error && 'syscall' in error && remedies.has(codeOf(error)));

/** Its message, with the remedy unless it has one. */
export function withRemedy(error: Error): string {
  const remedy = remedies.get(codeOf(error));
  const [first = ''] = remedy?.split(/[,:;]/) ?? [];
  return remedy === undefined || error.message.includes(first)
    ? error.message
    : `${error.message}: ${remedy}`;
}
