// Who asks the real API server or the simulated one, and what is asked. Each script has a namespace of its own.

export interface Fields {
  readonly [field: string]: unknown;
  readonly metadata?: {
    readonly [field: string]: unknown;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

export interface Sent {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** The two say it in other words. */
  readonly inOtherWords?: true;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Asks one of the two, and writes down what it answers. */
export interface Hand {
  readonly namespace: string;
  /** The disks of the namespace. */
  readonly disks: string;
  readonly secrets: string;
  readonly leases: string;
  readonly call: (method: Method, path: string, sent?: Sent) => Promise<Fields>;
  /** Watches until the script ends. @param path with its query */
  readonly watch: (path: string, accept?: string) => Promise<void>;
  /** Resolves once nothing is there any more, or at least not that text. */
  readonly gone: (path: string, text?: string) => Promise<void>;
}

export interface Script {
  readonly title: string;
  readonly play: (hand: Hand) => Promise<void>;
}

export const disk = (name: string, metadata: object = {}, more: object = {}) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'Disk',
  metadata: { name, ...metadata },
  spec: { size: 1 },
  ...more,
});
export const merge = 'application/merge-patch+json';
export const patch = (body: object): Sent => ({ body, contentType: merge });
export const lease = (name: string, metadata: object = {}, holder = 'me') => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, ...metadata },
  spec: { holderIdentity: holder, leaseDurationSeconds: 15 },
});
/** All that there is, and then what changes. */
export const initial =
  'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

export const owner = (of: Fields) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'Disk',
  name: of.metadata?.['name'],
  uid: of.metadata?.uid,
});
export const only = (preconditions: object): Sent => ({
  body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions },
});
