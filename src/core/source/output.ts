// An output: a Secret that an object publishes through its source. Data only; secret values stay boxed.
import type { Secret } from '../secret.ts';

export interface Output {
  readonly name: string;
  /** Identifies the content: it changes with the content. Never derived from a secret value. */
  readonly revision: string;
  /** Key → parts of the value, which are joined when it is written. */
  readonly entries: Readonly<Record<string, readonly (string | Secret)[]>>;
}

export type Published =
  | { readonly is: 'absent' }
  /** whole: whether it still is as it was written. */
  | { readonly is: 'ours'; readonly revision: string; readonly whole: boolean }
  | { readonly is: 'foreign'; readonly owner: string };
