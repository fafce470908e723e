// The login call of a session: its route and its credentials (services.md#logins).
import { open } from 'node:fs/promises';
import type { Auth, RequestToken, ServiceAccount } from '../../core/connection.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import { Secret } from '../../core/secret.ts';
import type { Call } from './calls.ts';

export type LoginAuth = Exclude<Auth, { is: 'token' }>;
type Login = Pick<Call, 'params' | 'body'> & {
  readonly op: 'login.kubernetes' | 'login.approle' | 'login.jwt';
};

/** Service account tokens have a few KiB. */
const tokenBytesMax = 65_536;

/**
 * @param requestToken absent: the connection is not declared in a cluster
 * @throws ApiError if the service account token can't be read or requested
 */
export async function loginCall(
  auth: LoginAuth,
  requestToken: RequestToken | undefined,
  signal: AbortSignal,
): Promise<Login> {
  const params = { mount: auth.mount };
  switch (auth.is) {
    case 'kubernetes': {
      const jwt = await fromFile(auth.tokenFile);
      return { op: 'login.kubernetes', params, body: { role: auth.role, jwt } };
    }
    case 'serviceAccount': {
      const jwt = await requested(auth.account, requestToken, signal);
      return { op: 'login.kubernetes', params, body: { role: auth.role, jwt } };
    }
    case 'appRole':
      return {
        op: 'login.approle',
        params,
        body: { role_id: auth.roleID, secret_id: auth.secretID.trimmed() },
      };
    case 'jwt':
      return { op: 'login.jwt', params, body: { role: auth.role, jwt: auth.jwt.trimmed() } };
  }
}

/** Turns a refusal with 400 or 403 into `LoginFailed`; other errors stay unchanged. */
export function failedLogin(error: ApiError): ApiError {
  const { class: kind, status, message } = error;
  if (kind !== 'refused' || (status !== 400 && status !== 403)) return error;
  return new ApiError('refused', 'LoginFailed', message, { status });
}

async function requested(
  account: ServiceAccount,
  requestToken: RequestToken | undefined,
  signal: AbortSignal,
): Promise<Secret> {
  const name = `service account ${account.namespace}/${account.name}`;
  if (!requestToken) {
    const message = `login.kubernetes: ${name} is of no cluster: serviceAccountRef needs \`--source kubernetes\`; elsewhere set tokenFile`;
    throw new ApiError('refused', 'LoginFailed', message);
  }
  try {
    return await requestToken(account, signal);
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const message = `login.kubernetes: can't request a token of ${name}: ${cause.message}`;
    throw new ApiError(cause.class, 'LoginFailed', message, { cause });
  }
}

async function fromFile(path: string): Promise<Secret> {
  try {
    await using file = await open(path);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(tokenBytesMax + 1));
    if (bytesRead > tokenBytesMax) throw new Error(`longer than ${tokenBytesMax} bytes`);
    return Secret.of(path, '', buffer.toString('utf8', 0, bytesRead).trim());
  } catch (cause) {
    const message = `login.kubernetes: can't read the service account's token: ${messageOf(cause)}`;
    throw new ApiError('unavailable', 'LoginFailed', message, { cause });
  }
}
