// What applies a repository to a cluster, as Argo CD and Flux do: it makes what is declared, deletes what no longer is, and
// tries again until it is so. What the admission of a cluster refuses stays as it was.
import { isDeepStrictEqual } from 'node:util';
import {
  namespaces,
  objectPath,
  secrets,
  type KubernetesObject,
  type Resource,
} from '../../../src/api/kubernetes/resources.ts';
import { keyText, parseKey } from '../../../src/core/resource.ts';
import { watchLabel } from '../../../src/sources/kubernetes/secrets.ts';
import { declarations, resources } from '../../../src/runtime/kinds/lookup.ts';
import { readDocument } from '../../../src/sources/directory/tree/document-result.ts';
import { documentsIn } from '../../../src/sources/directory/yaml/documents.ts';
import { later } from '../machine/time.ts';
import type { Declared } from '../oracle/record.ts';
import { otherSpace, space, type ManifestFile } from '../world/manifests.ts';
import { asked } from './person.ts';
import type { ApiServer } from './api-server.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly stringData?: Readonly<Record<string, string>>;
}

interface Wanted {
  readonly path: string;
  readonly manifest: Manifest;
  readonly text: string;
  readonly declared: Declared | undefined;
}

const againMs = 30_000;

/** @param name empty: of all */
export const namespacePath = (name: string): string => `/api/v1/namespaces${name && `/${name}`}`;

export class GitOps {
  readonly #api: ApiServer;
  readonly #declares: (key: string, declared: Declared) => void;
  #files: ReadonlyMap<string, ManifestFile> = new Map();
  /** File → the paths that it declared when it could be read. */
  readonly #declaredIn = new Map<string, readonly string[]>();
  /** What it has made, by path: the annotations that it put there. */
  readonly #made = new Map<string, Readonly<Record<string, string>>>();

  /** @param declares called before a manifest is written */
  constructor(api: ApiServer, declares: (key: string, declared: Declared) => void) {
    this.#api = api;
    this.#declares = declares;
    const again = (): void => {
      this.sync();
      later(againMs, again);
    };
    later(againMs, again);
  }

  apply(files: ReadonlyMap<string, ManifestFile>): void {
    this.#files = files;
    this.sync();
  }

  sync(): void {
    this.#makeNamespaces();
    const wanted: (readonly Wanted[])[] = [];
    const stays = new Set<string>();
    for (const [name, file] of this.#files) {
      const isRead = file.broken.length === 0;
      const manifests = isRead ? [...manifestsOf(file)] : [];
      if (isRead)
        this.#declaredIn.set(
          name,
          manifests.map(({ path }) => path),
        );
      if (isRead) wanted.push(manifests);
      // What can't be read says nothing: what it declared before stays.
      if (!file.emptied) for (const path of this.#declaredIn.get(name) ?? []) stays.add(path);
    }
    for (const path of this.#made.keys()) if (!stays.has(path)) this.#prune(path);
    // What is refused of a file holds up the rest of it, as a Secret that belongs to it.
    for (const file of wanted) {
      const steps = file.flatMap((one) => this.#stepTo(one) ?? []);
      if (steps.some(({ isRefused }) => isRefused)) continue;
      for (const { declared } of file) if (declared) this.#declares(declared.key, declared);
      for (const { make } of steps) make();
    }
  }

  /** One that is being deleted stays so until all that is in it is gone. */
  #makeNamespaces(): void {
    const there = new Set(this.#api.objects(namespaces.plural).map(({ metadata }) => metadata.name));
    for (const name of [space, otherSpace, 'holdfast-system'])
      if (!there.has(name))
        asked(this.#api, 'POST', namespacePath(''), {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name },
        });
  }

  #prune(path: string): void {
    if (asked(this.#api, 'DELETE', path) === 404) this.#made.delete(path);
  }

  /** @returns `undefined`: it is as it should be, or leaves, and is made anew once it is gone */
  #stepTo({
    path,
    manifest,
    text,
  }: Wanted): { readonly isRefused: boolean; readonly make: () => void } | undefined {
    const {
      kind,
      metadata: { name, namespace, annotations = {} },
    } = manifest;
    const current = this.#api
      .objects(resourceOf(kind).plural)
      .find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    const { metadata, spec, data }: Partial<KubernetesObject> = current ?? {};
    if (metadata?.deletionTimestamp !== undefined) return undefined;
    const mine = this.#made.get(path) ?? {};
    const others = Object.entries(metadata?.annotations ?? {}).filter(([one]) => !(one in mine));
    const now = { ...Object.fromEntries(others), ...annotations };
    const wanted = kind === 'Secret' ? dataOf(manifest) : undefined;
    const isSame = isDeepStrictEqual([spec, data, metadata?.annotations ?? {}], [manifest.spec, wanted, now]);
    if (current && isSame) return undefined;
    const { stringData: _, ...rest } = manifest;
    const labels = wanted ? { labels: watched } : {};
    const body = {
      ...current,
      ...rest,
      ...(wanted && { data: wanted }),
      metadata: { ...manifest.metadata, ...metadata, ...labels, annotations: now },
    };
    const make = (): void => {
      if (current) asked(this.#api, 'PUT', path, body);
      else asked(this.#api, 'POST', path.slice(0, path.lastIndexOf('/')), body);
      this.#made.set(path, annotations);
    };
    return { isRefused: !isAdmitted(text, spec), make };
  }
}

const watched = Object.fromEntries([watchLabel.split('=')]);

function* manifestsOf({ text, objects }: ManifestFile): Generator<Wanted> {
  for (const one of text.split('\n---\n')) {
    if (!one.startsWith('{')) continue;
    const manifest: Manifest = JSON.parse(one);
    if (manifest.kind === 'Installation') continue;
    const { kind, metadata } = manifest;
    const key = keyText({ kind, namespace: metadata.namespace ?? '', name: metadata.name });
    const path = pathOf(key);
    yield { path, manifest, text: one, declared: objects.find((declared) => declared.key === key) };
  }
}

function resourceOf(kind: string): Resource {
  const found = kind === 'Secret' ? secrets : resources.get(kind);
  if (!found) throw new Error(`no resource of kind ${kind}`);
  return found;
}

function pathOf(key: string): string {
  const named = parseKey(key);
  if (!named) throw new Error(`${key} is not the key of an object`);
  return objectPath(resourceOf(named.kind), named);
}

const dataOf = ({ stringData = {} }: Manifest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(stringData).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );

/** As the definitions say it, which are held against the program's own understanding elsewhere. @param before its spec */
function isAdmitted(text: string, before: unknown): boolean {
  for (const document of documentsIn(text)) {
    const found = readDocument(document, 'admission', declarations).examine(before);
    if (!('is' in found)) return false;
  }
  return true;
}
