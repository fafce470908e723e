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
  | { readonly is: 'unknown' };

const reviews = /^\/apis\/authorization\.k8s\.io\/v1\/(selfsubjectaccessreviews|subjectaccessreviews)$/;
const unknown = { is: 'unknown' } as const;

export function routeOf(resources: readonly Resource[], url: string): Route {
  const { pathname, searchParams: query } = new URL(url, 'http://cluster');
  if (reviews.test(pathname)) return { is: 'review' };
  const parts = pathname.split('/').slice(1).map(decodeURIComponent);
  const [root, ...below] = parts;
  if (root !== 'api' && root !== 'apis') return unknown;
  const apiVersion = below.splice(0, root === 'api' ? 1 : 2).join('/');
  const served = resources.filter((one) => one.apiVersion === apiVersion);
  if (served.length === 0) return unknown;
  if (below.length === 0) return { is: 'discovery', apiVersion };
  const isInNamespace = below[0] === 'namespaces' && below.length > 2 && below[2] !== 'status';
  const namespace = isInNamespace ? (below[1] ?? '') : '';
  const [plural, name = '', subresource, ...rest] = isInNamespace ? below.slice(2) : below;
  const of = served.find((one) => one.plural === plural);
  if (!of || rest.length > 0 || (isInNamespace && !of.namespaced)) return unknown;
  if (of.namespaced && !isInNamespace && name !== '') return unknown;
  const isStatus = subresource === 'status';
  if (subresource !== undefined && !(isStatus && traitsOf(of).hasStatus)) return unknown;
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
