// Decides which clients may read, where other machines can reach the port.
import type { IncomingMessage } from 'node:http';
import { text, type Answer } from './answer.ts';

/** unknown: the authority can't be asked now. */
export type Verdict = 'allowed' | 'denied' | 'unknown';

/** Whether the bearer of a token may read a path. */
export type Authorize = (token: string, path: string) => Promise<Verdict>;

/** RFC 6750. */
const bearer = /^Bearer +([-._~+/A-Za-z0-9]+=*)$/i;

/** @returns `undefined`: the request is authorized */
export async function refusalOf(
  authorize: Authorize,
  { headers }: Pick<IncomingMessage, 'headers'>,
  path: string,
): Promise<Answer | undefined> {
  const [, token] = bearer.exec(headers.authorization ?? '') ?? [];
  if (token === undefined)
    return { ...text(401, 'Needs a bearer token.'), headers: { 'WWW-Authenticate': 'Bearer' } };
  switch (await authorize(token, path)) {
    case 'allowed':
      return undefined;
    case 'denied':
      return text(403, 'The token is not known, or may not get this path.');
    case 'unknown':
      return {
        ...text(503, 'It can not be asked now whether the token is valid.'),
        headers: { 'Retry-After': '5' },
      };
  }
}
