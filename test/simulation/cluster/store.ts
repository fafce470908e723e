// What the simulated API server stores: objects under one version counter, and the changes since the last compaction.
import type { Resource } from '../../../src/api/kubernetes/resources.ts';
import { composed, type Stored } from './objects.ts';
import type { Change } from './watches.ts';

/** All that is stored, at one moment. */
export interface Backup {
  readonly version: number;
  readonly objects: ReadonlyMap<Resource, ReadonlyMap<string, Stored>>;
}

const firstVersion = 1_000;
/** What `etcdutl snapshot restore --bump-revision 1000000000` adds. */
const bumpedBy = 1_000_000_000;

const pathOf = (namespace: string, name: string): string => `${namespace}/${name}`;

export class Store {
  #version = firstVersion;
  /** Changes up to this version are forgotten. */
  #compactedAt = firstVersion;
  #changes: Change[] = [];
  #objects = new Map<Resource, Map<string, Stored>>();
  readonly #told: (change: Change) => void;

  /** @param told of each change, once it is stored */
  constructor(resources: Iterable<Resource>, told: (change: Change) => void) {
    this.#told = told;
    for (const resource of resources) this.#objects.set(resource, new Map());
  }

  get version(): number {
    return this.#version;
  }

  get compactedAt(): number {
    return this.#compactedAt;
  }

  get resources(): readonly Resource[] {
    return [...this.#objects.keys()];
  }

  get(of: Resource, namespace: string, name: string): Stored | undefined {
    return this.#objects.get(of)?.get(pathOf(namespace, name));
  }

  /** By namespace and name, as etcd sorts its keys. */
  list(of: Resource): readonly Stored[] {
    const held = [...(this.#objects.get(of) ?? [])];
    return held.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** @returns it with its new version */
  put(of: Resource, object: Stored): Stored {
    const { metadata } = object;
    const { namespace = '', name } = metadata;
    const before = this.get(of, namespace, name);
    this.#version += 1;
    const after = composed(of, object, { ...metadata, resourceVersion: String(this.#version) });
    this.#objects.get(of)?.set(pathOf(namespace, name), after);
    this.#tell({ resource: of, version: this.#version, ...(before && { before }), after });
    return after;
  }

  remove(of: Resource, before: Stored): void {
    const { namespace = '', name } = before.metadata;
    this.#version += 1;
    this.#objects.get(of)?.delete(pathOf(namespace, name));
    this.#tell({ resource: of, version: this.#version, before });
  }

  since(version: number): readonly Change[] {
    return this.#changes.filter((change) => change.version > version);
  }

  compact(): void {
    this.#compactedAt = this.#version;
    this.#changes = [];
  }

  backup(): Backup {
    return { version: this.#version, objects: copied(this.#objects) };
  }

  /** @param bump versions jump ahead; otherwise they go back */
  restore({ version, objects }: Backup, bump: boolean): void {
    this.#objects = copied(objects);
    this.#version = bump ? version + bumpedBy : version;
    this.compact();
  }

  #tell(change: Change): void {
    this.#changes.push(change);
    this.#told(change);
  }
}

const copied = (objects: Backup['objects']): Map<Resource, Map<string, Stored>> =>
  new Map([...objects].map(([resource, held]) => [resource, new Map(held)]));
