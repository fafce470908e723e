// What an engine or a login method is to the service: paths below its mount, and what each verb does there.
import { routes, type Op } from '../../api/routes.ts';
import type { Incoming, Reply } from '../http.ts';
import { parseBoolean } from '../query.ts';
import { Given } from './given.ts';
import type { Capability, TokenRow } from './model.ts';
import { mistake } from './replies.ts';

export type Verb = 'read' | 'list' | 'write' | 'remove';

/** One request, as engines see it. */
export interface Call {
  /** Path of the mount: `ldap`, `auth/approle`, `sys`. */
  readonly mount: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly method: string;
  /** Whose token it is. Routes without a token see the root's. */
  readonly token: TokenRow;
  /** A collection was asked for as the documents do, by a plain GET. */
  readonly plainList: boolean;
  /** Read when first asked for; without a body: nothing is given. @throws Refusal 400 */
  given(): Given;
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

export interface CallRoute {
  /** The router's; verbs are told apart later, since `list` may stand in the query. */
  readonly method: '*';
  readonly path: string;
  readonly verbs: Readonly<Partial<Record<Verb, Handler>>>;
  /** Where it is false, writing needs the capability `create`. */
  readonly exists?: (call: Pick<Call, 'mount' | 'params'>) => boolean;
  /** `policies`: as they say, the default. `token`: any that is valid. `none`: no token. `sealed`: nor an unsealed service. */
  readonly needs?: 'policies' | 'token' | 'none' | 'sealed';
}

export const route = (
  path: string,
  verbs: CallRoute['verbs'],
  more: Pick<CallRoute, 'exists' | 'needs'> = {},
): CallRoute => ({ method: '*', path, verbs, ...more });

/** Path below the mount, of an operation that clients know. */
export const pathOf = (op: Op): string =>
  routes[op].path.replace(/^\/v1\/(?:auth\/token|sys|(?:auth\/)?\{mount\})/, '');

/** @throws Refusal 400 for a `list` that is no boolean */
export function verbOf(method: string, query: URLSearchParams): Verb | undefined {
  const list = parseBoolean(query.get('list') || 'false');
  if (method === 'GET' && list === undefined) throw mistake('failed to parse list query string parameter');
  switch (method) {
    case 'GET':
      return list ? 'list' : 'read';
    case 'HEAD':
      return 'read';
    case 'LIST':
      return 'list';
    case 'POST':
    case 'PUT':
      return 'write';
    case 'DELETE':
      return 'remove';
    default:
      return undefined;
  }
}

export function capabilityOf(verb: Verb, exists: boolean): Capability {
  switch (verb) {
    case 'read':
    case 'list':
      return verb;
    case 'write':
      return exists ? 'update' : 'create';
    case 'remove':
      return 'delete';
  }
}

/** @throws Refusal 400 */
export function givenIn(request: Incoming): Given {
  return new Given(request.hasBody ? request.json() : {});
}
