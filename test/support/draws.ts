// What a test draws at random, told by a seed that it prints.
import { createHash } from 'node:crypto';

export class Draws {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** In [0, 1). */
  fraction(): number {
    const drawn = createHash('sha256').update(`${this.#seed}/${this.#drawn++}`);
    return drawn.digest().readUInt32BE() / 2 ** 32;
  }

  /** A whole number from 0 on. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  shuffled<T>(values: readonly T[]): readonly T[] {
    const keyed = values.map((value) => ({ value, at: this.fraction() }));
    return keyed.toSorted((a, b) => a.at - b.at).map(({ value }) => value);
  }
}
