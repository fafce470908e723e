// The path from an object to its connection: its own reference, or the references of the objects in between (a role, its
// config, the connection). PURE: it follows declarations only, so it works while no service is reachable.
import { sharedText } from '../../core/shared-json.ts';
import type { SealedKind } from '../../core/kind/sealed-kind.ts';
import { isReadable, keyText, type Key, type DeclaredObject } from '../../core/resource.ts';
import type { Declarations } from '../../core/source/source.ts';

/** More links than any kind needs. Guards against a cycle. */
const linksMax = 4;

/** The part of an object that says what it refers to. */
type Linked = Pick<DeclaredObject, 'key' | 'spec' | 'requests'>;

export interface ConnectionPath {
  /** Field of the object's own reference, the first of the path. */
  readonly field: string;
  /** The objects between the object and its connection, nearest first. */
  readonly between: readonly Key[];
  readonly connection: Key;
}

/** @returns the path, or the first missing key on it; `undefined` for a connection itself and for an unreadable spec */
export function connectionPathOf<E, Reader>(
  object: Linked,
  kinds: ReadonlyMap<string, SealedKind<E, Reader>>,
  read: (key: string) => { readonly object: Linked } | undefined,
): ConnectionPath | { readonly field: string; readonly missing: Key } | undefined {
  const first = next(object, kinds);
  if (!first) return undefined;
  const { field } = first;
  const between: Key[] = [];
  let at = first.target;
  for (let link = 0; link < linksMax; link++) {
    if (kinds.get(at.kind)?.connectionField === undefined) return { field, between, connection: at };
    const entry = read(keyText(at));
    const further = entry && next(entry.object, kinds);
    if (!further) return { field, missing: at };
    between.push(at);
    at = further.target;
  }
  throw new Error(`${keyText(object.key)}: its connection is more than ${linksMax} references away`);
}

function next<E, Reader>(
  object: Linked,
  kinds: ReadonlyMap<string, SealedKind<E, Reader>>,
): { readonly field: string; readonly target: Key } | undefined {
  const kind = kinds.get(object.key.kind);
  if (kind?.connectionField === undefined || !isReadable(object)) return undefined;
  const found = kind.open(object, {}).references.find((r) => r.field === kind.connectionField);
  return found && { field: found.field, target: found.target };
}

export function isConnection<E, Reader>(
  key: string,
  {
    source,
    kinds,
  }: {
    readonly source: Pick<Declarations, 'read'>;
    readonly kinds: ReadonlyMap<string, SealedKind<E, Reader>>;
  },
): boolean {
  const kind = kinds.get(source.read(key)?.object.key.kind ?? '');
  return kind !== undefined && kind.connectionField === undefined;
}

/** keyText of the connection of an object; `undefined` for a connection, and while the path is incomplete. */
export function connectionOf<E, Reader>(
  object: Linked,
  kinds: ReadonlyMap<string, SealedKind<E, Reader>>,
  read: (key: string) => { readonly object: Linked } | undefined,
): string | undefined {
  const path = connectionPathOf(object, kinds, read);
  return path && 'connection' in path ? sharedText(keyText(path.connection)) : undefined;
}
