// Bad days of the services behind a password: what fails says so in words that help, nothing is lost, and all goes on by
// itself or by the act that is stated.
import { describe, expect, test } from 'vitest';
import type { Condition } from '../../src/core/status/status.ts';
import { systemClock } from '../../src/embedded/clock.ts';
import type { Spec } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { staticRole } from '../support/secrets.ts';
import { hasSlapd } from '../support/slapd.ts';
import { report } from './report.ts';
import { Bench, configKey, connectionKey, roleKey, well } from './rotation-bench.ts';
import { measured } from './running.ts';

const boundMs = 10_000;

describe.skipIf(!hasSlapd)('the directory (slapd)', () => {
  test('a wrong bind password is said as the directory says it; corrected in its Secret, all goes on by itself', async () => {
    const at = await Bench.open();
    const { dn, password } = at.directory.entries.shop;
    at.configure({}, {}, 'canary-wrong-bind-0c3f');
    at.run();
    expect(await at.operator.reason(roleKey, 'DirectoryError', 'Synced')).toMatch(
      /^ldap\.role\.write: LDAP Result Code 49 "Invalid Credentials"/,
    );
    expect(await at.directory.bind(dn, password)).toBe(true);
    at.configure();
    await measured('from corrected to published', boundMs, () => at.rests());
    expect(await at.works()).toBe(true);
    expect(await at.rotations()).toBe(1);
    await at.stop();
  });

  test('down when a rotation is asked for: the old password goes on to work, and it is made up for once', async () => {
    const at = await Bench.open();
    await at.operator.start();
    const before = await at.published();
    await at.directory.down();
    well(await at.command('rotate', roleKey));
    expect(await at.operator.reason(roleKey, 'DirectoryError', 'Synced')).toContain('ECONNREFUSED');
    // An error of the service says nothing of what became of the rotation: what is published may be out of date.
    expect(await at.operator.condition(roleKey)).toMatchObject({ status: 'False', reason: 'DirectoryError' });
    expect(await at.published()).toBe(before);
    await at.directory.up();
    expect(await at.works()).toBe(true);
    // The service tries again every 10 s, and is looked at again every 5 s.
    await measured('from up to published', 3 * boundMs, () => at.follows(before));
    await at.rests();
    await eventually('everybody told', () => at.signals().every((signals) => signals === 1));
    expect(await at.rotations()).toBe(2);
    await at.stop();
  });
});

const all = ['create', 'read', 'update', 'delete', 'list'];

/** What the tokens below may do: everything that is needed, but for these paths. */
function grant(at: Bench, paths: Readonly<Record<string, readonly string[]>> = {}): Promise<void> {
  const rules = Object.entries({ 'ldap/*': all, ...paths });
  const policy = {
    name: 'operator',
    rules: rules.map(([path, capabilities]) => ({ path, capabilities })),
  };
  return at.secrets.call('POST', '/setup/policies', policy);
}

const issue = (at: Bench, token: string, more: Spec = {}): Promise<void> =>
  at.secrets.call('POST', '/setup/tokens', { token, policies: ['default', 'operator'], ...more });

/** By two tokens, the first of which is in use. */
async function withTokens(first: Spec = {}): Promise<Bench> {
  const at = await Bench.embedded();
  await grant(at);
  await issue(at, 'canary-first-token-77aa', first);
  await issue(at, 'canary-second-token-88bb');
  at.connect({}, 'canary-first-token-77aa');
  at.role({ drift: { interval: '1s' } });
  await at.operator.start();
  return at;
}

describe('the session', () => {
  const unknown =
    'secrets/token: the service does not know this token (any more), or it may not look itself up, which the policy default allows';
  test.for([
    { sort: 'revoked', first: {}, reason: 'InvalidToken', said: unknown },
    {
      sort: 'expired',
      first: { ttlSeconds: 6, renewable: false },
      reason: 'TokenExpired',
      said: 'secrets/token: the token has expired',
    },
  ] as const)(
    'a token that is $sort: the connection says so, and the next one is used at once',
    async ({ sort, first, reason, said }) => {
      const at = await withTokens(first);
      const before = await at.published();
      if (sort === 'revoked') {
        await at.secrets.call('POST', '/setup/tokens/revoke', { token: 'canary-first-token-77aa' });
      }
      expect(await at.operator.reason(connectionKey, reason)).toBe(said);
      expect(await at.works()).toBe(true);
      at.connect({}, 'canary-second-token-88bb');
      await measured('from another token to at rest', boundMs, () => at.rests());
      well(await at.command('rotate', roleKey));
      await at.follows(before);
      expect(await at.rotations()).toBe(2);
      await at.stop();
    },
  );

  test('a login that the service forgot is repeated unnoticed; a secret ID that it does not take is named', async () => {
    let aheadMs = 0;
    const nowMs = () => systemClock.nowMs() + aheadMs;
    const at = await Bench.embedded({ clock: { ...systemClock, nowMs } });
    await grant(at);
    const ttls = { ttlSeconds: 3_600, maxTtlSeconds: 3_600 };
    const role = { mount: 'approle', name: 'holdfast', accepts: 'canary-secret-id-31d7' };
    await at.secrets.call('POST', '/setup/authRoles', {
      ...role,
      ...ttls,
      policies: ['default', 'operator'],
    });
    const secretIDSecretRef = { namespace: 'system', name: 'secrets', key: 'token' };
    const auth = { appRole: { roleID: 'holdfast', secretIDSecretRef } };
    at.connect({ auth }, 'canary-secret-id-31d7');
    await at.operator.start();
    const before = await at.published();
    aheadMs = 2 * 3_600_000; // by the service's clock only: the operator takes its token for good
    well(await at.command('rotate', roleKey));
    await at.follows(before);
    expect((await at.secrets.counters()).logins).toBe(2);
    at.connect({ auth }, 'canary-wrong-secret-id-9e');
    expect(await at.operator.reason(connectionKey, 'LoginFailed')).toBe(
      'login.approle: invalid role or secret ID',
    );
    expect(await at.works()).toBe(true);
    await at.stop();
  });

  test('each permission that is missing is named by its operation; granted, it goes on', async () => {
    const at = await Bench.embedded();
    await issue(at, 'canary-limited-token-55');
    at.connect({}, 'canary-limited-token-55');
    const denied = async (key: string, op: string) => {
      let last: Condition | undefined;
      const look = async () => {
        last = await at.operator.condition(key);
        return last?.reason === 'PermissionDenied' && last.message === `${op}: permission denied`;
      };
      await eventually(`${op} denied`, look, { seen: () => JSON.stringify(last) });
    };
    /** Whoever grants it can wait 10 minutes, or ask. */
    const granted = async (key: string, but: Readonly<Record<string, readonly string[]>> = {}) => {
      await grant(at, but);
      well(await at.command('reconcile', key));
    };
    const [config, role] = ['ldap/config', 'ldap/static-role/shop'];
    await grant(at, { [config]: [] });
    at.configure({ deletionPolicy: 'Delete' });
    at.role({ deletionPolicy: 'Delete' });
    at.run();
    await denied(configKey, 'ldap.config.read');
    await granted(configKey, { [config]: ['read'], [role]: [] });
    await denied(configKey, 'ldap.config.write');
    await granted(configKey, { [role]: [] });
    await denied(roleKey, 'ldap.role.read');
    await granted(roleKey, { [role]: ['read'] });
    await denied(roleKey, 'ldap.role.write');
    await granted(roleKey, { 'ldap/static-cred/shop': [] });
    await denied(roleKey, 'ldap.credential.read');
    await granted(roleKey, { 'ldap/rotate-role/shop': [] });
    await at.rests();
    well(await at.command('rotate', roleKey));
    await denied(roleKey, 'ldap.role.rotate');
    await granted(roleKey, { 'ldap/rotate-root': [] });
    await at.rests();
    well(await at.command('rotate', configKey));
    await denied(configKey, 'ldap.root.rotate');
    await granted(configKey, { [role]: ['read', 'update'], [config]: ['read', 'update'] });
    await at.rests(configKey);
    at.configure({ deletionPolicy: 'Delete' }, { annotations: { 'holdfast.dev/abandon-root': 'moved' } });
    at.tree.remove('role.yaml');
    await denied(roleKey, 'ldap.role.delete');
    await grant(at, { [config]: ['read', 'update'] });
    await at.command('reconcile', roleKey); // which may have left by now
    await at.operator.left(roleKey);
    at.tree.remove('directory.yaml');
    const limit = await at.operator.reason(configKey, 'DeletionLimitExceeded'); // the last of all
    well(await at.command('approve', limit.split(' ').at(-1) ?? ''));
    await denied(configKey, 'ldap.config.delete');
    const { rotations, rootRotations } = await at.secrets.counters();
    expect({ rotations, rootRotations }).toEqual({
      rotations: { 'ldap/shop': 2 },
      rootRotations: { ldap: 1 },
    });
    await at.stop();
  });
});

const others = 20;
const other = (n: number) => `LDAPStaticRole/shop/r${n}`;

describe('the service', () => {
  test('sealed: few requests whatever the number of roles, none of them counts as broken; unsealed, all goes on', async () => {
    const at = await Bench.embedded();
    for (let n = 0; n < others; n++) {
      const dn = `uid=s${n},ou=services,dc=example,dc=org`;
      const { spec } = staticRole();
      at.tree.put(`r${n}.yaml`, {
        ...staticRole(),
        metadata: { namespace: 'shop', name: `r${n}` },
        spec: {
          ...Object(spec),
          username: `s${n}`,
          dn,
          drift: { interval: '2s' },
          output: { secretName: `r${n}` },
        },
      });
      await at.secrets.call('POST', '/setup/entries', { dn, password: `canary-entry-${n}`, attributes: {} });
    }
    await at.operator.start();
    await at.secrets.call('POST', '/setup/seal', {});
    await at.secrets.resetCounters();
    const startedMs = performance.now();
    expect(await at.operator.reason(connectionKey, 'Sealed')).toBe('sys.health: the service is sealed');
    const requests = async (): Promise<readonly [string, number][]> => {
      const { routes } = await at.secrets.counters();
      return Object.entries(routes).filter(([route]) => route.includes(' /v1/'));
    };
    const probes = async () => Object.fromEntries(await requests())['GET /v1/sys/health'] ?? 0;
    await eventually('a third probe', async () => (await probes()) >= 3);
    const asked = (await requests()).reduce((sum, [, n]) => sum + n, 0);
    const seconds = (performance.now() - startedMs) / 1_000;
    report(`sealed: ${asked} requests in ${seconds.toFixed(1)} s for ${others} roles`);
    expect(asked).toBeLessThan(others);
    for (let n = 0; n < others; n++) {
      expect(await at.operator.condition(other(n))).toMatchObject({ status: 'True', reason: 'InSync' });
      expect(await at.operator.condition(other(n), 'Stalled')).toBeUndefined();
    }
    expect(await at.operator.reason(other(0), 'ConnectionNotReady', 'Synced')).toContain('is sealed');

    await at.secrets.call('POST', '/setup/unseal', {});
    await measured('from unsealed to all at rest', 2 * boundMs, async () => {
      for (let n = 0; n < others; n++) await at.rests(other(n));
    });
    expect((await at.secrets.counters()).writes).toBe(0);
    await at.stop();
  });

  test('a standby that hands requests on is as good, and shown', async () => {
    const at = await Bench.embedded();
    await at.operator.start();
    await at.secrets.call('POST', '/setup/standby', { on: true });
    const before = await at.published();
    well(await at.command('rotate', roleKey));
    await at.follows(before);
    well(await at.command('reconcile', connectionKey));
    const isShown = async () =>
      (await at.operator.rows()).get(connectionKey)?.status.observed?.['standby'] === true;
    await eventually('standby', isShown);
    expect(await at.operator.condition(connectionKey)).toMatchObject({ status: 'True' });
    await at.stop();
  });

  test('a mount that is missing comes with the command that makes it; made, all goes on by itself', async () => {
    const at = await Bench.embedded();
    at.configure({ mount: 'teams/ldap' });
    at.run();
    expect(await at.operator.reason(configKey, 'MountNotFound')).toBe(
      'ldap.config.read: nothing is mounted at teams/ldap: enable it with `vault` or `bao`: `secrets enable -path=teams/ldap ldap`',
    );
    await at.secrets.call('POST', '/setup/mounts', { path: 'teams/ldap', type: 'ldap' });
    await measured('from enabled to published', 3 * boundMs, () => at.rests());
    expect(await at.works()).toBe(true);
    await at.stop();
  });
});
