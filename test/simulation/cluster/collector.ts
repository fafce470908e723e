// What the controllers of a cluster do, here at once: the garbage collector deletes what only absent objects own, and the
// namespace controller empties namespaces that are being deleted.
import { isRecord } from '../../../src/core/json.ts';
import { namespaces, type Resource } from '../../../src/api/kubernetes/resources.ts';
import { composed, type OwnerReference, type Stored } from './objects.ts';
import type { Store } from './store.ts';
import type { Change } from './watches.ts';

type Remove = (of: Resource, object: Stored) => void;

/** Whether a change can be of interest to a controller. */
export const concerns = ({ resource, after }: Change): boolean =>
  after === undefined ||
  after.metadata.ownerReferences !== undefined ||
  (resource.kind === namespaces.kind && after.metadata.deletionTimestamp !== undefined);

/** @returns whether anything was done: then there may be more to do */
export function collect(store: Store, remove: Remove): boolean {
  const version = store.version;
  for (const of of store.resources) {
    for (const object of store.list(of)) {
      if (of.kind === namespaces.kind && object.metadata.deletionTimestamp !== undefined)
        empty(store, of, object, remove);
      else if (object.metadata.ownerReferences) disown(store, of, object, remove);
    }
  }
  return store.version !== version;
}

/** References to absent owners are taken away; if there are no others, the object is deleted. */
function disown(store: Store, of: Resource, object: Stored, remove: Remove): void {
  const { ownerReferences = [], deletionTimestamp, namespace = '' } = object.metadata;
  if (deletionTimestamp !== undefined) return;
  const owners = ownerReferences.map((owner) => ({ owner, found: ownerOf(store, owner, namespace) }));
  if (owners.some(({ found }) => found === 'unknown')) return;
  const present = owners.filter(({ found }) => found === 'present').map(({ owner }) => owner);
  if (present.length === 0) remove(of, object);
  else if (present.length < ownerReferences.length)
    store.put(of, composed(of, object, { ...object.metadata, ownerReferences: present }));
}

function ownerOf(
  store: Store,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): 'present' | 'absent' | 'unknown' {
  const of = store.resources.find((one) => one.apiVersion === apiVersion && one.kind === kind);
  if (!of || (of.namespaced && namespace === '')) return 'unknown';
  const owner = store.get(of, of.namespaced ? namespace : '', name);
  return owner?.metadata.uid === uid ? 'present' : 'absent';
}

function empty(store: Store, of: Resource, namespace: Stored, remove: Remove): void {
  const { name } = namespace.metadata;
  const inside = () =>
    store.resources.flatMap((resource) =>
      store
        .list(resource)
        .filter((object) => object.metadata.namespace === name)
        .map((object) => ({ resource, object })),
    );
  for (const { resource, object } of inside())
    if (object.metadata.deletionTimestamp === undefined) remove(resource, object);
  if (inside().length > 0) return;
  if (namespace.metadata.finalizers === undefined) store.remove(of, namespace);
  else if (isRecord(namespace['spec']) && namespace['spec']['finalizers'] !== undefined)
    store.put(of, composed(of, { ...namespace, spec: {} }, namespace.metadata));
}
