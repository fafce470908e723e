// What callers of the client ask for, and what they get.
import type { Repeat } from '../../core/effect.ts';
import type { KubernetesObject } from './resources.ts';

export interface ListOptions {
  /** Empty: all. */
  readonly namespace: string;
  readonly labelSelector?: string;
  /** Metadata only. */
  readonly metadataOnly?: boolean;
}

/** conflict: somebody wrote it since that version, or it exists already. tried: a dry run would have been done. */
export type Written =
  | { readonly is: 'done'; readonly object: KubernetesObject }
  | { readonly is: 'conflict' | 'absent' | 'tried' };

export interface WriteOptions {
  readonly subresource?: string;
  readonly repeat?: Repeat;
  /** All is checked as for a write, and nothing is stored. */
  readonly dryRun?: boolean;
  /** Ends the wait, not necessarily the write. */
  readonly signal?: AbortSignal;
}
