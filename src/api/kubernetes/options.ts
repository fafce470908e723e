// What the client is made with, and the options and results of its calls.
import type { Repeat } from '../../core/effect.ts';
import type { Secret } from '../../core/secret.ts';
import type { SocketIdentity } from '../http/connect.ts';
import type { DispatcherOf } from '../http/transport.ts';
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

export interface ClusterConfig {
  /** URL of the API server, with a path where a proxy serves several, as Rancher does. */
  readonly server: string;
  /** A function is asked for each socket: certificates may change over time. It returns the same object until they do. */
  readonly tls?: SocketIdentity | (() => SocketIdentity);
  /** Namespace of the context, or of the pod. */
  readonly namespace: string;
  /** Carries requests to the cluster and to the services. Absent: real sockets. */
  readonly dispatcherOf?: DispatcherOf;
  /**
   * Headers that authenticate; they may change over time. A login by certificate changes `tls`.
   * @param anew the last ones were refused: nothing that is kept of a login counts
   * @throws Error if a login fails
   */
  headers(anew?: boolean): Promise<Readonly<Record<string, Secret>>>;
}
