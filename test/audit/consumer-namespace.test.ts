// A connection is for one namespace of its scheduler, and access rules name the jobs in it. A consumer named another namespace.
import { expect, test } from 'vitest';
import { ldapConfig, secretsConnection, serveSecrets, staticRole } from '../support/secrets.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

test(
  'a tenant restarted the job of the same name in a namespace of the scheduler that its connection is not for',
  { timeout: 120_000 },
  async () => {
    const [service, secrets] = [await serve('nomad'), await serveSecrets()];
    const of = { jobID: 'web', namespace: 'payments', tasks: [{ name: 'server' }] };
    const { ID } = await service.call<{ readonly ID: string }>('POST', '/setup/allocations', of);
    const restarts = async () => {
      const { TaskStates } = await service.call<{ TaskStates: Record<string, { Restarts: number }> }>(
        'GET',
        `/v1/allocation/${ID}?namespace=payments`,
      );
      return TaskStates['server']?.Restarts;
    };
    const access = [
      { namespaces: ['shop'], kinds: ['LDAPStaticRole'], externalNames: ['web'], actions: ['Restart'] },
    ];
    const operated = await Operated.on(service, { namespace: 'default', access });
    const admin = {
      url: 'ldap://embedded',
      bindDN: 'cn=admin,dc=example,dc=org',
      bindPassword: 'holdfast-dev-bind',
    };
    operated.tree.put('secrets.yaml', ...secretsConnection(secrets));
    operated.tree.put('directory.yaml', ...ldapConfig(admin));
    const job = { connectionRef: { name: 'main' }, id: 'web', namespace: 'payments', action: 'Restart' };
    operated.tree.put('role.yaml', staticRole({ consumers: [{ job }] }));
    await operated.apply();
    const before = await restarts();
    await operated.command('rotate', 'LDAPStaticRole/shop/shop');
    await operated.apply();
    expect(before).toBe(0);
    expect(await restarts()).toBe(before);
  },
);
