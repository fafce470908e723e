// Interprets one document: it declares the installation, a Secret, or an object of a known kind; otherwise it has
// problems.
import { hash } from 'node:crypto';
import { SpecError } from '../../../core/errors.ts';
import { canonical } from '../../../core/hash.ts';
import { keyText, type Key } from '../../../core/resource.ts';
import type { Json } from '../../../core/secret.ts';
import { requestPrefix, requestsMax, requestTokenMax } from '../../../core/source/request.ts';
import { apiVersion, group, type Declaration } from '../../../schema/declaration.ts';
import { parseEnvelope, validate } from '../../../schema/parse.ts';
import { shown } from '../../../schema/problems.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import { named, parseSecret, type DeclaredSecret } from '../secrets/document.ts';

/** The file at the top of a tree that names the installation. */
export const installationFile = 'holdfast.yaml';

/** Keys are keyTexts, or `Installation`. */
export type Meaning =
  | { readonly is: 'installation'; readonly key: string; readonly name: string }
  | { readonly is: 'secret'; readonly key: string; readonly secret: DeclaredSecret }
  | { readonly is: 'object'; readonly key: string; readonly object: Unchecked }
  | { readonly is: 'wrong'; readonly key: string | undefined; readonly errors: readonly SpecError[] };

export interface Unchecked {
  readonly declaration: Declaration;
  readonly key: Key;
  readonly requests: Readonly<Record<string, string>>;
  /** Absent: none. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly document: JsonMap;
}

/** The names that kustomize looks for. */
const kustomizations = /(?:^|\/)(?:kustomization\.ya?ml|Kustomization)$/;
const notRun =
  'kustomize is not run here: commit what `kubectl kustomize` prints, and keep this file outside of the manifests';

export function meaningOf(value: Json, origin: string, kinds: readonly Declaration[]): Meaning {
  try {
    if (!isJsonMap(value)) {
      throw new SpecError('/', 'a map with apiVersion, kind, metadata and spec', shown(value));
    }
    if (kustomizations.test(origin)) throw new SpecError('/', notRun, '');
    if (value['kind'] === 'List') throw notAList(value);
    if (value['kind'] === 'Secret') {
      const secret = parseSecret(value, origin);
      return { is: 'secret', key: keyText({ ...secret, kind: 'Secret' }), secret };
    }
    if (value['kind'] === 'Installation') {
      return { is: 'installation', key: 'Installation', name: installationIn(value, origin) };
    }
    return objectIn(value, kinds);
  } catch (error) {
    if (error instanceof SpecError) return { is: 'wrong', key: keyIn(value, kinds), errors: [error] };
    throw error;
  }
}

/** Items of a List are documents of their own (yaml/documents.ts), so this List is malformed or nested. */
const notAList = ({ apiVersion: given, items }: JsonMap): SpecError => {
  if (given !== 'v1') return new SpecError('/apiVersion', 'v1, of a List', shown(given));
  if (Array.isArray(items)) return new SpecError('/kind', 'no List within a List', '');
  if (items === undefined) return new SpecError('/items', 'is required (a list of documents)', '');
  return new SpecError('/items', 'a list of documents', shown(items));
};

function objectIn(document: JsonMap, kinds: readonly Declaration[]): Meaning {
  const envelope = parseEnvelope(document, kinds);
  if ('problems' in envelope)
    return {
      is: 'wrong',
      key: keyIn(document, kinds),
      errors: withThoseOfSpec(envelope.problems, document, kinds),
    };
  const { declaration, key, annotations, labels } = envelope;
  const requests = Object.entries(annotations)
    .filter(([name]) => name.startsWith(requestPrefix))
    .map(([name, token]) => [name.slice(requestPrefix.length), token] as const);
  if (requests.length > requestsMax) {
    const expected = `at most ${requestsMax} of ${requestPrefix}*`;
    throw new SpecError('/metadata/annotations', expected, `${requests.length}`);
  }
  for (const [name, token] of requests) {
    if (token.length <= requestTokenMax) continue;
    const path = `/metadata/annotations/${group}~1${name}`;
    throw new SpecError(path, `at most ${requestTokenMax} characters`, `${token.length}`);
  }
  const labelled = Object.keys(labels).length > 0 && { labels };
  const object = { declaration, key, requests: Object.fromEntries(requests), ...labelled, document };
  return { is: 'object', key: keyText(key), object };
}

/** All at once: nobody wants to correct a name, only to be told of a field. */
function withThoseOfSpec(
  found: readonly SpecError[],
  document: JsonMap,
  kinds: readonly Declaration[],
): readonly SpecError[] {
  const declaration = kinds.find(({ kind }) => kind === document['kind']);
  const checked = declaration && document['spec'] !== undefined && validate(declaration, document);
  const more = checked && 'problems' in checked ? checked.problems : [];
  return [...found, ...more.filter(({ path }) => found.every((one) => one.path !== path))];
}

function installationIn(document: JsonMap, origin: string): string {
  if (origin !== installationFile) {
    throw new SpecError('/kind', `an Installation stands in ${installationFile} at the top of the tree`, '');
  }
  if (document['apiVersion'] !== apiVersion) {
    throw new SpecError('/apiVersion', apiVersion, shown(document['apiVersion']));
  }
  const metadata = document['metadata'] ?? {};
  return named('label', isJsonMap(metadata) ? metadata['name'] : metadata, '/metadata/name');
}

/** @param old the last valid spec, for transition rules */
export function check(
  { declaration, document, requests, labels }: Unchecked,
  old: unknown,
): { readonly spec: JsonMap; readonly hash: string } | { readonly errors: readonly SpecError[] } {
  const checked = validate(declaration, document, old);
  if ('problems' in checked) return { errors: checked.problems };
  const spec = document['spec'];
  if (!isJsonMap(spec)) return { errors: [new SpecError('/spec', 'a map', shown(spec))] };
  return { spec, hash: fingerprintOf({ spec, requests, ...(labels && { labels }) }) };
}

/** Equal for equal declarations, whatever their notation. */
export const fingerprintOf = (declared: {
  readonly spec: JsonMap;
  readonly requests: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}): string => hash('sha256', canonical(declared));

/** The object that an invalid document is about, if its names are valid. */
export function keyIn(value: Json, kinds: readonly Declaration[]): string | undefined {
  if (!isJsonMap(value)) return undefined;
  const { kind, metadata } = value;
  if (typeof kind !== 'string' || !isJsonMap(metadata)) return undefined;
  const scope = kind === 'Secret' ? 'Namespaced' : kinds.find((known) => known.kind === kind)?.scope;
  if (scope === undefined) return undefined;
  try {
    const name = named('subdomain', metadata['name'], '');
    const namespace = scope === 'Cluster' ? '' : named('label', metadata['namespace'] ?? 'default', '');
    return keyText({ kind, namespace, name });
  } catch {
    return undefined;
  }
}
