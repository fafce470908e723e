// What the state keeps of a file (readings.ts).

/** The reading of one file. */
export interface StoredReading {
  /** SHA-256 of the bytes of the file. */
  readonly digest: string;
  /** The program that read it. Another one may read the same bytes in another way. */
  readonly program: string;
  /** JSON: key, hash, line and column of each object, in the order of the file. */
  readonly objects: string;
  /** SHA-256 of all the above and the origin. A damaged record could hide an object, which would then be deleted. */
  readonly sum: string;
}

/** The changes of the stored readings, by origin. */
export interface ReadingChanges {
  readonly program: string;
  readonly learnt: ReadonlyMap<string, StoredReading>;
  readonly dropped: readonly string[];
}
