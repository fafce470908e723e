// Restarts workloads as `kubectl rollout restart` does: it changes the pod template, and the workload's controller
// replaces the pods.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { Written } from '../../api/kubernetes/options.ts';
import { workloads, type KubernetesObject } from '../../api/kubernetes/resources.ts';
import type { Workload } from '../../core/effect.ts';
import { ApiError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { Publisher } from '../publisher.ts';

type Client = Pick<KubernetesClient, 'get' | 'patch'>;

/** An annotation of the pod template, followed by the UID of the requesting object: several may restart one workload. */
export const restartAnnotation = 'holdfast.dev/restarted-for';
/** Attempts per restart. While pods are being replaced, the workload is written often, and conditional writes conflict. */
const tries = 8;

/** Has the API server check a restart by a dry run: permissions, quotas, admission. @throws ApiError as `restart` would */
export async function tryRestart(client: Client, namespace: string, workload: Workload): Promise<void> {
  await attempt(client, namespace, workload, [restartAnnotation, ''], true);
}

/** Requests that all pods be replaced, once per token: a workload that has the token is not written. @throws ApiError */
export async function restart(
  client: Client,
  { key: { namespace }, uid }: Publisher,
  workload: Workload,
  token: string,
): Promise<void> {
  for (let turn = 0; turn < tries; turn++) {
    const mark = [`${restartAnnotation}.${uid}`, token] as const;
    if ((await attempt(client, namespace, workload, mark, false)) === 'done') return;
  }
  const message = `${textOf(namespace, workload)} is written by others all the time`;
  throw new ApiError('unavailable', 'ClusterUnavailable', message);
}

async function attempt(
  client: Client,
  namespace: string,
  workload: Workload,
  [annotation, token]: readonly [string, string],
  dryRun: boolean,
): Promise<Written['is']> {
  const at = { namespace, name: workload.name };
  const found = await client.get(workloads[workload.kind], at);
  if (!found) throw missing(namespace, workload);
  if (templateAnnotation(found, annotation) === token) return 'done';
  // Conditional on this version: a write that arrives late must not undo that of a later token.
  const { resourceVersion } = found.metadata;
  const template = { metadata: { annotations: { [annotation]: token } } };
  const patch = { metadata: { resourceVersion }, spec: { template } };
  const { is } = await client.patch(workloads[workload.kind], at, patch, { dryRun });
  return is;
}

const templateAnnotation = (found: KubernetesObject, annotation: string): unknown =>
  ['spec', 'template', 'metadata', 'annotations', annotation].reduce<unknown>(
    (value, name) => (isRecord(value) ? value[name] : undefined),
    found,
  );

const textOf = (namespace: string, { kind, name }: Workload): string => `${kind} ${namespace}/${name}`;

const missing = (namespace: string, workload: Workload): ApiError =>
  new ApiError('waiting', 'NotificationFailed', `${textOf(namespace, workload)} does not exist`);
