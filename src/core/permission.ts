// What a token has to be allowed for an object: `holdfast policy` writes the policies of both services from this.

/** A call that a kind makes in the course of a life without surprises. */
export interface Use {
  /** Name of the operation (src/api/routes.ts). */
  readonly op: string;
  /** Field of the reference to another connection than its own. */
  readonly via?: string;
  /** The scheduler's namespace, if it is another than the connection's. */
  readonly namespace?: string;
}

/** @param mayWrite whether the object is managed, not only observed */
export const usesOf = <Op extends string>(
  reads: readonly Op[],
  writes: readonly Op[],
  mayWrite: boolean,
): readonly Use[] => [...reads, ...(mayWrite ? writes : [])].map((op) => ({ op }));
