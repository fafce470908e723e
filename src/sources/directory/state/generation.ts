// Keeps the progress of a state in a small file beside it. By it, the next process detects that the state was replaced by
// another or an earlier one, or lacks its last writes.
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

export interface Generation {
  /** ID of the state. A new ID is drawn when the state becomes distrusted. */
  readonly id: string;
  /** Number of commits. After a power failure it may be behind the state, but never ahead. */
  readonly commits: number;
  /** How many of the commits are in the state's file itself; later ones may be in its log only. */
  readonly folded: number;
}

const digits = 16;
const shape = /^([0-9a-f]{16}) ([0-9]{16}) ([0-9]{16})\n$/;
/** Of constant length: the file is overwritten in place and therefore never empty. */
const textOf = ({ id, commits, folded }: Generation): string =>
  `${id} ${String(commits).padStart(digits, '0')} ${String(folded).padStart(digits, '0')}\n`;

export const generationOf = (file: string): string => `${file.replace(/\.sqlite$/, '')}.generation`;

/** @returns `undefined` if it does not exist or can't be read */
export function readGeneration(file: string): Generation | undefined {
  try {
    const [, id, commits, folded] = shape.exec(readFileSync(generationOf(file), 'latin1')) ?? [];
    return id === undefined ? undefined : { id, commits: Number(commits), folded: Number(folded) };
  } catch {
    return undefined;
  }
}

/** Writes the file durably. @throws the file system's errors */
export function writeGeneration(file: string, generation: Generation): void {
  const descriptor = openSync(generationOf(file), 'w', 0o600);
  try {
    writeSync(descriptor, textOf(generation));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The open file. It is written after each commit without waiting for the disk: a power failure only makes it lag. */
export class GenerationFile {
  readonly #descriptor: number;

  /** @throws the file system's errors */
  constructor(file: string) {
    this.#descriptor = openSync(generationOf(file), 'r+');
  }

  /** Never throws: the commit stands without it, and the next write corrects the file. */
  write(generation: Generation): void {
    try {
      writeSync(this.#descriptor, textOf(generation), 0);
    } catch {
      // the file lags until the next write
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
