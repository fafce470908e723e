// The faults that can be set up for a cluster (services.md#scheduler-errors).

export const leaders = ['elected', 'unready', 'none'] as const;

export interface Faults {
  /** unready: elected, but not ready to serve consistent reads. */
  readonly leader: (typeof leaders)[number];
  /** The time since the last contact that stale reads report. */
  readonly lastContactMs: number;
  /** Errors start with `rpc error: `, as if another server had returned them. */
  readonly prefixesErrors: boolean;
  /** Unknown objects are 404 and invalid ones 400, as the documented status codes suggest. */
  readonly codesErrors: boolean;
  /** The maximum; 0: no limit. */
  readonly connectionsPerClient: number;
}

export const noFaults: Faults = {
  leader: 'elected',
  lastContactMs: 0,
  prefixesErrors: false,
  codesErrors: false,
  connectionsPerClient: 0,
};
