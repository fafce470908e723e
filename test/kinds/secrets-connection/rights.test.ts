// What the token of a connection lacks is told before anything is tried: by the service's own word, of what is declared.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SecretsDialectName } from '../../../src/api/dialects.ts';
import type { Condition } from '../../../src/core/status/status.ts';
import { planOf } from '../../../src/runtime/dry-run.ts';
import { openOperator } from '../../../src/runtime/directory-operator.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { folder } from '../../support/cli.ts';
import { installation, Tree } from '../../support/manifests.ts';
import { ldapConfig, secretsConnection, serveSecrets, staticRole } from '../../support/secrets.ts';

const token = 'canary-rights-token-77e0';
const directory = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword };
const granted = [
  { path: 'sys/mounts/ldap', capabilities: ['read'] },
  { path: 'ldap/config', capabilities: ['create', 'read', 'update'] },
  { path: 'ldap/static-role/*', capabilities: ['create', 'read', 'update'] },
  { path: 'ldap/rotate-role/*', capabilities: ['update'] },
  { path: 'ldap/static-cred/*', capabilities: ['read'] },
];
/** The policy that every token has besides lets it ask, unless an administrator has cut it. */
const mute = {
  name: 'default',
  rules: [{ path: 'auth/token/lookup-self', capabilities: ['read'] }],
};

interface Told {
  readonly told: Condition | undefined;
  /** How often the service was asked. */
  readonly asked: number;
  readonly ready: string | undefined;
  /** Requests of the whole pass, in order. */
  readonly requests: string;
  /** What `plan` says of it before anything was done. */
  readonly planned: readonly unknown[];
}

async function pass(dialect: SecretsDialectName, rules: readonly object[], more?: object): Promise<Told> {
  const service = await serveSecrets(dialect);
  if (more) await service.call('POST', '/setup/policies', more);
  await service.call('POST', '/setup/policies', { name: 'least', rules });
  await service.call('POST', '/setup/tokens', { token, policies: ['least'] });
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree'));
  tree.put('holdfast.yaml', installation());
  tree.put('secrets.yaml', ...secretsConnection(service, {}, token));
  tree.put('objects.yaml', ...ldapConfig(directory, { urls: ['ldap://embedded'] }), staticRole({}));
  const plan = await planOf(tree.path, { stateDir: join(cwd, '.holdfast') }, AbortSignal.timeout(20_000));
  const planned = plan.objects.flatMap((one) => ('lacks' in one ? [one.lacks] : []));
  await service.resetCounters();
  const operator = await openOperator({
    directory: tree.path,
    stateDir: join(cwd, '.holdfast'),
    embedded: () => undefined,
    gate: {},
    watch: false,
  });
  try {
    await operator.controller.list();
    operator.controller.run();
    await operator.settle(AbortSignal.timeout(20_000));
    const { conditions = [] } = operator.source.read('SecretsConnection/secrets')?.status ?? {};
    const { routes } = await service.counters();
    return {
      told: conditions.find(({ type }) => type === 'PermissionsSufficient'),
      asked: Object.entries(routes).find(([route]) => route.includes('capabilities-self'))?.[1] ?? 0,
      planned,
      requests: JSON.stringify(await service.call('GET', '/setup/requests?limit=1000')),
      ready: conditions.find(({ type }) => type === 'Ready')?.status,
    };
  } finally {
    await operator.close();
  }
}

test.for<SecretsDialectName>(['vault', 'secrets'])(
  '%s: enough is enough, and asked once',
  async (dialect) => {
    const { told, asked, ready, requests } = await pass(dialect, granted);
    expect(told).toMatchObject({ status: 'True', reason: 'PermissionsGranted', message: '' });
    expect([asked, ready]).toEqual([1, 'True']);
    expect(requests.indexOf('capabilities-self')).toBeLessThan(requests.indexOf('ldap/config'));
  },
);

test('what is missing is named by capability and path, with who needs it; the connection can be used all the same', async () => {
  const less = granted.filter(({ path }) => path !== 'ldap/rotate-role/*');
  const { told, ready, planned } = await pass('vault', less);
  expect(told).toMatchObject({
    status: 'False',
    reason: 'PermissionsMissing',
    message: 'the token lacks update ldap/rotate-role/shop (LDAPStaticRole/shop/shop)',
  });
  expect(ready).toBe('True');
  expect(planned).toEqual([told?.message]);
});

test('a token that may not ask is told as not known', async () => {
  const { told } = await pass('vault', granted, mute);
  expect(told).toMatchObject({ status: 'Unknown', reason: 'PermissionsUnknown' });
});
