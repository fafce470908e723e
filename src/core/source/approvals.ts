// The port of what people approve, and of what was deleted without it. The deletion limits and the check before anything is
// destroyed depend on it, whatever the source is.
import type { Approval } from '../planning/deletion-limits.ts';

/** The status is not what was written here last: an earlier state was restored, or one brought from elsewhere. */
export interface Distrust {
  /** A person approves it. */
  readonly digest: string;
  /** For people: what was noticed, what is held back, how to go on. */
  readonly message: string;
}

export interface Approvals {
  /** ID of the going that a person approved for this object (planning/deletion-limits.ts); `undefined`: none. */
  approved(key: string): Approval | undefined;
  /** Keys of the objects of this connection that left, or were replaced, unapproved within the last hour. */
  departed(connection: string): readonly string[];
  /** Set: nothing may be destroyed until a person approves. Requests of before are not shown meanwhile. */
  readonly distrusted: Distrust | undefined;
}
