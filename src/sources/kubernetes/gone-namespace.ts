// Tells a chosen namespace that is gone from one that may not be read. The RoleBinding leaves along with the namespace, so the
// API server answers a list with 403 in both cases.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { namespaces } from '../../api/kubernetes/resources.ts';
import { ApiError } from '../../core/errors.ts';

/**
 * Whether the API server says that there is no such namespace. It removes a namespace after all that is in it. Whoever may not
 * ask does not know. One that is being deleted is still there.
 * @param name empty: all namespaces, which are never gone
 */
export async function isNamespaceGone(
  client: Pick<KubernetesClient, 'get'>,
  name: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (name === '') return false;
  try {
    return (await client.get(namespaces, { namespace: '', name }, signal)) === undefined;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
