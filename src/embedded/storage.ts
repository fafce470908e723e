// The disk of an embedded service has no room, is read-only or is not to be had: no bug, and over when there is room.
import { StorageError, messageOf } from '../core/errors.ts';
import type { Clock } from './clock.ts';

/** SQLite's: read-only, I/O error, full, can't open. Extended ones have one of these in their lowest byte. */
const results = new Set([8, 10, 13, 14]);
const errnos = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM', 'EIO', 'EFBIG']);

/** As it is told; any other error stays what it is. */
export function storageError(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isSQLite =
    'errcode' in error && typeof error.errcode === 'number' && results.has(error.errcode & 0xff);
  const isSystem = 'code' in error && typeof error.code === 'string' && errnos.has(error.code);
  if (!isSQLite && !isSystem) return error;
  return new StorageError(`${file}: can't be written: ${messageOf(error)}`, { cause: error });
}

const againMs = 1_000;

/** Whose timers do again what could not be stored: nobody else would hear of it. */
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

  /** Nothing is done again from now on. */
  stop(): void {
    this.#isStopped = true;
  }
}
