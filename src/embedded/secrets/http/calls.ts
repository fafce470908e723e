// What an engine or a login method is to the service: paths below its mount, and what each verb does there.
import { routes, type Op } from '../../../api/routes.ts';
import { Refusal, type Incoming, type Reply } from '../../http/server.ts';
import { parseBoolean } from '../../http/query.ts';
import { RequestFields } from './request-fields.ts';
import type { Capability, TokenRow } from '../store/model.ts';
import { mistake } from './replies.ts';

export type Verb = 'read' | 'list' | 'write' | 'remove';

/** One request, as engines see it. */
export interface Call {
  /** Path of the mount with that of its namespace: `ldap`, `team/auth/approle`; of what is everywhere: `sys`. */
  readonly mount: string;
  /** That is asked. '' is the root one. */
  readonly namespace: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly method: string;
  /** Whose token it is. Routes without a token see the root's. */
  readonly token: TokenRow;
  /** A collection was asked for as the documents do, by a plain GET. */
  readonly plainList: boolean;
  /** By the body of a write; without one: nothing. */
  given(): RequestFields;
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

export interface CallRoute {
  /** The router's; verbs are told apart later, since `list` may stand in the query. */
  readonly method: '*';
  readonly path: string;
  readonly verbs: Readonly<Partial<Record<Verb, Handler>>>;
  /** Where it is false, writing needs the capability `create`. */
  readonly exists?: (call: Pick<Call, 'mount' | 'namespace' | 'params'>) => boolean;
  /** `policies`: as they say, the default. `token`: any that is valid. `none`: no token. `sealed`: nor an unsealed service. */
  readonly needs?: 'policies' | 'token' | 'none' | 'sealed';
  /** Of the service as a whole: no namespace has it. */
  readonly rootOnly?: true;
}

export const route = (
  path: string,
  verbs: CallRoute['verbs'],
  more: Pick<CallRoute, 'exists' | 'needs' | 'rootOnly'> = {},
): CallRoute => ({ method: '*', path, verbs, ...more });

/** Path below the mount, of an operation that clients know. */
export const pathOf = (op: Op): string =>
  routes[op].path.replace(/^\/v1\/(?:auth\/token|sys|(?:auth\/)?\{mount\})/, '');

/** @throws Refusal 400 for a `list` that is no boolean */
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

/** @throws Refusal 400, which does not quote the body */
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
