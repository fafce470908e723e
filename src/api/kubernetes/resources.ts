// The API server's resources that Holdfast uses, their paths, and the decoding of objects and lists.
import { ApiError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { Json } from '../../core/secret.ts';

export interface Resource {
  /** `v1`, or `<group>/<version>`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Empty namespace: cluster-scoped. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

export type KubernetesObject = { readonly [field: string]: Json | undefined } & {
  readonly metadata: Metadata;
};

/** The fields of metav1.ObjectMeta that Holdfast reads. */
export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

const resource = (apiVersion: string, kind: string, plural: string, namespaced = true): Resource => ({
  apiVersion,
  kind,
  plural,
  namespaced,
});

export const secrets = resource('v1', 'Secret', 'secrets');
export const namespaces = resource('v1', 'Namespace', 'namespaces', false);
export const serviceAccounts = resource('v1', 'ServiceAccount', 'serviceaccounts');
export const leases = resource('coordination.k8s.io/v1', 'Lease', 'leases');
export const events = resource('events.k8s.io/v1', 'Event', 'events');
export const workloads: Readonly<Record<'Deployment' | 'StatefulSet' | 'DaemonSet', Resource>> = {
  Deployment: resource('apps/v1', 'Deployment', 'deployments'),
  StatefulSet: resource('apps/v1', 'StatefulSet', 'statefulsets'),
  DaemonSet: resource('apps/v1', 'DaemonSet', 'daemonsets'),
};
const review = (apiVersion: string, kind: string): Resource =>
  resource(apiVersion, kind, `${kind.toLowerCase()}s`, false);
export const selfAccessReviews = review('authorization.k8s.io/v1', 'SelfSubjectAccessReview');
export const accessReviews = review('authorization.k8s.io/v1', 'SubjectAccessReview');
export const tokenReviews = review('authentication.k8s.io/v1', 'TokenReview');

/** Path of the list of resources of one API version. */
export const discoveryPath = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** @param namespace empty: all namespaces, or a cluster-scoped resource */
export const collectionPath = ({ apiVersion, plural, namespaced }: Resource, namespace: string): string =>
  namespaced && namespace !== ''
    ? `${discoveryPath(apiVersion)}/namespaces/${encodeURIComponent(namespace)}/${plural}`
    : `${discoveryPath(apiVersion)}/${plural}`;

/** The namespaces to list. @param chosen empty: all. @returns an empty name: all, or a cluster-scoped resource */
export const namespacesOf = ({ namespaced }: Resource, chosen: readonly string[]): readonly string[] =>
  namespaced && chosen.length > 0 ? chosen : [''];

/** @throws ApiError for a name that no object can have, and that would make the path of something else */
export function objectPath(of: Resource, { namespace, name }: ObjectName, subresource = ''): string {
  if (['', '.', '..'].includes(name))
    throw new ApiError('refused', 'Rejected', `${of.plural}: ${JSON.stringify(name)} is no name`);
  return `${collectionPath(of, namespace)}/${encodeURIComponent(name)}${subresource && `/${subresource}`}`;
}

export interface ListPage {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
  /** Token of the next page; absent on the last page. */
  readonly next?: string;
}

/** @throws ApiError if the answer is not a list */
export function pageOf(op: string, answer: Json): ListPage {
  const { metadata, items: found } = isRecord(answer) ? answer : {};
  const { resourceVersion, continue: next } = isRecord(metadata) ? metadata : {};
  const items = found === null ? [] : found; // Go encodes an empty list of metadata as null
  if (!Array.isArray(items) || typeof resourceVersion !== 'string') throw unreadable(op, 'a list');
  return {
    items: items.map((item: unknown) => objectOf(op, item)),
    resourceVersion,
    ...(typeof next === 'string' && next !== '' && { next }),
  };
}

/**
 * Without its `managedFields`: nobody reads who wrote which field, and that is as long as the rest of the object. A write that
 * leaves them out keeps them.
 * @throws ApiError unless the answer is an object with name, UID and version, which the API server always sets
 */
export function objectOf(op: string, answer: unknown): KubernetesObject {
  if (!isRecord(answer) || !isRecord(answer['metadata'])) throw unreadable(op, 'an object');
  const { managedFields: _, ...metadata } = answer['metadata'];
  const { name, uid, resourceVersion } = metadata;
  const isWhole = typeof name === 'string' && typeof uid === 'string' && typeof resourceVersion === 'string';
  if (!isWhole) throw unreadable(op, 'an object with name, UID and version');
  // The API server checks the types of all else.
  return { ...answer, metadata: { ...metadata, name, uid, resourceVersion } };
}

const unreadable = (op: string, expected: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: the answer is not ${expected}`, {
    mayHaveHadEffect: true,
  });

/** A metav1.MicroTime. @param micros 0 to 999, added to the milliseconds */
export const microTime = (wallMs: number, micros = 0): string =>
  new Date(wallMs).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
