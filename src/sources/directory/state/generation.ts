// How far a state has come, in a small file beside it. By that the next process sees that the state was put back to an
// earlier one, that another was put in its place, or that it was brought here without what was written last.
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

export interface Generation {
  /** Of the state that it lies beside. Another one is drawn when a person has to be asked. */
  readonly id: string;
  /** Transactions that were made. May lag behind the state after a power cut, and never leads. */
  readonly commits: number;
  /** So many of them are in the state's file itself; those after may be in its log only. */
  readonly folded: number;
}

const digits = 16;
const shape = /^([0-9a-f]{16}) ([0-9]{16}) ([0-9]{16})\n$/;
/** The length is always the same: it is written over in place, so that it is never empty. */
const textOf = ({ id, commits, folded }: Generation): string =>
  `${id} ${String(commits).padStart(digits, '0')} ${String(folded).padStart(digits, '0')}\n`;

/** Where it lies: beside the state's file. */
export const generationOf = (file: string): string => `${file.replace(/\.sqlite$/, '')}.generation`;

/** @returns `undefined` where there is none that can be read. */
export function readGeneration(file: string): Generation | undefined {
  try {
    const [, id, commits, folded] = shape.exec(readFileSync(generationOf(file), 'latin1')) ?? [];
    return id === undefined ? undefined : { id, commits: Number(commits), folded: Number(folded) };
  } catch {
    return undefined;
  }
}

/** Writes it for good. @throws what the file system throws */
export function writeGeneration(file: string, generation: Generation): void {
  const descriptor = openSync(generationOf(file), 'w', 0o600);
  try {
    writeSync(descriptor, textOf(generation));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Written after each commit. That costs no wait for the disk: what is lost with the power only makes it lag. */
export class GenerationFile {
  readonly #descriptor: number;

  /** @throws what the file system throws */
  constructor(file: string) {
    this.#descriptor = openSync(generationOf(file), 'r+');
  }

  /** What was committed stands whether this goes well or not: the next one makes it good. */
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
