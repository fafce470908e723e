// The way from an object to its connection: its own reference, or that of the object it belongs to. From declarations
// alone, so that it can be walked while nothing outside is reachable.
import type { SealedKind } from '../../core/sealed-kind.ts';
import { isReadable, keyText, type Key, type DeclaredObject } from '../../core/resource.ts';
import type { Declarations, Entry } from '../../core/source/source.ts';

/** Far more than any kind has. */
const linksMax = 4;

export interface ConnectionPath {
  /** The first reference of the way. */
  readonly field: string;
  /** The objects in between, nearest first. */
  readonly between: readonly Key[];
  readonly connection: Key;
}

/** @returns a key that is missing on the way, or `undefined` for a connection itself */
export function connectionPathOf<E, Reader>(
  object: Pick<DeclaredObject, 'key' | 'spec' | 'requests'>,
  kinds: ReadonlyMap<string, SealedKind<E, Reader>>,
  read: (key: string) => Entry | undefined,
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
  object: Pick<DeclaredObject, 'key' | 'spec' | 'requests'>,
  kinds: ReadonlyMap<string, SealedKind<E, Reader>>,
): { readonly field: string; readonly target: Key } | undefined {
  const kind = kinds.get(object.key.kind);
  if (kind?.connectionField === undefined || !isReadable(object)) return undefined;
  const found = kind.open(object, {}).references.find((r) => r.field === kind.connectionField);
  return found && { field: found.field, target: found.target };
}

/** Of a key that is not declared, nothing says that it is one. */
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

/** keyText of the connection through which an object is reached; `undefined` for connections, and where it can't be told. */
export function connectionOf<E, Reader>(
  object: Pick<DeclaredObject, 'key' | 'spec' | 'requests'>,
  kinds: ReadonlyMap<string, SealedKind<E, Reader>>,
  read: (key: string) => Entry | undefined,
): string | undefined {
  const way = connectionPathOf(object, kinds, read);
  return way && 'connection' in way ? keyText(way.connection) : undefined;
}
