// Answers a request before its token is checked if the node can't serve it, or if its path is rate-limited
// (services.md#health-and-availability).
import { Refusal, type Incoming, type Reply } from '../../http/server.ts';
import type { CallRoute } from './calls.ts';
import { errorReply, noStore } from './replies.ts';
import type { State } from '../state.ts';

/** @returns the reply to send, or `undefined` if the request can be served. @throws Refusal 503 */
export function unavailability(
  state: State,
  { headers }: Incoming,
  url: string,
  path: string,
  route: CallRoute | undefined,
): Reply | undefined {
  if (route?.needs === 'sealed') return undefined;
  const { dialect, behaviour, standby } = state;
  if (state.isSealed) throw new Refusal(503, `${behaviour.name} is sealed`);
  const mustStay = headers[dialect.headers.noForwarding.toLowerCase()] !== undefined;
  if (standby && mustStay) {
    return { status: 307, headers: { ...noStore, Location: `${standby.activeURL}${url}` } };
  }
  return limited(state, path); // a standby forwards other requests, which the client does not notice
}

function limited({ switches }: State, path: string): Reply | undefined {
  const { limited: prefix, retryAfterSeconds } = switches;
  if (prefix === '' || !path.startsWith(prefix)) return undefined;
  const reply = errorReply(429, `request path ${JSON.stringify(path)}: rate limit quota exceeded`);
  if (retryAfterSeconds === 0) return reply;
  return { ...reply, headers: { ...reply.headers, 'Retry-After': String(retryAfterSeconds) } };
}
