// What a path of the API server means.
import type { Resource } from '../../../src/api/kubernetes/resources.ts';
import { traitsOf } from './objects.ts';

export interface ResourceRoute {
  readonly is: 'resource';
  readonly of: Resource;
  /** Empty: all, or a cluster-scoped resource. */
  readonly namespace: string;
  /** Empty: the collection. */
  readonly name: string;
  readonly isStatus: boolean;
  readonly query: URLSearchParams;
}

export type Route =
  | ResourceRoute
  | { readonly is: 'discovery'; readonly apiVersion: string }
  | { readonly is: 'review' }
  /** Of a group that the API server has itself. */
  | { readonly is: 'no resource' }
  /** Of a custom resource. */
  | { readonly is: 'no subresource'; readonly of: Resource; readonly name: string }
  | { readonly is: 'unknown' };

const reviews = /^\/apis\/authorization\.k8s\.io\/v1\/(selfsubjectaccessreviews|subjectaccessreviews)$/;
const unknown = { is: 'unknown' } as const;

/** A name that no object can have, where the encoding is broken. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function routeOf(resources: readonly Resource[], url: string): Route {
  const { pathname, searchParams: query } = new URL(url, 'http://cluster');
  if (reviews.test(pathname)) return { is: 'review' };
  const [root, ...below] = pathname.split('/').slice(1).map(decoded);
  if (root !== 'api' && root !== 'apis') return unknown;
  const apiVersion = below.splice(0, root === 'api' ? 1 : 2).join('/');
  const served = resources.filter((one) => one.apiVersion === apiVersion);
  const [first] = served;
  if (!first) return unknown;
  const nothing = traitsOf(first).isBuiltIn ? ({ is: 'no resource' } as const) : unknown;
  if (below.length === 0) return { is: 'discovery', apiVersion };
  const isInNamespace = below[0] === 'namespaces' && below.length > 2 && below[2] !== 'status';
  const namespace = isInNamespace ? (below[1] ?? '') : '';
  const [plural, name = '', subresource, ...rest] = isInNamespace ? below.slice(2) : below;
  const of = served.find((one) => one.plural === plural);
  if (!of || rest.length > 0 || (isInNamespace && !of.namespaced)) return nothing;
  if (of.namespaced && !isInNamespace && name !== '') return nothing;
  const isStatus = subresource === 'status';
  if (subresource !== undefined && !(isStatus && traitsOf(of).hasStatus))
    return traitsOf(of).isBuiltIn ? nothing : { is: 'no subresource', of, name };
  return { is: 'resource', of, namespace, name, isStatus, query };
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export function discovery(resources: readonly Resource[], apiVersion: string): object {
  const served = resources.filter((one) => one.apiVersion === apiVersion);
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersion,
    resources: served.flatMap((of) => {
      const { plural, kind, namespaced } = of;
      const one = { name: plural, singularName: kind.toLowerCase(), namespaced, kind, verbs };
      const status = {
        ...one,
        name: `${plural}/status`,
        singularName: '',
        verbs: ['get', 'patch', 'update'],
      };
      return traitsOf(of).hasStatus ? [one, status] : [one];
    }),
  };
}
