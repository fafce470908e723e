// Errors of an embedded service's disk (full, read-only, unreachable). They are not bugs, and may pass.
import { StorageError, messageOf } from '../core/errors.ts';
import type { Clock } from './clock.ts';

/** SQLite's codes for read-only, I/O error, full and can't open: each is the lowest byte of its extended codes. */
const results = new Set([8, 10, 13, 14]);
const errnos = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM', 'EIO', 'EFBIG']);

/** Turns a disk error into a StorageError, and returns any other error unchanged. */
export function storageError(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isSQLite =
    'errcode' in error && typeof error.errcode === 'number' && results.has(error.errcode & 0xff);
  const isSystem = 'code' in error && typeof error.code === 'string' && errnos.has(error.code);
  if (!isSQLite && !isSystem) return error;
  return new StorageError(`${file}: can't be written: ${messageOf(error)}`, { cause: error });
}

const againMs = 1_000;

/** Repeats a timer's callback until its result is stored, because nothing else would retry it. */
export class PatientClock implements Clock {
  readonly #clock: Clock;
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  after(delayMs: number, run: () => void): () => void {
    let cancel = this.#clock.after(delayMs, () => attempt());
    const attempt = () => {
      if (this.#isStopped) return;
      try {
        run();
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        cancel = this.#clock.after(againMs, attempt);
      }
    };
    return () => cancel();
  }

  stop(): void {
    this.#isStopped = true;
  }
}
