// The port for approvals and recent deletions. The deletion limits and the checks before a destroying step read it, so
// they work the same with every source.
import type { Approval } from '../planning/deletion-limits.ts';

/** The status is not the last one that this installation wrote: an older state was restored, or a copy was brought in. */
export interface Distrust {
  /** A person approves this digest to trust the state. */
  readonly digest: string;
  readonly message: string;
}

export interface Approvals {
  /**
   * ID of the deletion or replacement that a person approved for this object (planning/deletion-limits.ts); `undefined`:
   * none.
   */
  approved(key: string): Approval | undefined;
  /**
   * Told of what waits for the approval of one digest, so that it holds for all of that, also where no status names the digest
   * yet. Absent: an approval holds for what names it.
   * @param ids by key: the IDs of deletions
   */
  judged?(connection: string, digest: string, ids: ReadonlyMap<string, string>): void;
  /** Keys of the connection's objects that were deleted or replaced within the last hour without an approval. */
  recentDeletions(connection: string): readonly string[];
  /**
   * If set, nothing may be destroyed until a person approves. Until then, requests that are answered once per value are
   * hidden.
   */
  readonly distrusted: Distrust | undefined;
}
