// Finds the last written version of each secret in the statuses. A plan uses it when it can't read the secret's value.
// PURE.
import type { Json } from '../core/secret.ts';
import type { Entry } from '../core/source/source.ts';

/** @returns `<namespace>/<name>/<entry>` → version */
export function writtenVersions(entries: Iterable<Entry>): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  const visit = (namespace: string, value: Json): void => {
    if (value === null || typeof value !== 'object') return;
    if ('$secret' in value && typeof value['$secret'] === 'string' && typeof value['version'] === 'string')
      versions.set(`${namespace}/${value['$secret']}`, value['version']);
    for (const held of Object.values(value)) visit(namespace, held);
  };
  for (const { object, status } of entries) visit(object.key.namespace, status.applied);
  return versions;
}
