// Secrets that declared objects refer to. Each is read when it is needed; of those with a label, changes are told at once.
import { isUtf8 } from 'node:buffer';
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { secrets } from '../../api/kubernetes/resources.ts';
import { isRecord } from '../../core/json.ts';
import { Secret } from '../../core/secret.ts';
import type { SecretEntry } from '../../core/source/source.ts';

/** Changes of Secrets with this label are told. */
export const watchLabel = 'holdfast.dev/watch=Enabled';

/** @throws ApiError */
export async function readSecret(
  client: Pick<KubernetesClient, 'get'>,
  namespace: string,
  name: string,
  entry: string,
): Promise<SecretEntry> {
  const found = await client.get(secrets, { namespace, name });
  const data = found?.['data'];
  const encoded = isRecord(data) && Object.hasOwn(data, entry) ? data[entry] : undefined;
  if (!found || typeof encoded !== 'string') return { is: 'missing' };
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes)) return { is: 'missing' };
  const { uid, resourceVersion } = found.metadata;
  return {
    is: 'there',
    secret: Secret.of(`${name}/${entry}`, `${uid} ${resourceVersion}`, bytes.toString()),
  };
}
