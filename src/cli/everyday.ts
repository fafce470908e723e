// Everyday failures that are not bugs, such as a port in use, a full disk or a missing directory, each with a remedy.
import { ApiError, StorageError, UsageError } from '../core/errors.ts';

const room = 'free space on its disk';
const writable = 'make it writable again, or use another directory';
const rights = 'check its owner and its mode';
const ports = 'a port below 1024 needs more rights';
const descriptors = 'raise the limit of open files (ulimit -n)';

/** Error code of the system, or of SQLite → remedy. */
const remedies: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ['EADDRINUSE', 'stop what listens there, or choose another port'],
  ['EADDRNOTAVAIL', 'choose an address of this machine, such as 127.0.0.1'],
  ['ENOSPC', room],
  ['EDQUOT', room],
  ['EFBIG', room],
  [13, room],
  ['EROFS', writable],
  [8, writable],
  ['EACCES', rights],
  ['EPERM', rights],
  ['EIO', 'check the disk, which may be broken'],
  ['EMFILE', descriptors],
  ['ENFILE', descriptors],
  ['ENOENT', 'check the path'],
  ['ENOTDIR', 'check the path: a file stands in the place of a directory'],
  ['EEXIST', 'check the path: a file stands in the place of a directory'],
]);

/** Of a port, too, EACCES says that rights are missing, but it has no owner and no mode. */
const isOfPort = (error: unknown): boolean =>
  error instanceof Error &&
  ('syscall' in error ? error.syscall === 'listen' || error.syscall === 'bind' : isOfPort(error.cause));

/** The first code of an error and its causes. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  // The low byte of SQLite's code is the primary code.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode % 256;
  return 'code' in error ? error.code : codeOf(error.cause);
}

/** Whether the error is invalid input or a failure of the system; any other error is a bug. */
export const isForeseen = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof StorageError ||
  (error instanceof ApiError && error.reason === 'StateUnavailable') ||
  (error instanceof Error && 'syscall' in error && remedies.has(codeOf(error)));

/** The error's message, with the remedy unless the message has it. */
export function withRemedy(error: Error): string {
  const known = remedies.get(codeOf(error));
  const remedy = known === rights && isOfPort(error) ? ports : known;
  const [first = ''] = remedy?.split(/[,:;]/) ?? [];
  return remedy === undefined || error.message.includes(first)
    ? error.message
    : `${error.message}: ${remedy}`;
}
