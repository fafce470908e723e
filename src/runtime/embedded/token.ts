// Keeps the token of the embedded services of a state directory. It is drawn when it is first needed, and stored readable
// for its owner only.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { ownText, writeOwn } from './own-files.ts';

const fitting = /^[\x21-\x7e]{8,256}$/;

export const tokenFile = (stateDir: string): string => join(stateDir, 'embedded-token');

export const drawnToken = (): string => randomBytes(24).toString('base64url');

/** @returns `undefined` if there is none. @throws UsageError if other users could have written or read it */
export function tokenIn(stateDir: string): string | undefined {
  const file = tokenFile(stateDir);
  const token = ownText(file, 'all')?.trim();
  if (token === undefined || fitting.test(token)) return token;
  throw new UsageError(`${file}: expected 8 to 256 printable characters; remove it to get a new one`);
}

/** The stored token, or a new one that is stored now. @throws UsageError */
export function keptToken(stateDir: string): string {
  const kept = tokenIn(stateDir);
  if (kept !== undefined) return kept;
  const token = drawnToken();
  writeOwn(tokenFile(stateDir), `${token}\n`);
  return token;
}
