// Objects as people name them on the command line.
import { UsageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { parseKey } from '../core/resource.ts';
import { kinds } from '../runtime/kinds.ts';

/** Of an object: what a URL can hold, whatever is typed. */
const objectName = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

/** `KIND/NAMESPACE/NAME`. @param namespace where the text has none. @throws UsageError */
export function objectKey(text: string, namespace: string): string {
  const key = parseKey(text);
  const kind = key && kinds.get(key.kind);
  if (!key || !kind) {
    const known = [...kinds.keys()];
    const near = nearest(text.split('/')[0] ?? '', known);
    const hint = near === undefined ? `kinds: ${known.join(', ')}` : `did you mean ${near}?`;
    throw new UsageError(`${text}: expected KIND/NAMESPACE/NAME or KIND/NAME; ${hint}`);
  }
  const isNamespaced = kind.connectionField !== undefined;
  if (!isNamespaced && key.namespace !== '')
    throw new UsageError(`${text}: expected KIND/NAME; a ${key.kind} has no namespace`);
  if (![key.name, key.namespace || namespace].every((part) => objectName.test(part)))
    throw new UsageError(`${text}: expected names of a-z, 0-9, - and . inside`);
  return isNamespaced && key.namespace === '' ? `${key.kind}/${namespace}/${key.name}` : text;
}

/** What `get` shows: a kind, a key, or everything. @throws UsageError */
export function wanted(what: string | undefined, namespace: string): string | undefined {
  if (what === undefined || what.includes('/')) return what && objectKey(what, namespace);
  if (kinds.has(what)) return what;
  throw new UsageError(`${what}: expected ${[...kinds.keys()].join(', ')}, or KIND/NAMESPACE/NAME`);
}
