// Every operation that clients know, asked with a token that may do all but this, and with one that may do nothing else.
import { describe, expect, test } from 'vitest';
import { secretsRoutes } from '../../../src/api/secrets/routes.ts';
import type { Capability } from '../../../src/embedded/secrets/store/model.ts';
import { proves } from '../../coverage/proves.ts';
import type { Bench, Fields } from './bench.ts';

type GuardedOp = {
  [O in keyof typeof secretsRoutes]: (typeof secretsRoutes)[O]['acl'] extends 'none' | 'token' ? never : O;
}[keyof typeof secretsRoutes];

/** One operation on something of its own. */
interface Act {
  readonly path: string;
  readonly body?: Fields;
  /** What it would change, as the root sees it. */
  readonly seen?: () => Promise<string>;
}

const all: readonly Capability[] = ['create', 'read', 'update', 'delete', 'list'];
const readSelf = 'auth/token/lookup-self';

export function aclCases(bench: Bench): void {
  const root = (path: string) => async () =>
    (await bench.client.get(`/v1/${path}`)).text.replace(/"request_id":"[^"]*"/, '');

  const ldapRole = async (act: (mount: string) => Act): Promise<Act> => {
    const mount = await bench.ldap();
    const answer = await bench.client.post(`/v1/${mount}/static-role/shop`, bench.roleBody('shop'));
    if (answer.status !== 204) throw new Error(`a role to start from: ${answer.text}`);
    return act(mount);
  };
  const ldapConfig = async (act: (mount: string) => Act): Promise<Act> => act(await bench.ldap());
  const oidc = async (act: (mount: string) => Act): Promise<Act> => {
    const mount = await bench.mounted('oidc');
    await bench.client.post(`/v1/${mount}/config`, { oidc_discovery_url: bench.issuer.url });
    await bench.client.post(`/v1/${mount}/role/shop`, oidcRole);
    return act(mount);
  };
  const kms = async (act: (mount: string) => Act): Promise<Act> => {
    const mount = await bench.mounted('keymgmt');
    await bench.client.put(`/v1/${mount}/kms/shop`, store());
    return act(mount);
  };
  const oidcRole = { user_claim: 'sub', allowed_redirect_uris: 'http://localhost:8250/oidc/callback' };
  const store = (more: Fields = {}) => ({
    provider: bench.value('provider', 'cloud_keystore'),
    key_collection: 'vault-a',
    credentials: { tenant_id: 't', client_id: 'c', client_secret: 'canary' },
    ...more,
  });

  const acts: Readonly<Record<GuardedOp, () => Promise<Act>>> = {
    'mount.read': () => ldapConfig((mount) => ({ path: `sys/mounts/${mount}` })),
    'token.lookup': () => Promise.resolve({ path: readSelf }),
    'token.capabilities': () =>
      Promise.resolve({ path: 'sys/capabilities-self', body: { paths: ['sys/mounts'] } }),
    'token.renew': () => Promise.resolve({ path: 'auth/token/renew-self' }),
    'token.revoke': () => Promise.resolve({ path: 'auth/token/revoke-self' }),
    'ldap.config.read': () => ldapConfig((mount) => ({ path: `${mount}/config` })),
    'ldap.config.write': () =>
      ldapConfig((mount) => ({
        path: `${mount}/config`,
        body: bench.ldapConfig({ starttls: true }),
        seen: root(`${mount}/config`),
      })),
    'ldap.config.delete': () =>
      ldapConfig((mount) => ({ path: `${mount}/config`, seen: root(`${mount}/config`) })),
    'ldap.root.rotate': () =>
      ldapConfig((mount) => ({ path: `${mount}/rotate-root`, seen: root(`${mount}/config`) })),
    'ldap.role.list': () => ldapRole((mount) => ({ path: `${mount}/static-role` })),
    'ldap.role.read': () => ldapRole((mount) => ({ path: `${mount}/static-role/shop` })),
    'ldap.role.write': () =>
      ldapRole((mount) => ({
        path: `${mount}/static-role/shop`,
        body: bench.roleBody('shop', { rotation_period: '2h' }),
        seen: root(`${mount}/static-role/shop`),
      })),
    'ldap.role.delete': () =>
      ldapRole((mount) => ({
        path: `${mount}/static-role/shop`,
        seen: root(`${mount}/static-role/shop`),
      })),
    'ldap.role.rotate': () =>
      ldapRole((mount) => ({
        path: `${mount}/rotate-role/shop`,
        seen: async () => (await bench.credential(mount, 'shop'))['password'] ?? '',
      })),
    'ldap.credential.read': () => ldapRole((mount) => ({ path: `${mount}/static-cred/shop` })),
    'oidc.config.read': () => oidc((mount) => ({ path: `${mount}/config` })),
    'oidc.config.write': () =>
      oidc((mount) => ({
        path: `${mount}/config`,
        body: { oidc_discovery_url: bench.issuer.url, default_role: 'shop' },
        seen: root(`${mount}/config`),
      })),
    'oidc.role.list': () => oidc((mount) => ({ path: `${mount}/role` })),
    'oidc.role.read': () => oidc((mount) => ({ path: `${mount}/role/shop` })),
    'oidc.role.write': () =>
      oidc((mount) => ({
        path: `${mount}/role/shop`,
        body: { ...oidcRole, groups_claim: 'groups' },
        seen: root(`${mount}/role/shop`),
      })),
    'oidc.role.delete': () =>
      oidc((mount) => ({ path: `${mount}/role/shop`, seen: root(`${mount}/role/shop`) })),
    'kms.provider.list': () => kms((mount) => ({ path: `${mount}/kms` })),
    'kms.provider.read': () => kms((mount) => ({ path: `${mount}/kms/shop` })),
    'kms.provider.write': () => kms((mount) => ({ path: `${mount}/kms/shop`, body: store() })),
    'kms.provider.delete': () =>
      kms((mount) => ({ path: `${mount}/kms/shop`, seen: root(`${mount}/kms/shop`) })),
  };

  const { target } = bench;
  // oxlint-disable-next-line no-unsafe-type-assertion -- its keys, which the type above lists
  const ops = Object.keys(acts) as GuardedOp[];
  const isServed = (op: GuardedOp): boolean =>
    (!op.startsWith('kms.') || target.hasKMS) && (!op.startsWith('ldap.') || target.hasDirectory);
  /** On a directory that others use: its password would be lost to them. */
  const isRotation = (op: GuardedOp): boolean => op === 'ldap.root.rotate';

  describe('what a token may do', () => {
    test('is asked of every operation that needs one', () => {
      proves('each operation needs its capability');
      const guarded = Object.entries(secretsRoutes).filter(
        ([, route]) => !['none', 'token'].includes(route.acl),
      );
      expect(ops.toSorted()).toEqual(guarded.map(([op]) => op).toSorted());
    });

    test.for(ops.filter((op) => isServed(op) && !isRotation(op)))(
      'all but %s: it is denied, and nothing happens',
      async (op) => {
        proves('each operation needs its capability');
        const { path, body, seen } = await acts[op]();
        const { method, acl, query } = routeOf(op);
        const before = await seen?.();
        const token = await bench.token({ '*': all, [path]: ['deny'] }, true);
        const denied = await bench.as(token, method, `/v1/${path}${query}`, body);
        expect([denied.status, denied.text]).toEqual([403, expect.stringContaining('permission denied')]);
        expect(await seen?.()).toBe(before);
        if (path !== readSelf) expect((await bench.as(token, 'GET', `/v1/${readSelf}`)).status).toBe(200);
        const only = await bench.token({ [path]: [acl] }, true);
        const done = await bench.as(only, method, `/v1/${path}${query}`, body);
        expect(done.status, done.text).toBeLessThan(300);
        if (seen) expect(await seen()).not.toBe(before);
      },
    );

    test.runIf(target.hasDirectory)(
      'ldap.root.rotate, denied and allowed: the last, as it takes the password along',
      async () => {
        const { path, seen } = await acts['ldap.root.rotate']();
        const before = await seen?.();
        const without = await bench.token({ '*': all, [path]: ['deny'] }, true);
        expect((await bench.as(without, 'POST', `/v1/${path}`)).status).toBe(403);
        expect(await seen?.()).toBe(before);
        const only = await bench.token({ [path]: ['update'] }, true);
        expect((await bench.as(only, 'POST', `/v1/${path}`)).status).toBe(204);
        expect(await seen?.()).toContain('last_bind_password_rotation');
      },
    );

    test('creating needs `create`, writing again needs `update`', async () => {
      const mount = await bench.mounted('oidc');
      const path = `${mount}/role/shop`;
      const token = await bench.token({ [path]: ['create'] });
      const write = () => bench.as(token, 'POST', `/v1/${path}`, oidcRole);
      expect([(await write()).status, (await write()).status]).toEqual([204, 403]);
    });

    test('policies are asked before paths: who may do nothing there does not learn what there is', async () => {
      const token = await bench.token({});
      const wide = await bench.token({ '*': all });
      const path = `/v1/${bench.fresh('nowhere')}/config`;
      expect((await bench.as(token, 'GET', path)).status).toBe(403);
      expect((await bench.as(wide, 'GET', path)).status).toBe(404);
    });
  });

  function routeOf(op: GuardedOp) {
    const { method, acl } = secretsRoutes[op];
    return { method, acl, query: op.endsWith('.list') ? '?list=true' : '' };
  }
}
