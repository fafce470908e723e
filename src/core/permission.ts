// The calls that a token must be allowed to make for an object. `holdfast policy` writes least-privilege policies for both
// services from them.

/** A call that a kind makes in normal operation. */
export interface Use {
  /** Name of the operation (src/api/routes.ts). */
  readonly op: string;
  /** Field of the reference to a connection other than the object's own. */
  readonly via?: string;
  /** The scheduler's namespace, if it differs from the connection's. */
  readonly namespace?: string;
}

/** @param mayWrite whether the object is managed, not only observed */
export const usesOf = <Op extends string>(
  reads: readonly Op[],
  writes: readonly Op[],
  mayWrite: boolean,
): readonly Use[] => [...reads, ...(mayWrite ? writes : [])].map((op) => ({ op }));
