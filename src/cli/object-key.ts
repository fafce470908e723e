// Parses the names of kinds and objects on the command line.
import { UsageError } from '../core/errors.ts';
import { nearest } from '../core/text/nearest.ts';
import { keyText, parseKey } from '../core/resource.ts';
import { kindNamed, kindNames, kinds } from '../runtime/kinds/lookup.ts';
import { everything, type Query } from '../runtime/place/listing.ts';

/** Form of names and namespaces: it excludes characters that a URL can't hold. */
const objectName = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

const expected = 'expected KIND/NAMESPACE/NAME or KIND/NAME';

/** Accepts a kind, its plural or a short name. @throws UsageError */
export function kindOf(text: string, whole = text, instead = `expected a kind`): string {
  const kind = kindNamed(text);
  if (kind !== undefined) return kind;
  const known = [...kinds.keys()];
  const near = nearest(text, kindNames);
  const meant = near === undefined ? endingIn(text, known) : [kindNamed(near) ?? near];
  const hint = meant.length === 0 ? `kinds: ${known.join(', ')}` : `did you mean ${meant.join(' or ')}?`;
  throw new UsageError(`${whole}: ${instead}; ${hint}`);
}

/** Kinds whose names end with the word, which may be in the plural. */
function endingIn(text: string, known: readonly string[]): readonly string[] {
  const word = text.toLowerCase().replace(/s$/, '');
  return word.length < 3 ? [] : known.filter((kind) => kind.toLowerCase().endsWith(word));
}

/** `KIND/NAMESPACE/NAME`. @param namespace default for a text without one. @throws UsageError */
export function objectKey(text: string, namespace: string): string {
  const typed = parseKey(text);
  const kind = kindOf(text.split('/')[0] ?? '', text, expected);
  if (!text.includes('/'))
    throw new UsageError(`${text}: expected a name, too; \`holdfast get ${kind}\` lists what there is`);
  if (!typed) throw new UsageError(`${text}: ${expected}`);
  const isNamespaced = kinds.get(kind)?.connectionField !== undefined;
  if (!isNamespaced && typed.namespace !== '')
    throw new UsageError(`${text}: expected KIND/NAME; a ${kind} has no namespace`);
  const key = { kind, name: typed.name, namespace: isNamespaced ? typed.namespace || namespace : '' };
  if (![key.name, key.namespace || namespace].every((part) => objectName.test(part)))
    throw new UsageError(`${text}: expected names of a-z, 0-9, - and . inside`);
  return keyText(key);
}

/** `KIND NAME`, as in kubectl, or `KIND/[NAMESPACE/]NAME`. @throws UsageError */
export function oneObject([first = '', second, ...rest]: readonly string[], namespace: string): string {
  const more = first.includes('/') && second !== undefined ? [second, ...rest] : rest;
  if (more.length > 0) throw new UsageError(`${more.join(' ')}: expected one object`);
  return objectKey(second === undefined ? first : `${first}/${second}`, namespace);
}

/**
 * The objects that `get` shows: all without words, or `KIND[,KIND]`, `KIND NAME …`, `KIND/[NAMESPACE/]NAME …`.
 * @throws UsageError
 */
export function queryOf(words: readonly string[], namespace: string): Query {
  const [first, ...names] = words;
  if (first === undefined || first === 'all' || first === 'holdfast') {
    if (names.length > 0) throw new UsageError(`${first} ${names.join(' ')}: expected a kind before a name`);
    return everything;
  }
  if (first.includes('/')) return { kinds: [], keys: words.map((word) => objectKey(word, namespace)) };
  const chosen = first.split(',').map((one) => kindOf(one, first, 'expected a kind, or KIND/NAMESPACE/NAME'));
  if (names.length === 0) return { kinds: [...new Set(chosen)], keys: [] };
  return {
    kinds: [],
    keys: chosen.flatMap((kind) => names.map((name) => objectKey(`${kind}/${name}`, namespace))),
  };
}
