// Keeps all objects in display order, updated by changed keys. Serving a page of ten thousand objects four times a second
// costs little more than the changes.
import { setImmediate } from 'node:timers/promises';
import type { Mark, State, View } from '../../core/status/view.ts';
import type { Group, Query } from '../query.ts';
import { entryOf, groupOf, isFound, problemsFirst, sorterOf, type Entry } from './entry.ts';

/** An object's place in the order. It stays while its entry is replaced. */
interface Slot {
  entry: Entry;
  gone: boolean;
}

export interface Summary {
  readonly total: number;
  readonly counts: Readonly<Record<State | Mark, number>>;
  readonly kinds: readonly string[];
  readonly namespaces: readonly string[];
  readonly connections: readonly string[];
  /** Key of a connection → how many objects use it. */
  readonly users: ReadonlyMap<string, { readonly total: number; readonly ready: number }>;
}

/** The first objects of a group. */
export interface GroupOfRows {
  /** A namespace, the key of a connection, or `-`. */
  readonly name: string;
  readonly keys: readonly string[];
  readonly total: number;
  readonly stalled: number;
  readonly unready: number;
}

export interface Page {
  readonly keys: readonly string[];
  /** In the order of their first objects. Empty: the list is not grouped, or nothing matches. */
  readonly groups: readonly GroupOfRows[];
  /** On all pages. */
  readonly groupsTotal: number;
  /** Matching objects on all pages. */
  readonly total: number;
  /** From 1; the last page if a later one was asked for. */
  readonly page: number;
  readonly pages: number;
  /** Of the first key, or of the first group; from 0. */
  readonly offset: number;
}

export interface Move {
  readonly key: string;
  readonly before: State | undefined;
  readonly after: State | undefined;
}

/** Called from the first refresh on. */
export interface Listener {
  changed(key: string): void;
  moved(move: Move): void;
}

export const pageSize = 200;
/** Objects that are shown of each group; the heading links to the others. */
const groupShows = 10;
const groupsMax = pageSize / groupShows;
const batch = 1_000;

export class Board {
  readonly #view: View;
  readonly #slots = new Map<string, Slot>();
  #dirty = new Set<string>();
  /** All slots; sorted if `#inOrder`. They are kept between refreshes, because sorting a nearly sorted list is cheap. */
  #order: Slot[] = [];
  #inOrder = true;
  #summary: Summary | undefined;
  #refreshing: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  readonly #listener: Listener;

  constructor(view: View, listener: Listener) {
    this.#view = view;
    this.#listener = listener;
  }

  /** Processes the changes since the last call. A board that is never refreshed costs nothing. */
  refresh(): Promise<void> {
    if (this.#unsubscribe === undefined) {
      this.#unsubscribe = this.#view.subscribe((key) => {
        this.#dirty.add(key);
        this.#listener.changed(key);
      });
      for (const key of this.#view.keys()) this.#dirty.add(key);
    }
    this.#refreshing ??= this.#takeOver().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  stop(): void {
    this.#unsubscribe?.();
  }

  get summary(): Summary {
    return (this.#summary ??= summarise(this.#slots.values()));
  }

  page(query: Query): Page {
    const found = this.#select(query);
    if (query.group) return groupedPage(found, query.group, query.page);
    const pages = Math.max(1, Math.ceil(found.length / pageSize));
    const page = Math.min(query.page, pages);
    const offset = (page - 1) * pageSize;
    const keys = found.slice(offset, offset + pageSize).map(({ key }) => key);
    return { keys, groups: [], groupsTotal: 0, total: found.length, page, pages, offset };
  }

  async #takeOver(): Promise<void> {
    const dirty = this.#dirty;
    this.#dirty = new Set();
    let n = 0;
    for (const key of dirty) {
      this.#take(key);
      if (++n % batch === 0) await setImmediate();
    }
  }

  #take(key: string): void {
    const slot = this.#slots.get(key);
    const before = slot?.entry;
    const object = this.#view.object(key);
    const after = object && entryOf(object);
    this.#summary = undefined;
    if (before?.rank !== after?.rank) this.#inOrder = false;
    if (before?.state !== after?.state)
      this.#listener.moved({ key, before: before?.state, after: after?.state });
    if (after === undefined) {
      if (slot) slot.gone = true;
      this.#slots.delete(key);
    } else if (slot) {
      slot.entry = after;
    } else {
      const added = { entry: after, gone: false };
      this.#slots.set(key, added);
      this.#order.push(added);
    }
  }

  #select(query: Query): readonly Entry[] {
    if (!this.#inOrder) {
      this.#order = this.#order
        .filter((slot) => !slot.gone)
        .toSorted((a, b) => problemsFirst(a.entry, b.entry));
      this.#inOrder = true;
    }
    const words = query.text.toLowerCase().split(/\s+/);
    const found = this.#order.flatMap(({ entry }) => (isFound(entry, query, words) ? [entry] : []));
    const by = sorterOf(query);
    return by ? found.toSorted(by) : found;
  }
}

function groupedPage(found: readonly Entry[], by: Group, asked: number): Page {
  const all = [...Map.groupBy(found, (entry) => groupOf(entry, by))];
  const pages = Math.max(1, Math.ceil(all.length / groupsMax));
  const page = Math.min(asked, pages);
  const offset = (page - 1) * groupsMax;
  const groups = all.slice(offset, offset + groupsMax).map(([name, entries]) => ({
    name,
    keys: entries.slice(0, groupShows).map(({ key }) => key),
    total: entries.length,
    stalled: entries.filter(({ state }) => state === 'stalled').length,
    unready: entries.filter(({ state }) => state === 'not-ready').length,
  }));
  const keys = groups.flatMap((group) => group.keys);
  return { keys, groups, groupsTotal: all.length, total: found.length, page, pages, offset };
}

function summarise(slots: Iterable<Slot>): Summary {
  const counts = {
    stalled: 0,
    'not-ready': 0,
    reconciling: 0,
    ready: 0,
    drifted: 0,
    suspended: 0,
    deleting: 0,
  };
  const kinds = new Set<string>();
  const namespaces = new Set<string>();
  const connections: string[] = [];
  const users = new Map<string, { total: number; ready: number }>();
  let total = 0;
  for (const { entry } of slots) {
    total++;
    counts[entry.state]++;
    for (const mark of entry.marks) counts[mark]++;
    kinds.add(entry.kind);
    if (entry.namespace !== '') namespaces.add(entry.namespace);
    if (entry.isConnection) connections.push(entry.key);
    if (entry.through === undefined) continue;
    const of = users.get(entry.through) ?? { total: 0, ready: 0 };
    users.set(entry.through, {
      total: of.total + 1,
      ready: of.ready + (entry.state === 'ready' ? 1 : 0),
    });
  }
  return {
    total,
    counts,
    kinds: [...kinds].toSorted(),
    namespaces: [...namespaces].toSorted(),
    connections: connections.toSorted(),
    users,
  };
}
