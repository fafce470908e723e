import type { Repeat } from '../core/effect.ts';

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `{name}` is a path parameter; other parameters go into the query. `{mount}` may have several segments. */
  readonly path: string;
  /** false: a read. Otherwise, what to do if the answer is lost. */
  readonly mutates: false | Repeat;
  readonly blocking?: true;
  /** A healthy service answers within this many milliseconds. Absent: the deadline of any read. */
  readonly deadlineMs?: number;
  readonly query?: Readonly<Record<string, string>>;
  /** Parameters of a read that go into its body. */
  readonly fields?: readonly string[];
  /** Fields of the answer whose values are boxed as secrets. */
  readonly secret?: readonly string[];
  /** The answer can't be read again later, so `perform` returns it. */
  readonly answers?: true;
  /** The service has stored the secrets, so a secret that fits no header is left out. */
  readonly holdsSecrets?: true;
  /** The permission that a token needs. `none`: no token is needed. `token`: any token suffices. */
  readonly acl: string;
}
