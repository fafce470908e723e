// Doing something to many, so many at a time: which of a list may be taken next.

export interface Wave {
  /** For which something is left to do, in the order in which they are taken. */
  readonly all: readonly string[];
  /** Begun, and not done yet. */
  readonly underWay: ReadonlySet<string>;
  /** How many may be under way at once. */
  readonly atOnce: number;
}

/** Those that may be begun now. Whatever is under way takes a place, whether or not it is still in the list. */
export function takeNext({ all, underWay, atOnce }: Wave): readonly string[] {
  const places = Math.max(0, atOnce - underWay.size);
  return all.filter((one) => !underWay.has(one)).slice(0, places);
}
