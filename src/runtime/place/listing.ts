// The query and the result of commands that show objects, whether from a state or a cluster.
import { SpecError } from '../../core/errors.ts';
import type { Problem } from '../../core/text/problem.ts';
import { keyText, type DeclaredObject, type Reference } from '../../core/resource.ts';
import type { Distrust } from '../../core/source/approvals.ts';
import type { Entry } from '../../core/source/source.ts';
import { suspensionOf, type Suspendable, type Suspension } from '../../core/suspension.ts';
import { connectionOf } from '../../controller/index/connection-path.ts';
import { kinds } from '../kinds/lookup.ts';

export type Read = (key: string) => Entry | undefined;

/** Selects objects of these kinds, and those with these keys. Both empty: everything. */
export interface Query {
  readonly kinds: readonly string[];
  readonly keys: readonly string[];
}

export const everything: Query = { kinds: [], keys: [] };

export const isSelected = ({ kinds: wanted, keys }: Query, { key }: DeclaredObject): boolean =>
  (wanted.length === 0 && keys.length === 0) || wanted.includes(key.kind) || keys.includes(keyText(key));

export interface Listing {
  readonly rows: readonly Entry[];
  /** Reads any object that was fetched, selected or not. */
  readonly read: Read;
  readonly distrusted?: Distrust | undefined;
  /** The problems of the last scan. */
  readonly problems?: readonly Problem[];
  /** Kinds that the user may not read, and why. */
  readonly unread?: readonly { readonly kind: string; readonly message: string }[];
}

export interface Watching {
  readonly onChange: (listing: Listing) => void;
  /** Called once when changes of a kind can't be heard of (with the reason), and once when they can again (`undefined`). */
  readonly onTrouble: (kind: string, message: string | undefined) => void;
}

type Keyed = Suspendable & Pick<DeclaredObject, 'key'>;

/** What suspends an object: itself, or the connection that it uses if that was read, too. */
export function suspensionIn(
  object: Keyed,
  read: (key: string) => { readonly object: Keyed } | undefined,
): Suspension | undefined {
  try {
    const connection = connectionOf(object, kinds, read);
    return suspensionOf(object, connection === undefined ? undefined : read(connection)?.object);
  } catch (error) {
    if (error instanceof SpecError) return suspensionOf(object);
    throw error;
  }
}

/** The references of an object; none if its spec is invalid, as one that an older definition accepted may be. */
export function referencesOf(object: DeclaredObject): readonly Reference[] {
  try {
    return kinds.get(object.key.kind)?.open(object, {}).references ?? [];
  } catch (error) {
    if (error instanceof SpecError) return [];
    throw error;
  }
}
