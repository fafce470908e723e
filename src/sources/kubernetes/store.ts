// What the API server last said of every declared object, and what that means for the engine.
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../../api/kubernetes/resources.ts';
import { keyText } from '../../core/resource.ts';
import type { Notify } from '../../core/source/source.ts';
import { decode, isNewer, sameTexts, type Stored, type Validate } from './wire.ts';

export interface StoreOptions {
  readonly validate: Validate;
  /** Told of what changed, once all of it is listed. */
  readonly notify: Notify;
  /** Told when an object is to be deleted from now on. */
  readonly onDeletion: () => void;
}

export class Store {
  readonly #options: StoreOptions;
  readonly #objects = new Map<string, Stored>();
  /** What a person approves on which object: few have any. */
  readonly #approvals = new Map<string, string>();
  /** Keys with a write of ours on its way: the watch may tell of it before the answer does. */
  readonly #writing = new Set<string>();
  /** UIDs of what was seen to be gone before the watch told of it: what it tells of them until then is of before. */
  readonly #gone = new Set<string>();
  /** Nothing is told before. */
  isListed = false;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  get(key: string): Stored | undefined {
    return this.#objects.get(key);
  }

  entries(): Iterable<readonly [string, Stored]> {
    return this.#objects;
  }

  /**
   * Takes in what was read, unless something newer is known.
   * @returns what is known now
   */
  enter(kind: string, raw: KubernetesObject): Stored | undefined {
    const { uid, resourceVersion } = raw.metadata;
    const key = keyOf(kind, raw);
    const before = this.#objects.get(key);
    if (this.#gone.has(uid)) return before;
    const isSame = before?.object.uid === uid;
    if (before && !isNewer(resourceVersion, before.resourceVersion)) return before;
    const now = decode(raw, kind, before, this.#options.validate);
    if (before && !isSame) this.#forget(key); // deleted and created again, and nobody said so
    this.#objects.set(key, now);
    if (now.approves === undefined) this.#approvals.delete(key);
    else this.#approvals.set(key, now.approves);
    this.#tell(key, isSame ? before : undefined, now);
    return now;
  }

  /** Makes a write, and takes in its answer. */
  async write<T>(key: string, act: () => Promise<T>): Promise<T> {
    this.#writing.add(key);
    try {
      return await act();
    } finally {
      this.#writing.delete(key);
    }
  }

  /** It is gone, unless something newer has its name. */
  remove(kind: string, raw: KubernetesObject): void {
    const { uid, resourceVersion } = raw.metadata;
    const key = keyOf(kind, raw);
    const before = this.#objects.get(key);
    this.#gone.delete(uid);
    const isAnother = before?.object.uid !== uid;
    if (before && (!isAnother || isNewer(resourceVersion, before.resourceVersion))) this.#forget(key);
  }

  /** It was asked for, and was not there. */
  gone(key: string, uid: string): void {
    if (this.#objects.get(key)?.object.uid !== uid) return;
    this.#gone.add(uid);
    this.#forget(key);
  }

  /**
   * What there is of a kind, as of a version: what is not among it and no newer is gone.
   * @param namespace empty: in all of them
   */
  replace(
    kind: string,
    namespace: string,
    listed: readonly KubernetesObject[],
    resourceVersion: string,
  ): void {
    const there = new Set<string>();
    for (const raw of listed) {
      this.enter(kind, raw);
      there.add(keyOf(kind, raw));
    }
    for (const [key, { object, resourceVersion: known }] of this.#objects) {
      const isListed = object.key.kind === kind && (namespace === '' || object.key.namespace === namespace);
      if (isListed && !there.has(key) && !isNewer(known, resourceVersion)) this.#forget(key);
    }
  }

  #forget(key: string): void {
    this.#objects.delete(key);
    this.#approvals.delete(key);
    if (this.isListed) this.#options.notify(key, 'edited');
  }

  #tell(key: string, before: Stored | undefined, now: Stored): void {
    const { notify, onDeletion } = this.#options;
    const a = before?.object;
    const b = now.object;
    if (b.deleting && a?.deleting !== true) onDeletion();
    if (!this.isListed) return;
    if (a?.generation !== b.generation || a.deleting !== b.deleting) return notify(key, 'edited');
    if (!sameTexts(a.requests, b.requests)) return notify(key, 'requested');
    if (before?.approves !== now.approves) this.#approved(now.approves);
    if (this.#isApproved(now, before)) return notify(key, 'requested');
    if (this.#writing.has(key)) return;
    // Somebody else wrote what only we do, or took it away.
    if (a.held !== b.held || !isDeepStrictEqual(before?.wire, now.wire)) notify(key, 'listed');
  }

  /** It waits from now on for what a person approved before it said so. */
  #isApproved({ status: { awaits } }: Stored, before: Stored | undefined): boolean {
    if (awaits === undefined || awaits.digest === before?.status.awaits?.digest) return false;
    return [...this.#approvals.values()].includes(awaits.digest);
  }

  /** Those who wait for this approval may go on. */
  #approved(digest: string | undefined): void {
    if (digest === undefined) return;
    for (const [key, { status }] of this.#objects) {
      if (status.awaits?.digest === digest) this.#options.notify(key, 'requested');
    }
  }
}

const keyOf = (kind: string, { metadata }: KubernetesObject): string =>
  keyText({ kind, namespace: metadata.namespace ?? '', name: metadata.name });
