// Routes of an engine or a login method: paths below its mount, with a handler per verb.
import { routes, type Op } from '../../../api/routes.ts';
import { Refusal, type Incoming, type Reply } from '../../http/server.ts';
import { parseBoolean } from '../../http/query.ts';
import { RequestFields } from './request-fields.ts';
import type { Capability, TokenRow } from '../store/model.ts';
import { mistake } from './mistake.ts';

export type Verb = 'read' | 'list' | 'write' | 'remove';

export interface Call {
  /** Path of the mount, including its namespace: `ldap`, `team/auth/approle`; or of a fixed one: `sys`. */
  readonly mount: string;
  /** The namespace of the request; '' is the root namespace. */
  readonly namespace: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly method: string;
  /** On routes that need no token, a token without policies. */
  readonly token: TokenRow;
  /** The call is a list by a plain GET, as documented. */
  readonly plainList: boolean;
  /** The fields of a write; empty without a body. */
  given(): RequestFields;
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

export interface CallRoute {
  /** The verb is decided later, because `list` may be in the query. */
  readonly method: '*';
  readonly path: string;
  readonly verbs: Readonly<Partial<Record<Verb, Handler>>>;
  /** If false, a write needs the capability `create`. */
  readonly exists?: (call: Pick<Call, 'mount' | 'namespace' | 'params'>) => boolean;
  /**
   * `policies`: a token whose policies allow the call (default). `token`: any valid token. `none`: no token. `sealed`:
   * no token, and the route also works while the service is sealed.
   */
  readonly needs?: 'policies' | 'token' | 'none' | 'sealed';
  /** Not available in namespaces. */
  readonly rootOnly?: true;
}

export const route = (
  path: string,
  verbs: CallRoute['verbs'],
  more: Pick<CallRoute, 'exists' | 'needs' | 'rootOnly'> = {},
): CallRoute => ({ method: '*', path, verbs, ...more });

export const pathOf = (op: Op): string =>
  routes[op].path.replace(/^\/v1\/(?:auth\/token|sys|(?:auth\/)?\{mount\})/, '');

/** @throws Refusal 400 if `list` is not a boolean */
export function verbOf(method: string, query: URLSearchParams): Verb | undefined {
  const list = parseBoolean(query.get('list') || 'false');
  if (method === 'GET' && list === undefined) throw mistake('');
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

/** The fields of the body. @throws Refusal 400, which does not quote the body */
export function givenIn(request: Incoming): RequestFields {
  if (!request.hasBody) return new RequestFields({});
  try {
    return new RequestFields(request.json());
  } catch (error) {
    if (error instanceof Refusal && !error.message.startsWith(unread)) {
      throw mistake(`${unread}: ${error.message}`);
    }
    throw error;
  }
}

const unread = 'failed to decode JSON input';
