// What commands see: the objects of a place, and of each, beside its status, what it refers to.
import { SpecError } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import { keyText, type DeclaredObject, type Reference } from '../core/resource.ts';
import type { Distrust } from '../core/source/approvals.ts';
import type { Entry } from '../core/source/source.ts';
import { kinds } from './kinds.ts';

export type Read = (key: string) => Entry | undefined;

/** Objects of these kinds, and those of these keys. Both empty: everything. */
export interface Query {
  readonly kinds: readonly string[];
  readonly keys: readonly string[];
}

export const everything: Query = { kinds: [], keys: [] };

export const isMeant = ({ kinds: wanted, keys }: Query, { key }: DeclaredObject): boolean =>
  (wanted.length === 0 && keys.length === 0) || wanted.includes(key.kind) || keys.includes(keyText(key));

export interface Look {
  readonly rows: readonly Entry[];
  /** Whatever else was read on the way. */
  readonly read: Read;
  readonly distrusted?: Distrust | undefined;
  /** What was wrong with the files when they were last read. */
  readonly problems?: readonly Problem[];
  /** What may not be read, and why. */
  readonly unread?: readonly { readonly kind: string; readonly message: string }[];
}

/** What its spec refers to; nothing where that can't be read: in a cluster, an older definition may have let it in. */
export function referencesOf(object: DeclaredObject): readonly Reference[] {
  try {
    return kinds.get(object.key.kind)?.open(object, {}).references ?? [];
  } catch (error) {
    if (error instanceof SpecError) return [];
    throw error;
  }
}
