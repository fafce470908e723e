// Shared by the clients of both services: paths, retries of reads, and which part of an answer may be shown.
import { isUtf8 } from 'node:buffer';
import pRetry from 'p-retry';
import { ApiError } from '../../core/errors.ts';
import { reveal, Secret, type Json, type Sealed } from '../../core/secret.ts';
import type { HttpReply } from './answer.ts';
import type { Route } from '../route.ts';

/** Deadline of a read that does not block. */
export const readDeadlineMs = 30_000;
/** Deadline of a health check, which costs the service nothing. */
export const probeDeadlineMs = 10_000;

const stale = { retries: 1, minTimeout: 50, maxTimeout: 500, randomize: true };

const wasCut = (error: unknown): boolean =>
  error instanceof ApiError && error.class === 'unavailable' && error.mayHaveHadEffect;

/**
 * Sends a call that is safe to repeat, up to three times if the connection breaks: a kept-alive socket may have been
 * closed meanwhile. A call that got an answer, whatever its status, is not sent again.
 */
export async function persistently<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await send(); // the common case does not pay for p-retry
  } catch (error) {
    if (!wasCut(error)) throw error;
    try {
      return await pRetry(send, { ...stale, signal, shouldRetry: (context) => wasCut(context.error) });
    } catch (again) {
      throw again instanceof ApiError ? again : error; // the caller aborted meanwhile
    }
  }
}

/** The parameters of one call. Objects go neither into the path nor into the query. */
type Params = Readonly<Record<string, string | number | boolean | object>>;

/**
 * Fills in the path's parameters, and puts the others and `more` into the query.
 * @throws ApiError for a value that the path or the query can't hold, or a parameter of the path without a value
 */
export function pathOf(route: Route, params: Params, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(route.query);
  let path = route.path;
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'object' || route.fields?.includes(name) === true) continue;
    const text = name === 'wait' ? `${value}s` : String(value);
    const slot = `{${name}}`;
    if (path.includes(slot)) path = path.replace(slot, inPath(name, text));
    else query.set(name, inQuery(name, text));
  }
  for (const [name, value] of Object.entries(more)) query.set(name, inQuery(name, value));
  const [, empty] = /\{(\w+)\}/.exec(path) ?? [];
  if (empty !== undefined) throw unfit(empty, 'path');
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

const unfit = (name: string, where: string): ApiError =>
  new ApiError('refused', 'Rejected', `${name}: can't be sent in a ${where}`);

/** Refuses a lone surrogate, which would be sent as another character. */
function inQuery(name: string, value: string): string {
  if (!value.isWellFormed()) throw unfit(name, 'query');
  return value;
}

/** A mount may have several segments; any other value is one segment. */
const inPath = (name: string, value: string): string =>
  name === 'mount'
    ? value
        .split('/')
        .map((one) => segment(name, one))
        .join('/')
    : segment(name, value);

function segment(name: string, value: string): string {
  if (
    value === '' ||
    value === '.' ||
    value.includes('..') ||
    /[/\\%\p{Cc}]/u.test(value) ||
    !value.isWellFormed()
  ) {
    throw unfit(name, 'path');
  }
  return encodeURIComponent(value);
}

const fitting = /^[\x21-\x7e]+$/;

export const canBeSent = (token: Secret): boolean => fitting.test(reveal(token).trim());

/** A token as a header value, trimmed: files and Secrets often end in a newline. @throws ApiError if it is no token */
export function headerValue(token: Secret): string {
  const value = reveal(token).trim();
  if (fitting.test(value)) return value;
  throw new ApiError(
    'refused',
    'InvalidToken',
    `${token.source}: can't be sent as a token; expected printable characters`,
  );
}

export const header = (reply: HttpReply, name: string): string | undefined => {
  const value = [reply.headers[name.toLowerCase()]].flat()[0];
  return value === undefined ? undefined : asUtf8(value);
};

/** Go writes headers in UTF-8, and they are read as Latin-1: another token of a page would begin elsewhere in the list. */
function asUtf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}

/** The wait that the service requests, at most an hour. A date is ignored. */
export function retryAfterMs(reply: HttpReply): number | undefined {
  const seconds = Number(header(reply, 'retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3600) * 1000 : undefined;
}

export function secretsIn(value: Sealed): readonly Secret[] {
  if (value instanceof Secret) return [value];
  if (value === null || typeof value !== 'object') return [];
  const held: readonly (Sealed | undefined)[] = Object.values(value);
  return held.flatMap((one) => (one === undefined ? [] : secretsIn(one)));
}

const textMax = 300;

/** One line of limited length, without the list format in which Go programs write several errors. */
export const unframed = (text: string): string =>
  oneLine(text.replaceAll(/\b\d{1,6} errors? occurred:/g, '').replaceAll(/^[ \t]*\* /gm, ' '));

/** A service's text for conditions and logs: one line of limited length. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, textMax);

/** More than 64 MiB of real data contain. Two bytes of JSON may become a value of sixty bytes in memory. */
const valuesMax = 4_000_000;

/**
 * @param left fields of this name are replaced by null
 * @throws ApiError, which does not quote the answer
 */
export function jsonOf(op: string, text: string, left?: string): Json {
  if (hasMany(text)) throw unreadable(op, `has more than ${valuesMax} values`);
  const reviver = (key: string, held: Json): Json => (key === left ? null : held);
  try {
    const answer: Json = JSON.parse(text, left === undefined ? undefined : reviver);
    return answer;
  } catch {
    throw unreadable(op, 'is not JSON');
  }
}

const unreadable = (op: string, what: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: the answer ${what}`);

/** Counts the characters that start or separate values, also inside strings. Short answers are not counted. */
function hasMany(text: string): boolean {
  if (text.length <= valuesMax) return false;
  let count = 0;
  for (const sign of ',[{') {
    for (let at = text.indexOf(sign); at >= 0 && count <= valuesMax; at = text.indexOf(sign, at + 1))
      count += 1;
  }
  return count > valuesMax;
}
