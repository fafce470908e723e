// Lists, and how watches begin.
import type { Resource } from '../../../src/api/kubernetes/resources.ts';
import { badRequest, invalid, Refused } from './answers.ts';
import { traitsOf, type Stored } from './objects.ts';
import type { ResourceRoute } from './routes.ts';
import { selectorOf } from './selector.ts';
import type { Store } from './store.ts';
import { covers, shown, type Scope } from './watches.ts';

const isOn = (text: string | null): boolean => text === 'true' || text === '1';

export const isWatch = ({ query }: ResourceRoute): boolean => isOn(query.get('watch'));

/** @throws Refused */
export function scopeOf({ of, namespace, query }: ResourceRoute, accept = ''): Scope {
  if (query.get('fieldSelector')) throw badRequest('field selectors are not simulated');
  return {
    resource: of,
    namespace,
    selects: selectorOf(query.get('labelSelector') ?? ''),
    metadataOnly: accept.includes('as=PartialObjectMetadata'),
  };
}

export const covered = (store: Store, scope: Scope): readonly Stored[] =>
  store.list(scope.resource).filter((object) => covers(scope, scope.resource, object));

/** Items of lists do not say what they are, where the API server knows the fields itself. */
function bare({ apiVersion: _a, kind: _k, ...rest }: Stored): object {
  return rest;
}

export function listed(store: Store, scope: Scope): object {
  const isBare = !scope.metadataOnly && traitsOf(scope.resource).isBuiltIn;
  const items = covered(store, scope).map((object) => (isBare ? bare(object) : shown(scope, object)));
  const { apiVersion, kind } = scope.metadataOnly
    ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }
    : scope.resource;
  const metadata = { resourceVersion: String(store.version) };
  // Go encodes an empty list of metadata as null.
  const isNull = scope.metadataOnly && items.length === 0;
  return { kind: `${kind}List`, apiVersion, metadata, items: isNull ? null : items };
}

/** What a watch asks for. */
export interface Asked {
  /** 0: from now on. */
  readonly from: number;
  /** All that there is comes first. */
  readonly listsFirst: boolean;
  /** A bookmark says where that ends. */
  readonly marksInitial: boolean;
  readonly bookmarks: boolean;
  readonly timeoutSeconds?: number;
}

/** @throws Refused */
export function askedBy(of: Resource, query: URLSearchParams): Asked {
  const sendInitial = query.get('sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  if (sendInitial !== null && match !== 'NotOlderThan')
    throw forbidden(of, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  if (sendInitial === null && match !== '')
    throw forbidden(of, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  const version = query.get('resourceVersion') ?? '';
  const from = Number(version);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new Refused(500, '', `resourceVersion: Invalid value: ${JSON.stringify(version)}`);
  const seconds = Number(query.get('timeoutSeconds') ?? 0);
  return {
    from,
    listsFirst: isOn(sendInitial) || (from === 0 && sendInitial === null),
    marksInitial: isOn(sendInitial),
    bookmarks: isOn(query.get('allowWatchBookmarks')),
    ...(seconds > 0 && { timeoutSeconds: seconds }),
  };
}

const forbidden = (of: Resource, message: string) =>
  invalid({ ...of, apiVersion: 'meta.k8s.io/v1', kind: 'ListOptions' }, '', [
    { field: 'resourceVersionMatch', reason: 'FieldValueForbidden', message: `Forbidden: ${message}` },
  ]);
