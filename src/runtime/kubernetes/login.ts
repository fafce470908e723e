// Logs in as a user of a kubeconfig: by client-node, which knows exec programs, OIDC and certificates.
import type { KubeConfig } from '@kubernetes/client-node';
import { messageOf } from '../../core/errors.ts';

/** With what a user shows who it is, for now. */
export interface LoginParts {
  ca?: Buffer | string;
  cert?: Buffer | string;
  key?: Buffer | string;
  servername?: string;
  rejectUnauthorized?: boolean;
  headers?: Readonly<Record<string, string>>;
}

/** @throws Error */
export async function logIn(config: Pick<KubeConfig, 'applyToHTTPSOptions'>): Promise<LoginParts> {
  const parts: LoginParts = {};
  await config.applyToHTTPSOptions(parts).catch((error: unknown) => {
    // No cause: it may quote a token.
    throw new Error(saidOf(error));
  });
  return parts;
}

/** A login program may print its token bare, or in a form of its own: an error of JSON quotes what it printed. */
function saidOf(error: unknown): string {
  const isUnreadable = error instanceof SyntaxError || (error instanceof TypeError && !('code' in error));
  if (isUnreadable) return 'its login program prints no credential';
  return messageOf(error).trim() || 'its login program fails and does not say why';
}
