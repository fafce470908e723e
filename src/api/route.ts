// What an operation of a service is, as data.
import type { Repeat } from '../core/effect.ts';

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `{name}` is a path parameter; every other parameter goes into the query. `{mount}` may have several segments. */
  readonly path: string;
  /** false: reads only. Otherwise what may be done when its answer was lost. */
  readonly mutates: false | Repeat;
  readonly blocking?: true;
  /** Sent with every call. */
  readonly query?: Readonly<Record<string, string>>;
  /** Fields of the answer that are boxed when it is decoded. */
  readonly secret?: readonly string[];
  /** What it answers can be read nowhere else: it is handed back. */
  readonly answers?: true;
  /** The service holds the secrets too: those that no header can carry are left to it. */
  readonly holdsSecrets?: true;
  /** What a token must be allowed to do, as the documents name it; `none`: no token is sent. */
  readonly acl: string;
}
