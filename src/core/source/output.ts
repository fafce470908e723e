// What an object publishes: a Secret that the source writes. Pure data, with secrets in boxes.
import type { Secret } from '../secret.ts';

export interface Output {
  /** Of the Secret, in the object's namespace. */
  readonly name: string;
  /** Identifies the content: another revision, another content. Never derived from a secret. */
  readonly revision: string;
  /** Key → the parts of the value, joined when it is written. */
  readonly entries: Readonly<Record<string, readonly (string | Secret)[]>>;
}

export type Published =
  | { readonly is: 'absent' }
  /** whole: as it was written. false: somebody changed it. */
  | { readonly is: 'ours'; readonly revision: string; readonly whole: boolean }
  | { readonly is: 'foreign'; readonly owner: string };
