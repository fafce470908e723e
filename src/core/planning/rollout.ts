// Selects which items of a rollout start next, a limited number at a time. PURE.

export interface Wave {
  /** Items that have not ended, in order. */
  readonly all: readonly string[];
  readonly underWay: ReadonlySet<string>;
  readonly atOnce: number;
}

/** The items to start now. One in progress takes a place even if it is no longer in the list. */
export function takeNext({ all, underWay, atOnce }: Wave): readonly string[] {
  const places = Math.max(0, atOnce - underWay.size);
  return all.filter((one) => !underWay.has(one)).slice(0, places);
}
