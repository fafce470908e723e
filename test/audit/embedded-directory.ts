// The program over both embedded services, and the directory of the embedded secrets service.
import { secretsConnection, serveSecrets } from '../support/secrets.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

/** The account that manages that directory. */
export const admin = {
  url: 'ldap://embedded',
  bindDN: 'cn=admin,dc=example,dc=org',
  bindPassword: 'holdfast-dev-bind',
};

/** @param dialect of the secrets service: with `secrets`, any spelling of an attribute may be known to it */
export async function operating(dialect?: Parameters<typeof serveSecrets>[0]) {
  const [service, secrets] = await Promise.all([serve(), serveSecrets(dialect)]);
  const operated = await Operated.on(service);
  operated.tree.put('secrets.yaml', ...secretsConnection(secrets));
  return { operated, secrets };
}
