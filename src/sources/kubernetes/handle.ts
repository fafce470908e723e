// The handle of one object of the API server, for one visit. Each write is conditional on the version that was read.
// After a conflict the object is read again, and the write is repeated unless the object or its status is no longer what
// the visit assumes.
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { Written } from '../../api/kubernetes/options.ts';
import type { KubernetesObject, Resource } from '../../api/kubernetes/resources.ts';
import type { SourceEffect } from '../../core/effect.ts';
import { ApiError, ConflictError, type Outcome } from '../../core/errors.ts';
import { deletionID, isApproved } from '../../core/planning/deletion-limits.ts';
import { keyText, type DeclaredObject } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import type { Published } from '../../core/source/output.ts';
import type { Handle, Release, WriteOptions } from '../../core/source/source.ts';
import type { Status } from '../../core/status/status.ts';
import { createChild, deleteChildren } from './children.ts';
import type { RecentDeletions } from './recent-deletions.ts';
import { publisherOf, type Publisher } from '../publisher.ts';
import type { Outputs } from './outputs.ts';
import { restart } from './restarts.ts';
import type { Store } from './store.ts';
import {
  finalizer,
  inUseProtection,
  intentAnnotation,
  statusBody,
  type IntentRecord,
  type Stored,
} from './wire.ts';

export interface HandleParts {
  readonly client: KubernetesClient;
  readonly store: Store;
  readonly outputs: Outputs;
  readonly recentDeletions: RecentDeletions;
  readonly resourceOf: (kind: string) => Resource;
  /** keyText of the connection through which an object is reached; `undefined` for connections themselves. */
  readonly connectionOf: (key: DeclaredObject['key']) => string | undefined;
  readonly approved: (key: string) => string | undefined;
  /**
   * Resolves when what was declared by this version is known of all objects that may refer to one of the kind, or name its
   * external object. @throws ApiError
   */
  readonly reach: (kind: string, version: string) => Promise<void>;
  readonly newID: () => string;
  readonly writes?: WriteListener;
}

/** Hears of writes of a status. That one is refused can't be said in its conditions; of any other write, they tell. */
export interface WriteListener {
  refused(key: string, error: ApiError): void;
  written(key: string): void;
}

/** Attempts per write. Each retry reads the object again; other writers may conflict a few times, but not forever. */
const attemptsMax = 8;

export class KubernetesHandle implements Handle {
  readonly #key: string;
  readonly #parts: HandleParts;
  #object: DeclaredObject;
  #status: Status;
  /** The object as this visit last read or wrote it. */
  #seen: Stored;

  constructor(key: string, stored: Stored, parts: HandleParts) {
    this.#key = key;
    this.#parts = parts;
    this.#object = stored.object;
    this.#status = stored.status;
    this.#seen = stored;
  }

  get object(): DeclaredObject {
    return this.#object;
  }

  get status(): Status {
    return this.#status;
  }

  async confirm(destroys = false): Promise<void> {
    const { generation, spec, deleting, requests, key } = this.#object;
    const { marked, resourceVersion } = this.#current();
    if (destroys) await this.#parts.reach(key.kind, marked ?? resourceVersion);
    const [{ object: now }] = await Promise.all([this.#read(), destroys && this.#readConnection()]);
    if (
      now.generation === generation &&
      isDeepStrictEqual(now.spec, spec) &&
      now.deleting === deleting &&
      isDeepStrictEqual(now.requests, requests)
    )
      return;
    throw new ConflictError('edited', `${this.#key} has changed`);
  }

  async hold(intent?: Status): Promise<void> {
    const { newID, resourceOf } = this.#parts;
    const record = { id: newID(), uid: this.#object.uid, ...(intent && { status: intent }) };
    const { metadata } = await this.#patch((stored) => [...without(stored, finalizer), finalizer], record);
    const isStored =
      metadata.finalizers?.includes(finalizer) &&
      metadata.annotations?.[intentAnnotation] === JSON.stringify(record);
    if (!isStored) {
      const { plural } = resourceOf(this.#object.key.kind);
      const why = `${plural}.patch: the finalizer is not stored as sent, as where an admission webhook changes it`;
      throw new ApiError('refused', 'Rejected', why);
    }
    // The API server may delete an object to which a finalizer is added at the same moment (kubernetes#77988).
    if (intent) await this.#read();
    this.#object = { ...this.#object, held: true };
    if (intent) this.#status = intent;
  }

  async unhold(): Promise<void> {
    await this.#patch((stored) => without(stored, finalizer), null);
    this.#object = { ...this.#object, held: false };
  }

  async protect(): Promise<void> {
    if (this.#current().finalizers.includes(inUseProtection)) return;
    await this.#patch((stored) => [...without(stored, inUseProtection), inUseProtection]);
  }

  async writeStatus(status: Status, { recordDeletion }: WriteOptions = {}): Promise<void> {
    if (status === this.#status) return;
    if (recordDeletion) await this.#recordDeletion();
    const { client, resourceOf, approved } = this.#parts;
    const { kind } = this.#object.key;
    const resource = resourceOf(kind);
    await this.#write((stored) => {
      const { apiVersion } = resource;
      const metadata = {
        ...this.#object.key,
        uid: this.#object.uid,
        resourceVersion: stored.resourceVersion,
      };
      const body = { apiVersion, kind, metadata, status: statusBody(status, stored, approved(this.#key)) };
      return this.#told(client.replace(resource, this.#object.key, body, { subresource: 'status' }));
    });
    this.#status = status;
  }

  async release({ moved, exempt }: Release): Promise<readonly string[]> {
    const stored = this.#current();
    const { object } = stored;
    if (!object.deleting) throw new ConflictError('declared-again', `${this.#key} is declared again`);
    const others = withoutOurs(stored);
    if (others.length === stored.finalizers.length) return others;
    const approved = isApproved(this.#parts.approved(this.#key), deletionID(object));
    const counts = moved !== true && exempt !== true && !approved;
    if (counts) await this.#recordDeletion();
    const { metadata } = await this.#patch(withoutOurs);
    // That was the last finalizer: the API server deleted the object, and its answer bears no newer version to compare.
    if (!metadata.finalizers?.length) this.#parts.store.gone(this.#key, object.uid);
    return metadata.finalizers ?? [];
  }

  async published(name: string): Promise<Published> {
    return this.#parts.outputs.published(this.#publisher(), name);
  }

  async perform(effect: SourceEffect): Promise<Outcome> {
    const publisher = this.#publisher();
    try {
      await this.#perform(publisher, effect);
      return { is: 'done' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { is: error.mayHaveHadEffect ? 'unknown' : 'rejected', error };
    }
  }

  #perform(publisher: Publisher, effect: SourceEffect): Promise<void> {
    const { client, outputs } = this.#parts;
    switch (effect.op) {
      case 'output.write':
        return outputs.publish(publisher, effect.output);
      case 'output.try':
        return outputs.tryPublish(publisher, effect.name);
      case 'output.delete':
        return outputs.withdraw(publisher, effect.name);
      case 'workload.restart':
        return restart(client, publisher, effect.workload, effect.token);
      case 'child.create':
        return createChild(this.#parts, effect.child);
      case 'child.delete':
        return deleteChildren(this.#parts, effect.children);
    }
  }

  #publisher(): Publisher {
    const { object, status } = this.#current();
    return publisherOf(object, status);
  }

  /** The stored object. @throws ConflictError when the object is gone, or another object has its key */
  #current(): Stored {
    const stored = this.#parts.store.get(this.#key);
    if (!stored) throw new ConflictError('gone', `${this.#key} is gone`);
    if (stored.object.uid !== this.#object.uid)
      throw new ConflictError('replaced', `${this.#key} is another object`);
    return stored;
  }

  #unwritten(stored: Stored): Stored {
    if (stored === this.#seen || isDeepStrictEqual(stored.status, this.#seen.status)) return stored;
    throw new ConflictError('stale', `the status of ${this.#key} was written by another`);
  }

  async #read(): Promise<Stored> {
    await this.#refresh(this.#object);
    return this.#unwritten(this.#current());
  }

  /** A person may have suspended the connection, and its watch may be dead. */
  async #readConnection(): Promise<void> {
    const { store, connectionOf } = this.#parts;
    const stored = store.get(connectionOf(this.#object.key) ?? '');
    if (stored) await this.#refresh(stored.object);
  }

  /**
   * Reads an object from the API server, and takes it into the store.
   * @throws ConflictError when it is not selected any more: what is stored is of before, and stays until the watch tells
   */
  async #refresh({ key, uid }: Pick<DeclaredObject, 'key' | 'uid'>): Promise<void> {
    const { client, store, resourceOf } = this.#parts;
    const raw = await client.get(resourceOf(key.kind), key);
    if (!raw) return store.gone(keyText(key), uid);
    if (!store.isSelected(raw)) throw new ConflictError('gone', `${keyText(key)} is not selected any more`);
    store.enter(key.kind, raw);
  }

  /** @param intent null: removes the annotation */
  #patch(
    finalizersOf: (stored: Stored) => readonly string[],
    intent?: IntentRecord | null,
  ): Promise<KubernetesObject> {
    const { client, resourceOf } = this.#parts;
    const { key } = this.#object;
    const annotations = intent !== undefined && {
      annotations: { [intentAnnotation]: intent === null ? null : JSON.stringify(intent) },
    };
    return this.#write((stored) => {
      const { resourceVersion } = stored;
      const metadata: Json = { resourceVersion, finalizers: finalizersOf(stored), ...annotations };
      return client.patch(resourceOf(key.kind), key, { metadata });
    });
  }

  async #write(act: (stored: Stored) => Promise<Written>): Promise<KubernetesObject> {
    const { store } = this.#parts;
    const { key, uid } = this.#object;
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const stored = this.#unwritten(this.#current());
      const written = await store.write(this.#key, key.kind, () => act(stored));
      if (written.is === 'done') {
        const now = store.get(this.#key);
        if (now?.object.uid === uid) this.#seen = now; // else the watch has already reported its deletion
        return written.object;
      }
      if (written.is === 'absent') store.gone(this.#key, uid);
      else await this.#read();
    }
    throw new ConflictError('stale', `${this.#key} is written by others all the time`);
  }

  /** @throws the error of the write of the status */
  async #told(write: Promise<Written>): Promise<Written> {
    const { writes } = this.#parts;
    try {
      const written = await write;
      writes?.written(this.#key);
      return written;
    } catch (error) {
      if (error instanceof ApiError && error.class === 'refused') writes?.refused(this.#key, error);
      throw error;
    }
  }

  async #recordDeletion(): Promise<void> {
    const { recentDeletions, connectionOf } = this.#parts;
    const connection = connectionOf(this.#object.key);
    if (connection !== undefined) await recentDeletions.record(connection, this.#key);
  }
}

const without = ({ finalizers }: Stored, ...ours: readonly string[]): readonly string[] =>
  finalizers.filter((one) => !ours.includes(one));

const withoutOurs = (stored: Stored): readonly string[] => without(stored, finalizer, inUseProtection);
