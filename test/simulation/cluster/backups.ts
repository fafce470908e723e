// A backup of the objects of a cluster, from which somebody puts back who is gone: as another object, with another UID, and
// with the annotations and finalizers that it had.
import type { KubernetesObject } from '../../../src/api/kubernetes/resources.ts';
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
   * @param path of the object, which is gone
   * @param before called before it is made
   */
  restore(key: string, path: string, withStatus: boolean, before: (declared: Declared) => void): void {
    const backup = this.#kept.get(key);
    if (!backup) return;
    before(backup.declared);
    const { object } = backup;
    const { name, namespace, labels, annotations = {}, finalizers } = object.metadata;
    const kept = Object.fromEntries(Object.entries(annotations).filter(([one]) => !byHand.has(one)));
    const metadata = { name, namespace, labels, annotations: kept, finalizers };
    asked(this.#api, 'POST', path.slice(0, path.lastIndexOf('/')), { ...object, metadata });
    if (withStatus) asked(this.#api, 'PATCH', `${path}/status`, { status: object['status'] });
  }
}
