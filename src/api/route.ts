import type { Repeat } from '../core/effect.ts';

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `{name}` is a path parameter; other parameters go into the query. `{mount}` may have several segments. */
  readonly path: string;
  /** false: a read. Otherwise what to do if the answer is lost. */
  readonly mutates: false | Repeat;
  readonly blocking?: true;
  /** A service that is well answers this within so many milliseconds. Absent: as long as any read may take. */
  readonly deadlineMs?: number;
  readonly query?: Readonly<Record<string, string>>;
  /** Parameters of a read that go into its body. */
  readonly fields?: readonly string[];
  /** Fields of the answer that are boxed. */
  readonly secret?: readonly string[];
  /** The answer can't be read again later, so it is returned. */
  readonly answers?: true;
  /** The service stores the secrets too: those that fit no header are left to it. */
  readonly holdsSecrets?: true;
  /** The permission that a token needs; `none`: no token is sent. `token`: any may ask. */
  readonly acl: string;
}
