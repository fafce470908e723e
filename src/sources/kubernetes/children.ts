// Creates and deletes children as objects of the API server. Children have no ownerReferences: otherwise the garbage
// collector would delete a schedule's snapshots together with the schedule.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { KubernetesObject, Resource } from '../../api/kubernetes/resources.ts';
import { expired as expiredRequest, retentionHold, type Child, type ChildRef } from '../../core/effect.ts';
import { ApiError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { keyText } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import { requestPrefix } from '../../core/source/request.ts';
import { isSameChild, taken } from '../children.ts';
import type { Store } from './store.ts';

export interface ChildrenParts {
  readonly client: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'remove'>;
  readonly store: Store;
  readonly resourceOf: (kind: string) => Resource;
}

/** Attempts per deletion. Other controllers write the child's status, so a conditional write can conflict. */
const tries = 8;
const mark = requestPrefix + expiredRequest;

/** @throws ApiError */
export async function createChild({ client, store, resourceOf }: ChildrenParts, child: Child): Promise<void> {
  const { key, labels, annotations, spec } = child;
  const resource = resourceOf(key.kind);
  const { apiVersion, kind } = resource;
  const { namespace, name } = key;
  const body = { apiVersion, kind, metadata: { namespace, name, labels, annotations }, spec };
  const written = await store.write(keyText(key), key.kind, () => client.create(resource, namespace, body));
  if (written.is === 'done') return;
  const found = await client.get(resource, key);
  if (!found)
    throw new ApiError('unavailable', 'ClusterUnavailable', `${keyText(key)} was there and is gone`);
  store.enter(key.kind, found);
  const known = store.get(keyText(key))?.object;
  if (known?.uid === found.metadata.uid && !isSameChild(child, known)) throw taken(child);
}

/** @throws ApiError */
export async function deleteChildren(parts: ChildrenParts, children: readonly ChildRef[]): Promise<void> {
  for (const child of children) await deleteChild(parts, child);
}

/**
 * Patches and deletes only the version that it knows, so that a retention hold set meanwhile is not overlooked. What is held
 * between the two writes is put back as it was.
 */
async function deleteChild(
  { client, store, resourceOf }: ChildrenParts,
  { key, uid, expired }: ChildRef,
): Promise<void> {
  const resource = resourceOf(key.kind);
  const text = keyText(key);
  let former: Json = 'Retain'; // while the policy before an earlier, interrupted attempt is not known
  for (let turn = 0; turn < tries; turn++) {
    const found = await client.get(resource, key);
    if (found?.metadata.uid !== uid) return store.gone(text, uid);
    if (!store.isSelected(found)) throw unselected(text); // it is left as it is, and the watch has not told of it yet
    const { resourceVersion, deletionTimestamp, annotations = {} } = found.metadata;
    const isMarked = annotations[mark] !== undefined;
    const isHeld = annotations[requestPrefix + retentionHold] !== undefined;
    if (deletionTimestamp !== undefined || (isHeld && !isMarked)) return store.enter(key.kind, found);
    if (!isMarked) former = policyOf(found);
    const going = expired === undefined ? undefined : { decision: expired, deletionPolicy: 'Delete' };
    const patch = patchOf(resourceVersion, isHeld ? { decision: null, deletionPolicy: former } : going);
    const written = await store.write(text, key.kind, () => client.patch(resource, key, patch));
    if (written.is !== 'done') continue;
    if (isHeld) return;
    if (!(await client.remove(resource, key, uid, written.object.metadata.resourceVersion))) continue;
    const now = await client.get(resource, key);
    return now?.metadata.uid === uid ? store.enter(key.kind, now) : store.gone(text, uid);
  }
  throw new ApiError('unavailable', 'ClusterUnavailable', `${text} is written by others all the time`);
}

const unselected = (text: string): ApiError =>
  new ApiError('unavailable', 'ClusterUnavailable', `${text} is not selected any more`);

interface Marks {
  /** null: it does not expire. */
  readonly decision: string | null;
  /** null: none of its own. */
  readonly deletionPolicy: Json;
}

const patchOf = (resourceVersion: string, marks?: Marks): Json => ({
  metadata: { resourceVersion, ...(marks && { annotations: { [mark]: marks.decision } }) },
  ...(marks && { spec: { deletionPolicy: marks.deletionPolicy } }),
});

const policyOf = ({ spec }: KubernetesObject): Json => (isRecord(spec) && spec['deletionPolicy']) || null;
