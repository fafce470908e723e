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

export async function operating() {
  const [service, secrets] = await Promise.all([serve(), serveSecrets()]);
  const operated = await Operated.on(service);
  operated.tree.put('secrets.yaml', ...secretsConnection(secrets));
  return { operated, secrets };
}
