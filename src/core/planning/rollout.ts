// Which of many may be processed next, so many at a time.

export interface Wave {
  /** Those that are left, in their order. */
  readonly all: readonly string[];
  readonly underWay: ReadonlySet<string>;
  readonly atOnce: number;
}

/** Those that may be begun now. One that is under way takes a place, whether or not it is still in the list. */
export function takeNext({ all, underWay, atOnce }: Wave): readonly string[] {
  const places = Math.max(0, atOnce - underWay.size);
  return all.filter((one) => !underWay.has(one)).slice(0, places);
}
