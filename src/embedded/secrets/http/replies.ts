// How the secrets service answers: envelopes, refusals in the words of the real ones (wire.md 3.1), durations and times.
import { Refusal, type Reply } from '../../http/server.ts';
import { multiError } from '../../http/error-texts.ts';
import type { CallRoute } from './calls.ts';
import type { RequestFields } from './request-fields.ts';
import type { Behaviour } from '../behaviour.ts';

export const noStore: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store' };

/** An empty message is an empty list: what is asked for is not there. */
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

/** Says what of a request nobody looked at; only where there is something to say anyway (wire.md 3.1). */
export function warned(reply: Reply, given: RequestFields): Reply {
  const ignored = given.ignored();
  if (ignored.length === 0 || reply.status !== 200 || !reply.body || !('json' in reply.body)) return reply;
  const { json } = reply.body;
  const { warnings } = Object(json);
  if (warnings === undefined) return reply;
  const text = `Endpoint ignored these unrecognized parameters: [${ignored.join(' ')}]`;
  return { ...reply, body: { json: { ...Object(json), warnings: [...(warnings ?? []), text] } } };
}

/** A user's mistake: 400, plain text. */
export const mistake = (text: string): Refusal => new Refusal(400, text);

/** Any other error of an engine, bad values of a configuration included: 500, decorated. */
export const failure = (text: string): Refusal => new Refusal(500, multiError([text]));

/** Nothing there: 404 with an empty list. */
export const nothing = (): Refusal => new Refusal(404, '');

/**
 * No policy allows it. The real services word this in several ways (wire.md 3.1, "403"): each dialect has one of them.
 */
export const permissionDenied = ({ listsDenials }: Behaviour): Refusal =>
  new Refusal(403, listsDenials ? multiError(['permission denied']) : 'permission denied');

/** No token, or one that is not known or has expired. */
export const invalidToken = (): Refusal => new Refusal(403, 'permission denied');

export const unsupportedPath = (): Refusal => new Refusal(404, multiError(['unsupported path']));

/** How it is said depends on how much was looked at before: who asks, if at all. */
export function unsupportedOperation(needs: CallRoute['needs'] = 'policies'): Refusal {
  const text = 'unsupported operation';
  return new Refusal(405, needs === 'sealed' ? '' : needs === 'none' ? text : multiError([text]));
}

/** RFC 3339. */
export const timeText = (ms: number): string => new Date(ms).toISOString();
