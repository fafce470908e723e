// A path can name the namespace of an engine, or the connection can, so one engine has two names. What is declared by the one was free
// to take by the other, and went with that.
import { expect, test } from 'vitest';
import type { Spec } from '../support/manifests.ts';
import { ldapConfig, secretsConnection } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

const config = '/v1/team/ldap/config';

test.each<{ how: string; more: Spec }>([
  { how: 'at the same address', more: {} },
  { how: 'at what counts as another service until it answers', more: { backendID: 'another' } },
])(
  'a configuration was declared a second time, by the namespace of its connection, and went with it: $how',
  async ({ more }) => {
    const { operated, secrets } = await operating();
    await secrets.call('POST', '/v1/sys/namespaces/team', {});
    await secrets.call('POST', '/v1/team/sys/mounts/ldap', { type: 'ldap' });
    const [inside = {}] = secretsConnection(secrets, { namespace: 'team', ...more });
    operated.tree.put('team.yaml', { ...inside, metadata: { name: 'team' } });
    operated.tree.put('first.yaml', ...ldapConfig(admin, { mount: 'team/ldap' }));
    await operated.converge();
    const [second = {}] = ldapConfig(admin, {
      connectionRef: { name: 'team' },
      adoptionPolicy: 'Adopt',
      deletionPolicy: 'Delete',
    });
    operated.tree.put('second.yaml', { ...second, metadata: { namespace: 'shop', name: 'second' } });
    const { stdout } = await operated.apply();
    expect(await operated.ready('LDAPConfig/shop/second'), stdout).toMatchObject({ status: 'False' });
    operated.tree.remove('second.yaml');
    await operated.applyApproving();
    expect(await secrets.call('GET', config)).toMatchObject({ data: { binddn: admin.bindDN } });
  },
);
