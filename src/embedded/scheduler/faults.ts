// What may be wrong with a cluster (services.md#scheduler-errors).

export const leaders = ['elected', 'unready', 'none'] as const;

export interface Faults {
  /** unready: just elected, and not yet sure of its state. */
  readonly leader: (typeof leaders)[number];
  /** How far stale reads are behind. */
  readonly lastContactMs: number;
  /** Errors start with `rpc error: `, as from another server. */
  readonly prefixesErrors: boolean;
  /** Unknown objects are 404 and invalid ones 400, as the documented status codes suggest. */
  readonly codesErrors: boolean;
  /** The connection limit; 0: none. */
  readonly connectionsPerClient: number;
}

export const noFaults: Faults = {
  leader: 'elected',
  lastContactMs: 0,
  prefixesErrors: false,
  codesErrors: false,
  connectionsPerClient: 0,
};
