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
  /**
   * whole: whether it still is as this object wrote it. One that it took over is not: it is written anew, because its owner
   * before can be told from its mark only until this object is taken over from as well.
   */
  | { readonly is: 'ours'; readonly revision: string; readonly whole: boolean }
  | { readonly is: 'foreign'; readonly owner: string };
