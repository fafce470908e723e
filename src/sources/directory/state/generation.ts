// The progress of a state, in a small file beside it. It shows the next process that the state was replaced by an
// earlier or another one, or lacks its last writes.
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

export interface Generation {
  /** ID of the state beside it. A new one is drawn when a person has to be asked. */
  readonly id: string;
  /** Number of transactions. After a power cut it may lag behind the state, but it is never ahead. */
  readonly commits: number;
  /** How many of them are in the state's file itself; later ones may be in its log only. */
  readonly folded: number;
}

const digits = 16;
const shape = /^([0-9a-f]{16}) ([0-9]{16}) ([0-9]{16})\n$/;
/** Constant length: the file is overwritten in place, so it is never empty. */
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

/** Writes it durably. @throws the file system's errors */
export function writeGeneration(file: string, generation: Generation): void {
  const descriptor = openSync(generationOf(file), 'w', 0o600);
  try {
    writeSync(descriptor, textOf(generation));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Written after each commit, without waiting for the disk: a power cut only makes it lag. */
export class GenerationFile {
  readonly #descriptor: number;

  /** @throws the file system's errors */
  constructor(file: string) {
    this.#descriptor = openSync(generationOf(file), 'r+');
  }

  /** The commit stands even if this fails: the next write corrects it. */
  write(generation: Generation): void {
    try {
      writeSync(this.#descriptor, textOf(generation), 0);
    } catch {
      // it lags
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
