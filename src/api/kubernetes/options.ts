// Options and results of the client's calls.
import type { Repeat } from '../../core/effect.ts';
import type { KubernetesObject } from './resources.ts';

export interface ListOptions {
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly metadataOnly?: boolean;
}

/** conflict: the object changed since that version, or exists already. tried: the dry run succeeded. */
export type Written =
  | { readonly is: 'done'; readonly object: KubernetesObject }
  | { readonly is: 'conflict' | 'absent' | 'tried' };

export interface WriteOptions {
  readonly subresource?: string;
  readonly repeat?: Repeat;
  /** The API server checks the write and stores nothing. */
  readonly dryRun?: boolean;
  /** Ends the wait, not necessarily the write. */
  readonly signal?: AbortSignal;
}
