// Restarts of workloads, as `kubectl rollout restart` does them: the pod template changes, and its controller replaces the pods.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { workloads, type ObjectName } from '../../api/kubernetes/resources.ts';
import { isRecord } from '../../core/json.ts';

export interface Workload extends ObjectName {
  readonly kind: keyof typeof workloads;
}

export const restartAnnotation = 'holdfast.dev/restarted-for';

/**
 * Restarts a workload once per token: one that has the token already is not written.
 * @returns false: there is no such workload
 * @throws ApiError
 */
export async function restart(
  client: Pick<KubernetesClient, 'get' | 'patch'>,
  { kind, ...at }: Workload,
  token: string,
): Promise<boolean> {
  const found = await client.get(workloads[kind], at);
  if (!found) return false;
  if (valueAt(found, ['spec', 'template', 'metadata', 'annotations', restartAnnotation]) === token)
    return true;
  const template = { metadata: { annotations: { [restartAnnotation]: token } } };
  const { uid } = found.metadata; // the pods of another one of that name are new anyway
  const { is } = await client.patch(workloads[kind], at, { metadata: { uid }, spec: { template } });
  return is === 'done';
}

const valueAt = (value: unknown, [name, ...rest]: readonly string[]): unknown =>
  name === undefined ? value : valueAt(isRecord(value) ? value[name] : undefined, rest);
