// Objects as an API server sends them.
import type { KubernetesObject, Metadata } from '../../../src/api/kubernetes/resources.ts';
import { isRecord } from '../../../src/core/json.ts';
import type { Json } from '../../../src/core/secret.ts';

export interface Sent extends Partial<Metadata> {
  readonly version: number;
  readonly spec?: Json;
  readonly status?: Json;
}

/** A disk `data` in `shop` with a status of its own, unless it is said otherwise. */
export function sent({ version, spec = { size: 1 }, status, ...metadata }: Sent): KubernetesObject {
  const { uid = 'u1' } = metadata;
  return {
    apiVersion: 'holdfast.dev/v1alpha1',
    kind: 'Disk',
    metadata: {
      name: 'data',
      namespace: 'shop',
      uid,
      generation: 1,
      resourceVersion: String(version),
      ...metadata,
    },
    spec,
    ...(status !== undefined && { status: isRecord(status) ? { uid, ...status } : status }),
  };
}
