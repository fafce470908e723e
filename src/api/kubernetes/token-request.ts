// Requests tokens of service accounts, as kubectl create token does.
import type { RequestToken } from '../../core/connection.ts';
import { ApiError } from '../../core/errors.ts';
import { Secret } from '../../core/secret.ts';
import type { KubernetesClient } from './client.ts';
import { objectPath, serviceAccounts } from './resources.ts';

/** The least that the API server grants; a login takes seconds. */
const expirationSeconds = 600;

export const tokensOf =
  (client: Pick<KubernetesClient, 'ask'>): RequestToken =>
  async ({ namespace, name, audiences }, signal) => {
    const op = 'serviceaccounts.token';
    const spec = { expirationSeconds, ...(audiences.length > 0 && { audiences }) };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    const { token } = await client.ask(
      op,
      objectPath(serviceAccounts, { namespace, name }, 'token'),
      body,
      signal,
    );
    if (typeof token === 'string' && token !== '')
      return Secret.of(`serviceaccount/${namespace}/${name}`, '', token);
    throw new ApiError('unreadable', 'InvalidResponse', `${op}: the answer has no token`);
  };
