// Replies of the secrets service: envelopes, times, and errors in the wording of the real services
// (services.md#secrets-errors).
import { Refusal, type Reply } from '../../http/server.ts';
import { multiError } from '../../http/error-texts.ts';
import type { CallRoute } from './calls.ts';
import type { RequestFields } from './request-fields.ts';
import type { Behaviour } from '../behaviour.ts';

export const noStore: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store' };

/** An empty message makes an empty list of errors, as for a missing object. */
export const errorReply = (status: number, message: string): Reply => ({
  status,
  headers: noStore,
  body: { json: { errors: message === '' ? [] : [message] } },
});

export interface Envelope {
  readonly data?: unknown;
  readonly auth?: unknown;
  readonly warnings?: readonly string[];
}

export const enveloped = (
  requestID: string,
  { data = null, auth = null, warnings = [] }: Envelope,
): Readonly<Record<string, unknown>> => ({
  request_id: requestID,
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  data,
  wrap_info: null,
  warnings: warnings.length === 0 ? null : warnings,
  auth,
});

/** Warns of unread parameters, but only if the reply has a body (services.md#secrets-requests). */
export function warned(reply: Reply, given: RequestFields): Reply {
  const ignored = given.ignored();
  if (ignored.length === 0 || reply.status !== 200 || !reply.body || !('json' in reply.body)) return reply;
  const { json } = reply.body;
  const { warnings } = Object(json);
  if (warnings === undefined) return reply;
  const text = `Endpoint ignored these unrecognized parameters: [${ignored.join(' ')}]`;
  return { ...reply, body: { json: { ...Object(json), warnings: [...(warnings ?? []), text] } } };
}

/** Any error of an engine but a user's mistake, and also bad LDAP configuration values: 500, as a list. */
export const failure = (text: string): Refusal => new Refusal(500, multiError([text]));

/** A missing object: 404 with an empty list. */
export const nothing = (): Refusal => new Refusal(404, '');

/** No policy allows the request. Each dialect has one of several real wordings (services.md#secrets-errors). */
export const permissionDenied = ({ listsDenials }: Behaviour): Refusal =>
  new Refusal(403, listsDenials ? multiError(['permission denied']) : 'permission denied');

/** The token is missing, unknown or expired. */
export const invalidToken = (): Refusal => new Refusal(403, 'permission denied');

export const unsupportedPath = (): Refusal => new Refusal(404, multiError(['unsupported path']));

/** The text depends on the checks that the request has passed. */
export function unsupportedOperation(needs: CallRoute['needs'] = 'policies'): Refusal {
  const text = 'unsupported operation';
  return new Refusal(405, needs === 'sealed' ? '' : needs === 'none' ? text : multiError([text]));
}

export const timeText = (ms: number): string => new Date(ms).toISOString();
