// What the API server last said of every declared object, and what that means for the engine.
import { isDeepStrictEqual } from 'node:util';
import type { Written } from '../../api/kubernetes/options.ts';
import type { KubernetesObject } from '../../api/kubernetes/resources.ts';
import { keyText, type Key } from '../../core/resource.ts';
import type { Notify } from '../../core/source/source.ts';
import { decode, isNewer, sameTexts, type Stored, type Validate } from './wire.ts';

/** What one reflector reads. Empty namespace: all of them. */
export type Collection = Pick<Key, 'kind' | 'namespace'>;

export interface StoreOptions {
  readonly validate: Validate;
  /** Told of what changed, once all of it is listed. */
  readonly notify: Notify;
  /** Told when an object is to be deleted from now on. */
  readonly onDeletion: () => void;
}

/** Writes of one key that are on their way. */
interface Writing {
  count: number;
  /** Versions that were seen meanwhile: ours, until the answers say which those are. */
  readonly seen: Set<string>;
}

export class Store {
  readonly #options: StoreOptions;
  readonly #objects = new Map<string, Stored>();
  /** What a person approves on which object: few have any. */
  readonly #approvals = new Map<string, string>();
  /** By key. The watch may tell of a write before its answer does. */
  readonly #writing = new Map<string, Writing>();
  /** UID → where it was. It was seen to be gone before the watch told of it: what that tells until then is of before. */
  readonly #gone = new Map<string, Collection>();
  /** By collection: the version of its last list or deletion. What is not known as of then is gone. */
  readonly #complete = new Map<string, string>();
  /** What nobody took, because the one who was told failed: told again with the next list. */
  readonly #untold = new Map<string, Parameters<Notify>[1]>();
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

  /** ID of what a person approved for an object: on its connection, or before that. */
  approved(key: string, connectionOf: (key: Key) => string | undefined): string | undefined {
    const stored = this.#objects.get(key);
    const awaits = stored?.status.awaits;
    const connection = awaits && connectionOf(stored.object.key);
    const approves = connection === undefined ? undefined : this.#objects.get(connection)?.approves;
    return awaits && awaits.digest === approves ? awaits.id : stored?.approved;
  }

  /** Takes in an answer, unless something newer is known: the watch may have told of its deletion before. */
  enter(kind: string, raw: KubernetesObject): void {
    const { namespace = '', resourceVersion } = raw.metadata;
    const [own, all] = [namespace, ''].map((at) => this.#complete.get(idOf({ kind, namespace: at })));
    const isKnown = this.#objects.has(keyOf(kind, raw));
    if (isKnown || isNewer(resourceVersion, own ?? all ?? '0')) this.changed(kind, raw);
  }

  /** Makes a write, and takes in its answer. */
  async write(key: string, kind: string, act: () => Promise<Written>): Promise<Written> {
    const writing = this.#writing.get(key) ?? { count: 0, seen: new Set() };
    this.#writing.set(key, writing);
    writing.count += 1;
    try {
      const written = await act();
      if (written.is !== 'done') return written;
      this.enter(kind, written.object);
      writing.seen.delete(written.object.metadata.resourceVersion);
      return written;
    } finally {
      writing.count -= 1;
      if (writing.count === 0) this.#written(key, writing);
    }
  }

  /** Takes in what a collection tells, unless something newer is known. */
  changed(kind: string, raw: KubernetesObject): void {
    const { uid, resourceVersion } = raw.metadata;
    const key = keyOf(kind, raw);
    const before = this.#objects.get(key);
    if (this.#gone.has(uid)) return;
    const isSame = before?.object.uid === uid;
    if (before && !isNewer(resourceVersion, before.resourceVersion)) return;
    const now = decode(raw, kind, before, this.#options.validate);
    if (before && !isSame) this.#forget(key); // deleted and created again, and nobody said so
    this.#objects.set(key, now);
    if (now.approves === undefined) this.#approvals.delete(key);
    else this.#approvals.set(key, now.approves);
    this.#compare(key, isSame ? before : undefined, now);
  }

  /** It is gone, unless something newer has its name. */
  remove(of: Collection, raw: KubernetesObject): void {
    const { uid, resourceVersion } = raw.metadata;
    const key = keyOf(of.kind, raw);
    const before = this.#objects.get(key);
    this.#reached(of, resourceVersion);
    this.#gone.delete(uid);
    const isAnother = before?.object.uid !== uid;
    if (before && (!isAnother || isNewer(resourceVersion, before.resourceVersion))) this.#forget(key);
  }

  /** It was asked for, and was not there. */
  gone(key: string, uid: string): void {
    const stored = this.#objects.get(key);
    if (stored?.object.uid !== uid) return;
    this.#gone.set(uid, stored.object.key);
    this.#forget(key);
  }

  /** What there is of a collection, as of a version: what is not among it and no newer is gone. */
  replace(of: Collection, listed: readonly KubernetesObject[], resourceVersion: string): void {
    const untold = [...this.#untold];
    const there = new Set<string>();
    const uids = new Set<string>();
    for (const raw of listed) {
      this.changed(of.kind, raw);
      there.add(keyOf(of.kind, raw));
      uids.add(raw.metadata.uid);
    }
    for (const [key, { object, resourceVersion: known }] of this.#objects) {
      if (isIn(of, object.key) && !there.has(key) && !isNewer(known, resourceVersion)) this.#forget(key);
    }
    for (const [uid, at] of this.#gone) if (isIn(of, at) && !uids.has(uid)) this.#gone.delete(uid);
    this.#reached(of, resourceVersion);
    for (const [key, cause] of untold) this.tell(key, cause);
  }

  tell(key: string, cause: Parameters<Notify>[1]): void {
    if (!this.isListed) return;
    this.#untold.set(key, cause);
    this.#options.notify(key, cause);
    this.#untold.delete(key);
  }

  #reached(of: Collection, version: string): void {
    if (isNewer(version, this.#complete.get(idOf(of)) ?? '0')) this.#complete.set(idOf(of), version);
  }

  #written(key: string, { seen }: Writing): void {
    this.#writing.delete(key);
    if (seen.size > 0 && this.#objects.has(key)) this.tell(key, 'listed'); // by another, or the answer was lost
  }

  #forget(key: string): void {
    this.#objects.delete(key);
    this.#approvals.delete(key);
    this.tell(key, 'edited');
  }

  #compare(key: string, before: Stored | undefined, now: Stored): void {
    const a = before?.object;
    const b = now.object;
    if (b.deleting && a?.deleting !== true) this.#options.onDeletion();
    if (before?.approves !== now.approves) this.#approved(now.approves);
    if (a?.generation !== b.generation || a.deleting !== b.deleting) return this.tell(key, 'edited');
    if (!sameTexts(a.requests, b.requests)) return this.tell(key, 'requested');
    if (this.#isApproved(now, before)) return this.tell(key, 'requested');
    // Only we write that: somebody else did, or took it away, unless it is what we just write.
    if (a.held === b.held && a.doubt === b.doubt && isDeepStrictEqual(before?.wire, now.wire)) return;
    const writing = this.#writing.get(key);
    if (writing) writing.seen.add(now.resourceVersion);
    else this.tell(key, 'listed');
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
      if (status.awaits?.digest === digest) this.tell(key, 'requested');
    }
  }
}

const idOf = ({ kind, namespace }: Collection): string => `${kind}/${namespace}`;

const isIn = (of: Collection, at: Collection): boolean =>
  at.kind === of.kind && (of.namespace === '' || at.namespace === of.namespace);

const keyOf = (kind: string, { metadata }: KubernetesObject): string =>
  keyText({ kind, namespace: metadata.namespace ?? '', name: metadata.name });
