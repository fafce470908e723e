// KMSProvider: the condition of its credentials. No service returns them, and its environment overrides them. PURE.
import { canonical } from '../../core/hash.ts';
import type { Stated } from '../../core/status/condition.ts';
import { declaredCredentials, type ProviderSituation } from './body.ts';
import { environmentDefault } from './schema.ts';

type S = Pick<ProviderSituation, 'spec' | 'resolved' | 'status'>;

/** Holdfast sent the credentials, and they are still the declared ones. */
function isWritten({ spec, resolved, status }: S): boolean {
  const isLast = Object.entries(declaredCredentials(spec, resolved)).every(
    ([path, value]) => canonical(value) === canonical(status.applied[path]),
  );
  return isLast && status.own?.written === true;
}

/** @param prefix of the variables of the service's environment */
export function credentialsWritten(s: S, prefix: string): Stated {
  const { credentials = {} } = s.spec;
  const { tenantIDSecretRef: tenant, clientIDSecretRef: client, clientSecretSecretRef: secret } = credentials;
  const { environment } = credentials;
  const [tenantID, clientID, clientSecret] = ['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET'].map(
    (name) => prefix + name,
  );
  const identity = [...(client ? [] : [clientID]), ...(secret ? [] : [clientSecret])];
  const message = [
    `/credentials: the service's variables ${tenantID}, ${clientID}, ${clientSecret} and ${prefix}ENVIRONMENT go before them`,
    environment === undefined
      ? `/credentials/environment: ${environmentDefault}, the default`
      : `/credentials/environment: ${environment}`,
    ...(tenant ? [] : [`/credentials/tenantIDSecretRef: the service needs ${tenantID}`]),
    ...(identity.length === 0
      ? []
      : [`the service needs ${identity.join(' and ')}, or an identity of its own at the key store`]),
  ].join('; ');
  const type = 'CredentialsWritten';
  if (Object.keys(credentials).length === 0)
    return { type, status: 'False', reason: 'CredentialsNotDeclared', message };
  return isWritten(s)
    ? { type, status: 'True', reason: 'Written', message }
    : { type, status: 'Unknown', reason: 'CredentialsUnknown', message };
}
