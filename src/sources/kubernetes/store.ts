// Holds the newest version of every declared object that the API server has sent, from watches and from answers to
// writes. It decides which changes the engine must be notified of.
import { isDeepStrictEqual } from 'node:util';
import type { Written } from '../../api/kubernetes/options.ts';
import type { KubernetesObject } from '../../api/kubernetes/resources.ts';
import { isApproved } from '../../core/planning/deletion-limits.ts';
import { keyText, type Key } from '../../core/resource.ts';
import type { Notify } from '../../core/source/source.ts';
import type { Selector } from '../../core/text/selector.ts';
import { decode, digestsIn, isNewer, sameTexts, type Stored, type Validate } from './wire.ts';

/** What one reflector reads. Empty namespace: all namespaces. */
export type Collection = Pick<Key, 'kind' | 'namespace'>;

export interface StoreOptions {
  readonly validate: Validate;
  /** Of the objects that have these labels the watch reports. Absent: it reports all. */
  readonly selects?: Selector;
  /** Called for each change, once everything is listed. */
  readonly notify: Notify;
  /** Called when an object has just been marked for deletion. */
  readonly onDeletion: () => void;
  /** Called where another writer changed a status; who is called tells of it. Absent: it is told at once. */
  readonly onRewrite?: (key: string) => void;
}

interface Writing {
  count: number;
  /** Versions that arrived meanwhile by the watch. Each is ours unless the answers to the writes say otherwise. */
  readonly seen: Set<string>;
}

export class Store {
  readonly #options: StoreOptions;
  readonly #objects = new Map<string, Stored>();
  /** Key of a connection → digests that a person approves there. Few connections have any. */
  readonly #approvals = new Map<string, string>();
  /** Connection → digest → what it approves: ID by key. Kept are those that are approved, and the last one. */
  readonly #judged = new Map<string, ReadonlyMap<string, ReadonlyMap<string, string>>>();
  /** By key. The watch may report a write before its answer arrives. */
  readonly #writing = new Map<string, Writing>();
  /**
   * UID → collection of an object that a read found gone before the watch reported its deletion. Until then, what the
   * watch reports of it is outdated.
   */
  readonly #gone = new Map<string, Collection>();
  /** By collection: the version of its last list or deletion. An object that was absent as of that version is gone. */
  readonly #complete = new Map<string, string>();
  /** Notifications whose receiver threw. They are repeated with the next list. */
  readonly #pending = new Map<string, Parameters<Notify>[1]>();
  /** While false, nothing is notified. */
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

  /** ID of what a person approved for an object: on its connection now, or recorded in its status before. */
  approved(key: string, connectionOf: (key: Key) => string | undefined): string | undefined {
    const stored = this.#objects.get(key);
    if (!stored) return undefined;
    const connection = connectionOf(stored.object.key);
    if (connection === undefined) return stored.approved;
    const approves = this.#objects.get(connection)?.approves;
    const { awaits } = stored.status;
    if (awaits && isAmong(approves, awaits.digest)) return awaits.id;
    for (const [digest, ids] of this.#judged.get(connection) ?? []) {
      const id = ids.get(key);
      if (id !== undefined && isAmong(approves, digest))
        return isApproved(stored.approved, id) ? stored.approved : id;
    }
    return stored.approved;
  }

  judged(connection: string, digest: string, ids: ReadonlyMap<string, string>): void {
    const approves = this.#objects.get(connection)?.approves;
    const before = [...(this.#judged.get(connection) ?? [])].filter(([one]) => isAmong(approves, one));
    this.#judged.set(connection, new Map([...before, [digest, ids]]));
  }

  /**
   * Takes in an answer, unless it is outdated: the watch may already have reported the object's deletion. One that is not
   * selected any more is left to the watch, which says last of it that it is gone.
   */
  enter(kind: string, raw: KubernetesObject): void {
    const { namespace = '', resourceVersion } = raw.metadata;
    if (!this.isSelected(raw)) return;
    const [own, all] = [namespace, ''].map((at) => this.#complete.get(idOf({ kind, namespace: at })));
    const isKnown = this.#objects.has(keyOf(kind, raw));
    if (isKnown || isNewer(resourceVersion, own ?? all ?? '0')) this.changed(kind, raw);
  }

  /** Whether the object has the labels of the selector. */
  isSelected({ metadata: { labels = {} } }: KubernetesObject): boolean {
    return this.#options.selects?.(labels) !== false;
  }

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

  /** Takes in an object from a list or watch, unless a newer version of it is known. */
  changed(kind: string, raw: KubernetesObject): void {
    const { uid, resourceVersion } = raw.metadata;
    const key = keyOf(kind, raw);
    const before = this.#objects.get(key);
    if (this.#gone.has(uid)) return;
    const isSame = before?.object.uid === uid;
    if (before && !isNewer(resourceVersion, before.resourceVersion)) return;
    const now = decode(raw, kind, before, this.#options.validate);
    if (before && !isSame) this.#forget(key); // deleted and created again, and the watch did not report the deletion
    this.#objects.set(key, now);
    if (now.approves === undefined) this.#approvals.delete(key);
    else this.#approvals.set(key, now.approves);
    this.#compare(key, isSame ? before : undefined, now);
  }

  /** Takes in a deletion, unless a newer object has the name. */
  remove(of: Collection, raw: KubernetesObject): void {
    const { uid, resourceVersion } = raw.metadata;
    const key = keyOf(of.kind, raw);
    const before = this.#objects.get(key);
    this.#reached(of, resourceVersion);
    this.#gone.delete(uid);
    const isAnother = before?.object.uid !== uid;
    if (before && (!isAnother || isNewer(resourceVersion, before.resourceVersion))) this.#forget(key);
  }

  /** Records that a read found no such object. */
  gone(key: string, uid: string): void {
    const stored = this.#objects.get(key);
    if (stored?.object.uid !== uid) return;
    this.#gone.set(uid, stored.object.key);
    this.#forget(key);
  }

  /**
   * Takes in a list of a collection as of a version. An object that is not listed, and not newer than the list, is gone.
   */
  replace(of: Collection, listed: readonly KubernetesObject[], resourceVersion: string): void {
    const pending = [...this.#pending];
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
    for (const [key, cause] of pending) this.tell(key, cause);
  }

  /** Forgets all of a collection, because its namespace is gone. */
  emptied(of: Collection): void {
    for (const [key, { object }] of this.#objects) if (isIn(of, object.key)) this.#forget(key);
    for (const [uid, at] of this.#gone) if (isIn(of, at)) this.#gone.delete(uid);
  }

  tell(key: string, cause: Parameters<Notify>[1]): void {
    if (!this.isListed) return;
    this.#pending.set(key, cause);
    this.#options.notify(key, cause);
    this.#pending.delete(key);
  }

  #reached(of: Collection, version: string): void {
    if (isNewer(version, this.#complete.get(idOf(of)) ?? '0')) this.#complete.set(idOf(of), version);
  }

  #written(key: string, { seen }: Writing): void {
    this.#writing.delete(key);
    if (seen.size > 0 && this.#objects.has(key)) this.tell(key, 'listed'); // another writer, or a lost answer
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
    const isEdited = a?.generation !== b.generation || a.deleting !== b.deleting || a.spec !== b.spec;
    if (isEdited) return this.tell(key, 'edited');
    if (!sameTexts(a.requests, b.requests)) return this.tell(key, 'requested');
    if (this.#isApproved(now, before)) return this.tell(key, 'requested');
    // Only this process writes these. A change that is not part of a write in flight was made by another writer.
    const isStatus = a.held === b.held && a.doubt === b.doubt;
    if (isStatus && isDeepStrictEqual(before?.wire, now.wire)) return;
    const writing = this.#writing.get(key);
    if (writing) writing.seen.add(now.resourceVersion);
    else if (isStatus && this.isListed && this.#options.onRewrite) this.#options.onRewrite(key);
    else this.tell(key, 'listed'); // a finalizer is put back at once
  }

  /** Whether the object begins to wait for an approval that a person has already given. */
  #isApproved({ status: { awaits } }: Stored, before: Stored | undefined): boolean {
    if (awaits === undefined || awaits.digest === before?.status.awaits?.digest) return false;
    return [...this.#approvals.values()].some((approves) => isAmong(approves, awaits.digest));
  }

  /** Notifies of the objects that wait for this approval. */
  #approved(approves: string | undefined): void {
    if (approves === undefined) return;
    for (const [key, { status }] of this.#objects) {
      if (isAmong(approves, status.awaits?.digest)) this.tell(key, 'requested');
    }
  }
}

const isAmong = (approves: string | undefined, digest: string | undefined): boolean =>
  digest !== undefined && digestsIn(approves).includes(digest);

const idOf = ({ kind, namespace }: Collection): string => `${kind}/${namespace}`;

const isIn = (of: Collection, at: Collection): boolean =>
  at.kind === of.kind && (of.namespace === '' || at.namespace === of.namespace);

const keyOf = (kind: string, { metadata }: KubernetesObject): string =>
  keyText({ kind, namespace: metadata.namespace ?? '', name: metadata.name });
