// The calls that a token must be allowed to make for an object. `holdfast policy` writes least-privilege policies for both
// services from them, and a connection asks the service for them before anything is tried.
import type { ExternalRef } from '../resource.ts';

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

/** A call that an object comes to, through its own connection. */
export interface UsedBy {
  readonly op: string;
  /** keyText */
  readonly object: string;
  /** What it is about: its parameters. */
  readonly ref: ExternalRef;
}

/** The objects of a connection, and what they come to. */
export interface Users {
  /** Another number means that something was declared since. */
  readonly revision: number;
  readonly count: number;
  /** Looks at each object. */
  readonly calls: () => readonly UsedBy[];
}

/** A capability that a token lacks. */
export interface Lacking {
  readonly path: string;
  readonly capability: string;
  /** keyText of the objects that need it, sorted. */
  readonly objects: readonly string[];
}

/** unknown: the service does not say. */
export type Rights =
  | { readonly is: 'known'; readonly lacking: readonly Lacking[]; readonly unasked: number }
  | { readonly is: 'unknown'; readonly message: string };
