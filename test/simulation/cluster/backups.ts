// A backup of the objects of a cluster, from which somebody puts back who is gone, or makes another one of who may still be there:
// as another object, with another UID, and with the annotations and finalizers that it had.
import { objectPath, type KubernetesObject } from '../../../src/api/kubernetes/resources.ts';
import { isRecord } from '../../../src/core/json.ts';
import { parseKey } from '../../../src/core/resource.ts';
import { resources } from '../../../src/runtime/kinds/lookup.ts';
import type { Declared } from '../oracle/record.ts';
import type { ApiServer } from './api-server.ts';
import { asked } from './person.ts';

interface Backup {
  readonly object: KubernetesObject;
  readonly declared: Declared;
}

/** What was asked of the former object by hand is not asked of the new one. */
const byHand = new Set(['suspend', 'force-orphan', 'reconcile'].map((name) => `holdfast.dev/${name}`));

export class Backups {
  readonly #api: ApiServer;
  /** Object → as it stood last before it was deleted. */
  readonly #kept = new Map<string, Backup>();

  constructor(api: ApiServer) {
    this.#api = api;
  }

  keep(key: string, object: KubernetesObject, declared: Declared): void {
    if (object.metadata.deletionTimestamp === undefined) this.#kept.set(key, { object, declared });
  }

  /**
   * @param to the object that is made of it, which is not there: itself, or a copy
   * @param before called before it is made, with what it declares
   */
  restore(key: string, to: string, withStatus: boolean, before: (declared: Declared) => void): void {
    const [backup, named] = [this.#kept.get(key), parseKey(to)];
    const resource = named && resources.get(named.kind);
    if (!backup || !resource) return;
    const { object } = backup;
    const { name, namespace } = named;
    before(declaredAs(backup, to, name));
    const { labels, annotations = {}, finalizers } = object.metadata;
    const kept = Object.fromEntries(Object.entries(annotations).filter(([one]) => !byHand.has(one)));
    const metadata = { name, namespace, labels, annotations: kept, finalizers };
    const path = objectPath(resource, named);
    // A status that comes with it is dropped: it has to be written by itself.
    asked(this.#api, 'POST', path.slice(0, path.lastIndexOf('/')), { ...object, metadata });
    if (withStatus) asked(this.#api, 'PATCH', `${path}/status`, { status: object['status'] });
  }
}

/** It names a volume by its own name where it declares no other. */
function declaredAs({ object: { spec }, declared }: Backup, key: string, name: string): Declared {
  const id = isRecord(spec) && spec['externalName'] !== undefined ? declared.place.id : name;
  return { ...declared, key, place: { ...declared.place, id } };
}
