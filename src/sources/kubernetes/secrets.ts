// Reads the Secrets that declared objects refer to, each when it is needed. Changes of labelled Secrets are reported at
// once.
import { isUtf8 } from 'node:buffer';
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { secrets, type KubernetesObject } from '../../api/kubernetes/resources.ts';
import { isRecord } from '../../core/json.ts';
import { keyText } from '../../core/resource.ts';
import { Secret } from '../../core/secret.ts';
import type { SecretEntry } from '../../core/source/source.ts';
import type { Collected } from './reflector.ts';
import { isNewer } from './wire.ts';

/** Secrets with this label are watched. */
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
  if (!found) return { is: 'missing', holder: 'missing' };
  if (typeof encoded !== 'string') return { is: 'missing', holder: 'there' };
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes)) return { is: 'missing', holder: 'there' };
  const { uid, resourceVersion } = found.metadata;
  return {
    is: 'there',
    secret: Secret.of(`${name}/${entry}`, `${uid} ${resourceVersion}`, bytes.toString()),
  };
}

/** Reports which labelled Secrets changed. It keeps only their keys and versions. */
export class LabelledSecrets implements Collected {
  /** By UID. */
  readonly #known = new Map<string, { readonly key: string; readonly version: string }>();
  readonly #tell: (key: string) => void;

  constructor(tell: (key: string) => void) {
    this.#tell = tell;
  }

  replace(objects: readonly KubernetesObject[]): void {
    const there = new Set(objects.map(({ metadata }) => metadata.uid));
    for (const uid of this.#known.keys()) if (!there.has(uid)) this.#remove(uid);
    for (const object of objects) this.changed(object);
  }

  changed({ metadata }: KubernetesObject): void {
    const { uid, namespace = '', name, resourceVersion: version } = metadata;
    const known = this.#known.get(uid);
    if (known && !isNewer(version, known.version)) return;
    const key = keyText({ kind: secrets.kind, namespace, name });
    this.#tell(key);
    this.#known.set(uid, { key, version });
  }

  deleted({ metadata }: KubernetesObject): void {
    this.#remove(metadata.uid);
  }

  emptied(): void {
    this.replace([]);
  }

  #remove(uid: string): void {
    const known = this.#known.get(uid);
    if (known) this.#tell(known.key);
    this.#known.delete(uid);
  }
}
