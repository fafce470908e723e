// What is wanted of a key that waits, and which of two comes first by age. PURE.

export interface Waiting {
  readonly key: string;
  /** Higher starts first. */
  readonly priority: number;
  /** The key is delayed until then and ready from then on. Milliseconds on the queue's clock. */
  readonly readyMs: number;
  /** Order of arrival: decides between keys that became ready at the same time. */
  readonly order: number;
}

export const older = (a: Waiting, b: Waiting): boolean =>
  a.readyMs < b.readyMs || (a.readyMs === b.readyMs && a.order < b.order);

/** The earlier time and the higher priority of both requests. */
export function merge(a: Waiting | undefined, b: Waiting): Waiting {
  if (a === undefined) return b;
  const earliest = older(a, b) ? a : b;
  const priority = Math.max(a.priority, b.priority);
  return earliest.priority === priority ? earliest : { ...earliest, priority };
}
