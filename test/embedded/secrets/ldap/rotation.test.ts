import { describe, expect, test } from 'vitest';
import { until } from '../../../contract/client.ts';
import {
  configBody,
  credential,
  dialectNames,
  entryDN,
  roleBody,
  running,
  withRole,
  type Running,
} from '../running.ts';
import { proves } from '../../../coverage/proves.ts';
import { temporaryFile } from '../../scheduler/files.ts';

const rotations = (here: Running): number => here.server.counters().rotations['ldap/shop'] ?? 0;
const post = (here: Running, path: string, body: object = {}) => here.client.post(`/v1/ldap/${path}`, body);

/** Moves the clock by whole ticks, and lets each of them happen. */
async function pass(here: Running, seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 5) {
    here.clock.advance(5_000);
    await here.client.get('/setup/counters'); // a turn of the event loop, over the network
  }
}

const refusedRoles: readonly { body: object; says: string; why: string }[] = [
  {
    body: { dn: 'x', rotation_period: 5 },
    says: 'username is a required field to manage a static account',
    why: 'who',
  },
  { body: { username: '', rotation_period: 5 }, says: 'username must not be empty', why: 'who really' },
  {
    body: { username: 'shop', rotation_period: 5 },
    says: '"shop" is already managed by the secrets engine',
    why: 'only once',
  },
  { body: { username: 'x' }, says: 'rotation_period is required to create static accounts', why: 'when' },
  {
    body: { username: 'x', rotation_period: '4s' },
    says: 'rotation_period must be 5 seconds or more',
    why: 'not too often',
  },
];
const refusedUpdates: readonly { body: object; says: string }[] = [
  { body: { username: 'other' }, says: 'cannot update static account username' },
  { body: { dn: 'cn=other' }, says: 'cannot update static account distinguished name (dn)' },
  { body: { rotation_period: 4 }, says: 'rotation_period must be 5 seconds or more' },
  { body: { skip_import_rotation: false }, says: 'skip_import_rotation has no effect on updates' },
];

describe.each(dialectNames)('static roles, %s', (dialect) => {
  const last = dialect === 'vault' ? 'last_vault_rotation' : 'last_service_rotation';

  test('creating one takes over its password: the directory knows the new one and no longer the old one', async () => {
    const here = await withRole({ dialect });
    const first = await credential(here);
    expect(first).toMatchObject({ dn: entryDN('shop'), username: 'shop', ttl: 3600, rotation_period: 3600 });
    expect(first.password).toMatch(/^[0-9A-Za-z]{64}$/);
    const binds = [first.password, 'holdfast-dev-shop'].map((one) => here.bind(entryDN('shop'), one));
    expect(await Promise.all(binds)).toEqual([true, false]);
    expect(rotations(here)).toBe(1);
    await here.stop();
  });

  test('with skip_import_rotation it leaves the password, and knows none until it rotates', async () => {
    const here = await withRole({ dialect }, { skip_import_rotation: true });
    expect(await credential(here)).toMatchObject({ password: '', [last]: '0001-01-01T00:00:00Z', ttl: 0 });
    expect((await here.client.get('/v1/ldap/static-role/shop')).json().data).toEqual({
      dn: entryDN('shop'),
      username: 'shop',
      rotation_period: 3600,
    });
    expect(await here.bind(entryDN('shop'), 'holdfast-dev-shop')).toBe(true);
    await pass(here, 3600);
    await until('it is rotated by its period', () => rotations(here) === 1);
    await here.stop();
  });

  test('one that never rotated is rotated at once when it is changed, and when the service starts again', async () => {
    const file = temporaryFile();
    const skip = { skip_import_rotation: true };
    const here = await withRole({ dialect, file }, skip);
    await post(here, 'static-role/billing', roleBody('billing', skip));
    await pass(here, 60);
    expect(here.server.counters().rotations).toEqual({});
    await post(here, 'static-role/shop', { rotation_period: '2h' });
    await pass(here, 5);
    await until('the changed one is rotated', () => rotations(here) === 1);
    expect(await here.bind(entryDN('billing'), 'holdfast-dev-billing')).toBe(true);
    await here.stop();
    const again = await running({ dialect, file }, here.clock);
    await pass(again, 5);
    await until(
      'the other one is rotated',
      async () => !(await again.bind(entryDN('billing'), 'holdfast-dev-billing')),
    );
    expect(rotations(again)).toBe(0);
    await again.stop();
  });

  test('names are lower-cased, and a deleted one is free again', async () => {
    const here = await withRole({ dialect });
    expect((await here.client.get('/v1/ldap/static-role/SHOP')).status).toBe(200);
    await post(here, 'static-role/Billing', roleBody('billing'));
    expect((await here.client.get('/v1/ldap/static-role?list=true')).json().data.keys).toEqual([
      'billing',
      'shop',
    ]);
    const { password } = await credential(here);
    await here.client.delete('/v1/ldap/static-role/shop');
    expect((await here.client.get('/v1/ldap/static-role/shop')).json()).toEqual({ errors: [] });
    expect(await here.bind(entryDN('shop'), password)).toBe(true);
    expect((await post(here, 'static-role/other', roleBody('shop'))).status).toBe(204);
    await here.stop();
  });

  test('what is wrong with a role is said in the words of the real service', async () => {
    const here = await withRole({ dialect });
    for (const { body, says, why } of refusedRoles) {
      const answer = await post(here, 'static-role/new', body);
      expect([why, answer.status, answer.json()]).toEqual([why, 400, { errors: [says] }]);
    }
    for (const { body, says } of refusedUpdates) {
      const answer = await post(here, 'static-role/shop', body);
      expect([answer.status, answer.json()]).toEqual([400, { errors: [says] }]);
    }
    expect(rotations(here)).toBe(1);
    await here.stop();
  });

  test('an update changes the period, counted from the last rotation, and does not rotate', async () => {
    const here = await withRole({ dialect });
    here.clock.advance(600_000);
    expect((await post(here, 'static-role/shop', { rotation_period: '20m' })).status).toBe(204);
    expect(await credential(here)).toMatchObject({ ttl: 600, rotation_period: 1200, dn: entryDN('shop') });
    await post(here, 'static-role/shop', { dn: '' });
    expect((await credential(here)).dn).toBe('');
    expect((await post(here, 'rotate-role/shop')).status).toBe(204); // found by its user name now
    expect(rotations(here)).toBe(2);
    await here.stop();
  });

  test('rotate-role rotates at once, and the period starts again', async () => {
    proves('`POST /v1/{mount}/rotate-role/{role}` rotates at once');
    const here = await withRole({ dialect });
    const first = await credential(here);
    here.clock.advance(1_000_000);
    expect((await post(here, 'rotate-role/shop')).status).toBe(204);
    const second = await credential(here);
    expect(second).toMatchObject({ last_password: first.password, ttl: 3600 });
    expect(Date.parse(second[last]) - Date.parse(first[last])).toBe(1_000_000);
    await here.stop();
  });
});

describe('rotation', () => {
  test('by period: once when it is due, not before, and then a period later', async () => {
    proves('a password rotates every `rotation_period`; `ttl` counts down to that');
    const here = await withRole({}, { rotation_period: 60 });
    const counts: number[] = [];
    for (const seconds of [55, 5, 55, 5]) {
      await pass(here, seconds);
      await here.client.get('/v1/ldap/static-cred/shop');
      counts.push(rotations(here));
    }
    expect(counts).toEqual([1, 2, 2, 3]);
    expect(await here.bind(entryDN('shop'), (await credential(here)).password)).toBe(true);
    await here.stop();
  });

  test('none where the service stands still, to be looked at', async () => {
    const here = await withRole({ still: true }, { rotation_period: 60 });
    await pass(here, 300);
    expect(rotations(here)).toBe(1);
    await here.stop();
  });

  test.each(['seal', 'standby'])('only the active, unsealed node rotates: not after %s', async (how) => {
    const here = await withRole({}, { rotation_period: 60 });
    await here.client.post(`/setup/${how}`, {});
    await pass(here, 300);
    expect(rotations(here)).toBe(1);
    await here.client.post(how === 'seal' ? '/setup/unseal' : '/setup/standby', { on: false });
    await pass(here, 5);
    await until('it catches up', () => rotations(here) === 2);
    await here.stop();
  });

  test('a failed one leaves the stored password, says so, and is tried again after ten seconds', async () => {
    const here = await withRole({});
    const before = await credential(here);
    await here.client.post('/setup/directory/down', {});
    const answer = await post(here, 'rotate-role/shop');
    expect([answer.status, answer.json().errors[0]]).toEqual([
      500,
      expect.stringContaining(
        'unable to finish rotating credentials; retries will continue in the background but it is also safe to retry manually: ',
      ),
    ]);
    expect(await credential(here)).toEqual(before);
    await here.client.post('/setup/directory/up', {});
    await pass(here, 5);
    expect(rotations(here)).toBe(1);
    await pass(here, 5);
    await until('it is made up for', () => rotations(here) === 2);
    expect(await here.bind(entryDN('shop'), (await credential(here)).password)).toBe(true);
    await here.stop();
  });

  test('a role whose first rotation fails is not stored', async () => {
    const here = await running();
    const unset = await post(here, 'static-role/shop', roleBody('shop'));
    expect([unset.status, unset.text]).toEqual([
      500,
      expect.stringContaining('the config is currently unset'),
    ]);
    await post(here, 'config', configBody({ bindpass: 'canary-wrong' }));
    const refused = await post(here, 'static-role/shop', roleBody('shop'));
    expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('LDAP Result Code 49')]);
    expect(refused.text).not.toContain('canary');
    await post(here, 'config', configBody());
    const none = await post(here, 'static-role/none', roleBody('none', { dn: '' }));
    expect(none.text).toContain('expected one matching entry, but received 0');
    expect((await here.client.get('/v1/ldap/static-role?list=true')).status).toBe(404);
    expect(here.server.counters().rotations).toEqual({});
    await here.stop();
  });

  test('rotate-root: the old bind password is of no use, the new one is never shown, rotations go on', async () => {
    proves('`POST /v1/{mount}/rotate-root` changes the bind password, which nobody is told');
    const here = await withRole();
    const { bindpass, binddn } = configBody();
    expect((await post(here, 'rotate-root')).status).toBe(204);
    expect(await here.bind(binddn, bindpass)).toBe(false);
    const { data } = (await here.client.get('/v1/ldap/config')).json();
    expect(data).toMatchObject({ last_bind_password_rotation: '2026-11-20T00:00:00.000Z' });
    expect((await post(here, 'rotate-role/shop')).status).toBe(204);
    expect(here.server.counters()).toMatchObject({
      rootRotations: { ldap: 1 },
      bindPasswordWrites: { ldap: 1 },
    });
    // It overwrites what the service knows (services.md#ldap-configuration).
    await post(here, 'config', { bindpass });
    expect((await post(here, 'rotate-role/shop')).status).toBe(500);
    await here.stop();
  });

  test('rotate-root fails without a config, and leaves the password where the directory says no', async () => {
    const here = await running();
    const unset = await post(here, 'rotate-root');
    expect([unset.status, unset.text]).toEqual([
      500,
      expect.stringContaining('the config is currently unset'),
    ]);
    await post(here, 'config', configBody({ binddn: entryDN('shop'), bindpass: 'canary-wrong' }));
    expect((await post(here, 'rotate-root')).status).toBe(500);
    await post(here, 'config', configBody());
    expect((await post(here, 'static-role/shop', roleBody('shop'))).status).toBe(204);
    expect(here.server.counters().rootRotations).toEqual({});
    await here.stop();
  });

  test('passwords keep to the policy, to the length, to what the schema can hold; a missing policy is an error', async () => {
    proves('a password is 64 long by default, as long as `length`, or as `password_policy` says');
    const here = await withRole();
    const next = async (config: object) => {
      await post(here, 'config', { password_policy: '', schema: 'openldap', ...config });
      const answer = await post(here, 'rotate-role/shop');
      return answer.status === 204 ? (await credential(here)).password : answer.json().errors[0];
    };
    expect(await next({ length: 20 })).toMatch(/^[0-9A-Za-z]{20}$/);
    expect(await next({ schema: 'racf' })).toMatch(/^[0-9A-Za-z]{8}$/);
    expect(await next({ schema: 'racf', length: 9 })).toContain('unable to generate password: length 9');
    expect(await next({ password_policy: 'p' })).toContain(
      'unable to generate password: password policy "p" not found',
    );
    await here.client.put('/v1/sys/policies/password/p', {
      policy: 'length = 9 rule "charset" { charset = "xyz" }',
    });
    expect(await next({ password_policy: 'p' })).toMatch(/^[xyz]{9}$/);
    await next({ schema: 'ad' });
    expect((await here.client.get('/setup/directory')).json()).toContainEqual({
      dn: entryDN('shop'),
      passwordAttribute: 'unicodePwd',
    });
    await here.stop();
  });

  test('asked for at the same time, rotations follow one another: the last password is the directory’s', async () => {
    const here = await withRole();
    const asked = Array.from({ length: 8 }, () => post(here, 'rotate-role/shop'));
    expect((await Promise.all(asked)).map((one) => one.status)).toEqual(Array.from({ length: 8 }, () => 204));
    expect(rotations(here)).toBe(9);
    expect(await here.bind(entryDN('shop'), (await credential(here)).password)).toBe(true);
    await here.stop();
  });
});
