// What an object publishes for others: a Secret of its own, written by the source. Pure data, its secrets boxed.
import type { Secret } from './secret.ts';

export interface Output {
  /** Of the Secret, in the object's namespace. */
  readonly name: string;
  /** Names the state of the entries: another revision, another content. Never derived from a secret. */
  readonly revision: string;
  /** Key → the value as parts, put together when it is written. */
  readonly entries: Readonly<Record<string, readonly (string | Secret)[]>>;
}

/** What stands where an output goes. */
export type Published =
  | { readonly is: 'absent' }
  /** whole: as it was written. false: somebody changed it. */
  | { readonly is: 'ours'; readonly revision: string; readonly whole: boolean }
  | { readonly is: 'foreign'; readonly owner: string };
