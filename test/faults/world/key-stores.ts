// What key management has at the end. Nothing shows the credentials, so those that journeys declare are tried.
import type { SecretsService } from '../../support/secrets.ts';

const mount = 'keymgmt';

export const clientSecrets = {
  first: 'canary-faults-kms-first-5d10',
  second: 'canary-faults-kms-second-83be',
} as const;

export const tenant = 'canary-faults-kms-tenant-0e62';
export const client = 'canary-faults-kms-client-c9f4';

/** As the service is sent them. */
export const credentialsWith = (clientSecret: string) => ({
  tenant_id: tenant,
  client_id: client,
  client_secret: clientSecret,
});

/** What a journey may declare besides. */
export const otherCloud = { environment: 'GovernmentCloud' };

/** Which credentials the key store would take from the provider. */
async function credentialsOf(secrets: SecretsService, provider: string): Promise<string> {
  for (const [name, clientSecret] of Object.entries(clientSecrets)) {
    for (const cloud of [{}, otherCloud]) {
      const credentials = { ...credentialsWith(clientSecret), ...cloud };
      const body = { mount, provider, credentials };
      const { ok } = await secrets.call<{ readonly ok: boolean }>('POST', '/setup/keyStore/login', body);
      if (ok) return [name, ...Object.values(cloud)].join(' in ');
    }
  }
  return 'others';
}

interface Answer {
  readonly data?: { readonly keys?: readonly string[] };
}

export async function keyStores(secrets: SecretsService): Promise<Readonly<Record<string, object>>> {
  const get = (path: string) => secrets.call<Answer>('GET', `/v1/${mount}/${path}`).catch((): Answer => ({}));
  const { keys = [] } = (await get('kms?list=true')).data ?? {};
  const found = keys.map(async (name) => {
    const { data } = await get(`kms/${name}`);
    return [`${mount}/kms/${name}`, { ...data, credentials: await credentialsOf(secrets, name) }] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}
