// Verifies a signed token (services.md#oidc-logins): signature, algorithm, claims. The error texts are those of the
// library that the real services use.
import { constants, verify, type KeyObject, type VerifyKeyObjectInput } from 'node:crypto';

import { listOf, textOf } from './json.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface Expected {
  readonly algorithms: readonly string[];
  readonly issuer: string;
  readonly subject: string;
  /** Empty: the audience is not checked. */
  readonly audiences: readonly string[];
  /** Seconds; negative: none; 0: the default. */
  readonly leeway: number;
  readonly nowMs: number;
}

/** The token is refused. The message never quotes the token. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

const leewaySeconds = 60;

export function verified(token: string, keys: readonly KeyObject[], expected: Expected): Claims {
  const [head = '', body = '', signature = ''] = token.split('.');
  const algorithm = textOf(part(head)['alg']);
  const bytes = Buffer.from(signature, 'base64url');
  const isSigned = keys.some((key) => signs(key, algorithm, Buffer.from(`${head}.${body}`), bytes));
  if (!isSigned) {
    throw new TokenError('error verifying token signature: failed to verify id token signature');
  }
  if (!expected.algorithms.includes(algorithm)) {
    throw new TokenError('invalid algorithm (alg) header parameter: token signed with unexpected algorithm');
  }
  const claims = part(body);
  check(claims, expected);
  return claims;
}

function part(text: string): Claims {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Object.fromEntries(Object.entries(Object(parsed)));
  } catch {
    throw new TokenError('error verifying token signature: oidc: malformed jwt');
  }
}

function signs(key: KeyObject, algorithm: string, text: Buffer, signature: Buffer): boolean {
  const [, family = '', bits = ''] = /^(RS|PS|ES)(256|384|512)$/.exec(algorithm) ?? [];
  const options: VerifyKeyObjectInput = {
    key,
    ...(family === 'PS' && { padding: constants.RSA_PKCS1_PSS_PADDING }),
    ...(family === 'ES' && { dsaEncoding: 'ieee-p1363' }),
  };
  const types: Readonly<Record<string, string>> = { RS: 'rsa', PS: 'rsa', ES: 'ec' };
  const isEdwards = algorithm === 'EdDSA';
  if (key.asymmetricKeyType !== (isEdwards ? 'ed25519' : types[family])) return false;
  return verify(isEdwards ? null : `sha${bits}`, text, options, signature);
}

function check(claims: Claims, { issuer, subject, audiences, leeway, nowMs }: Expected): void {
  if (issuer !== '' && claims['iss'] !== issuer) throw new TokenError('invalid issuer (iss) claim');
  if (subject !== '' && claims['sub'] !== subject) throw new TokenError('invalid subject (sub) claim');
  if (audiences.length > 0 && !audiencesIn(claims).some((one) => audiences.includes(one))) {
    throw new TokenError('invalid audience (aud) claim: audience claim does not match any expected audience');
  }
  const times = ['iat', 'nbf', 'exp'].map((name) => Number(claims[name] ?? 0));
  if (times.every((time) => time === 0)) {
    throw new TokenError('no issued at (iat), not before (nbf), or expiration time (exp) claims in token');
  }
  const [issued = 0, notBefore = 0, expires = 0] = times;
  const seconds = leeway < 0 ? 0 : leeway || leewaySeconds;
  const now = nowMs / 1_000;
  if (now + seconds < notBefore) {
    throw new TokenError('invalid not before (nbf) claim: token not yet valid');
  }
  if (now - seconds > (expires || Math.max(issued, notBefore) + defaultLifeSeconds)) {
    throw new TokenError('invalid expiration time (exp) claim: token is expired');
  }
  if (now + seconds < issued) {
    throw new TokenError('invalid issued at (iat) claim: token issued in the future');
  }
}

/** The lifetime of a token without an expiration time. */
const defaultLifeSeconds = 150;

export function audiencesIn(claims: Claims): readonly string[] {
  const value = claims['aud'];
  return typeof value === 'string' ? [value] : listOf(value);
}

/** A claim by name, or by a path like `/schema/field`. */
export function claimIn(claims: Claims, path: string): unknown {
  if (!path.startsWith('/')) return claims[path];
  const names = path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>((held, name) => {
    const fields = new Map<string, unknown>(Object.entries(Object(held)));
    return fields.get(name);
  }, claims);
}
