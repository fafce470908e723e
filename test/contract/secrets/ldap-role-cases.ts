// Static roles of an LDAP engine, their credentials and rotations, on a directory.
import { describe, expect, test } from 'vitest';
import { proves } from '../../coverage/proves.ts';
import { until } from '../client.ts';
import { entryDN, multi, said, type Bench, type Fields } from './bench.ts';

export function ldapRoleCases(bench: Bench): void {
  const { target, dialect } = bench;
  const last = bench.field('last_service_rotation');
  const create = (mount: string, name: string, more: Fields = {}) =>
    bench.client.post(`/v1/${mount}/static-role/${name}`, bench.roleBody(name, more));

  describe.runIf(target.hasDirectory)('static roles', () => {
    test('creating one changes the password, and it is read as it was declared', async () => {
      proves('`POST /v1/{mount}/static-role/{role}` creates one, and rotates its password');
      proves('`GET /v1/{mount}/static-role/{role}` reads it as declared');
      const mount = await bench.ldap();
      expect((await create(mount, 'shop')).status).toBe(204);
      const { data } = (await bench.client.get(`/v1/${mount}/static-role/shop`)).json();
      expect(data).toEqual({
        dn: entryDN('shop'),
        username: 'shop',
        rotation_period: 3_600,
        [last]: expect.stringMatching(/^20\d\d-\d\d-\d\dT/),
      });
      expect(Math.abs(Date.parse(data[last]) - Date.now())).toBeLessThan(60_000);
      const credential = await bench.credential(mount, 'shop');
      expect(Object.keys(credential).toSorted()).toEqual(
        [last, 'dn', 'last_password', 'password', 'rotation_period', 'ttl', 'username'].toSorted(),
      );
      expect(credential['password']).toMatch(/^[A-Za-z0-9]{64}$/);
      expect(Number(credential['ttl'])).toBeGreaterThan(3_590);
      expect(await bench.bind(entryDN('shop'), credential['password'] ?? '')).toBe(true);
    });

    test('a rotation changes the password and keeps the one before', async () => {
      proves('`GET /v1/{mount}/static-cred/{role}` reads the credential, in no envelope');
      proves('`POST /v1/{mount}/rotate-role/{role}` rotates at once');
      const mount = await bench.ldap();
      await create(mount, 'shop');
      const before = await bench.credential(mount, 'shop');
      expect((await bench.client.post(`/v1/${mount}/rotate-role/shop`, {})).status).toBe(204);
      const after = await bench.credential(mount, 'shop');
      expect(after['password']).not.toBe(before['password']);
      expect(after['last_password']).toBe(before['password']);
      expect(Date.parse(after[last] ?? '')).toBeGreaterThanOrEqual(Date.parse(before[last] ?? ''));
      expect(await bench.bind(entryDN('shop'), after['password'] ?? '')).toBe(true);
      expect(await bench.bind(entryDN('shop'), before['password'] ?? '')).toBe(false);
    });

    test('without a name the entry is found by its user name', async () => {
      proves('`dn` names the entry, otherwise `username` finds it');
      const mount = await bench.ldap();
      expect((await create(mount, 'billing', { dn: '' })).status).toBe(204);
      const { password = '', dn } = await bench.credential(mount, 'billing');
      expect([dn, await bench.bind(entryDN('billing'), password)]).toEqual(['', true]);
    });

    test('imported as it is, its password is not known until it rotates', async () => {
      const mount = await bench.ldap();
      expect((await create(mount, 'reports', { skip_import_rotation: true })).status).toBe(204);
      const read = (await bench.client.get(`/v1/${mount}/static-role/reports`)).json().data;
      expect(read).not.toHaveProperty(last);
      expect(read).not.toHaveProperty('skip_import_rotation');
      expect(await bench.credential(mount, 'reports')).toMatchObject({
        password: '',
        [last]: '0001-01-01T00:00:00Z',
        ttl: 0,
      });
    });

    test('imported as it is, a change has it rotated at the next tick', async () => {
      const mount = await bench.ldap();
      await create(mount, 'reports', { skip_import_rotation: true, rotation_period: '24h' });
      await bench.client.post(`/v1/${mount}/static-role/reports`, { rotation_period: '48h' });
      await until(
        'it is rotated',
        async () => (await bench.credential(mount, 'reports'))['password'] !== '',
        15_000,
      );
      const { password = '' } = await bench.credential(mount, 'reports');
      expect(await bench.bind(entryDN('reports'), password)).toBe(true);
    });

    test('names are folded; a list is of names, and absent while there are none', async () => {
      proves('`GET /v1/{mount}/static-role` lists names, in no envelope');
      const mount = await bench.ldap();
      const list = () => bench.client.get(`/v1/${mount}/static-role?list=true`);
      expect(said(await list())).toEqual([404, []]);
      await create(mount, 'Shop', { username: 'shop', dn: entryDN('shop'), skip_import_rotation: true });
      expect((await list()).json().data.keys).toEqual(['shop']);
      expect((await bench.client.get(`/v1/${mount}/static-role/sHop`)).status).toBe(200);
      const plain = await bench.client.get(`/v1/${mount}/static-role`);
      expect([plain.status, plain.json()]).toEqual(
        dialect.capabilities.plainList
          ? [200, ['shop']]
          : [405, { errors: [multi('unsupported operation')] }],
      );
    });

    test('a write changes the period only, and what it leaves out stays', async () => {
      const mount = await bench.ldap();
      const skip = { skip_import_rotation: true };
      await create(mount, 'shop', skip);
      const write = async (body: Fields) =>
        said(await bench.client.post(`/v1/${mount}/static-role/shop`, body));
      expect(await write({ rotation_period: '2h' })).toEqual([204, []]);
      expect((await bench.client.get(`/v1/${mount}/static-role/shop`)).json().data).toMatchObject({
        rotation_period: 7_200,
        dn: entryDN('shop'),
      });
      expect(await write({ username: 'billing' })).toEqual([400, ['cannot update static account username']]);
      expect(await write({ dn: entryDN('billing') })).toEqual([
        400,
        ['cannot update static account distinguished name (dn)'],
      ]);
      expect(await write(skip)).toEqual([400, ['skip_import_rotation has no effect on updates']]);
      expect(await write({ dn: '' })).toEqual([204, []]);
      expect((await bench.client.get(`/v1/${mount}/static-role/shop`)).json().data.dn).toBe('');
    });

    test.each([
      { body: { rotation_period: '1h' }, says: 'username is a required field to manage a static account' },
      { body: { username: '', rotation_period: '1h' }, says: 'username must not be empty' },
      {
        body: { username: 'taken', rotation_period: '1h' },
        says: '"taken" is already managed by the secrets engine',
      },
      { body: { username: 'u' }, says: 'rotation_period is required to create static accounts' },
      { body: { username: 'u', rotation_period: '4s' }, says: 'rotation_period must be 5 seconds or more' },
    ])('is refused with "$says"', async ({ body, says }) => {
      proves('`username` and `rotation_period`, of 5 seconds or more, are required');
      const mount = await bench.ldap();
      await create(mount, 'other', { username: 'taken', skip_import_rotation: true });
      expect(said(await bench.client.post(`/v1/${mount}/static-role/x`, body))).toEqual([400, [says]]);
      expect((await bench.client.get(`/v1/${mount}/static-role/x`)).status).toBe(404);
    });

    test.each([
      { more: { dn: entryDN('ghost') }, says: 'LDAP Result Code 32 "No Such Object"', why: 'by its name' },
      {
        more: { dn: '', username: 'ghost' },
        says: 'expected one matching entry, but received 0',
        why: 'by search',
      },
    ])('that no entry is found for, $why, is not stored', async ({ more, says }) => {
      proves('`dn` names the entry, otherwise `username` finds it');
      const mount = await bench.ldap();
      const answer = await create(mount, 'ghost', more);
      expect(said(answer)).toEqual([500, [expect.stringContaining(says)]]);
      expect((await bench.client.get(`/v1/${mount}/static-role/ghost`)).status).toBe(404);
    });

    test('a directory that is not there fails what needs it, and a rotation says that it is tried again', async () => {
      const mount = await bench.ldap();
      await create(mount, 'shop', { skip_import_rotation: true });
      await bench.client.post(`/v1/${mount}/config`, { url: 'ldap://127.0.0.1:1' });
      const rotate = await bench.client.post(`/v1/${mount}/rotate-role/shop`, {});
      expect(said(rotate)).toEqual([500, [expect.stringContaining('unable to finish rotating credentials')]]);
      expect(rotate.text).toContain('error connecting to host');
      const made = await create(mount, 'billing');
      expect(said(made)).toEqual([500, [expect.stringContaining('error connecting to host')]]);
      expect((await bench.client.post(`/v1/${mount}/rotate-root`, {})).status).toBe(500);
    });

    test.runIf(target.dialectName === 'vault').each(['samaccountname', 'mail'])(
      'the user attribute %s, which is not known in that spelling, fails what needs a password',
      async (userattr) => {
        const mount = await bench.ldap();
        await create(mount, 'billing');
        expect((await bench.client.post(`/v1/${mount}/config`, { userattr })).status).toBe(204);
        const text = `unsupported userattr "${userattr}"`;
        const made = await create(mount, 'shop'); // which names its entry, so that nobody is looked for
        expect(said(made)).toEqual([500, [multi(text)]]);
        const rotated = await bench.client.post(`/v1/${mount}/rotate-role/billing`, {});
        expect(said(rotated)).toEqual([500, [expect.stringContaining(text)]]);
        await bench.client.post(`/v1/${mount}/config`, { userattr: 'sAMAccountName' });
        expect((await create(mount, 'shop')).status).toBe(204);
      },
    );

    test.runIf(target.dialectName === 'vault')(
      'by the principal name, which is usual in ad, no role finds its entry by a DN, nor does one whose domain is no part of it',
      async () => {
        const mount = await bench.ldap({ schema: 'ad', userattr: '', userdn: 'dc=example,dc=org' });
        const made = await create(mount, 'shop');
        const text = 'expected one matching entry, but received 0';
        expect(said(made)).toEqual([500, [expect.stringContaining(text)]]);
        await bench.client.post(`/v1/${mount}/config`, { userattr: 'uid' });
        expect((await create(mount, 'shop')).status).toBe(204);
        await bench.client.post(`/v1/${mount}/config`, { upndomain: 'example.org' }); // it binds as <binddn>@<upndomain>
        const rotated = await bench.client.post(`/v1/${mount}/rotate-role/shop`, {});
        expect(said(rotated)).toEqual([500, [expect.stringMatching(/LDAP Result Code (34|49) /)]]);
      },
    );

    test('a password policy that is not there fails what needs a password, not the configuration', async () => {
      proves('the policy need not be there before a password is made');
      const mount = await bench.ldap({ password_policy: bench.fresh('none') });
      const made = await create(mount, 'shop');
      expect(said(made)).toEqual([500, [expect.stringContaining('unable to generate password')]]);
    });

    test('a length, and a policy, are kept to', async () => {
      proves('a password is 64 long by default, as long as `length`, or as `password_policy` says');
      const name = bench.fresh('passwords');
      const policy = 'length = 9\nrule "charset" {\n  charset = "xyz"\n  min-chars = 1\n}\n';
      await bench.client.put(`/v1/sys/policies/password/${name}`, { policy });
      const mount = await bench.ldap({ length: 20 });
      await create(mount, 'shop');
      expect((await bench.credential(mount, 'shop'))['password']).toMatch(/^[A-Za-z0-9]{20}$/);
      await bench.client.post(`/v1/${mount}/config`, { password_policy: name });
      await bench.client.post(`/v1/${mount}/rotate-role/shop`, {});
      expect((await bench.credential(mount, 'shop'))['password']).toMatch(/^[xyz]{9}$/);
      await bench.client.delete(`/v1/sys/policies/password/${name}`);
    });

    test('deleted, it is gone and the entry keeps its password', async () => {
      proves('`DELETE /v1/{mount}/static-role/{role}` deletes it; the entry stays');
      const mount = await bench.ldap();
      await create(mount, 'shop');
      const { password = '' } = await bench.credential(mount, 'shop');
      expect((await bench.client.delete(`/v1/${mount}/static-role/shop`)).status).toBe(204);
      expect((await bench.client.get(`/v1/${mount}/static-role/shop`)).status).toBe(404);
      expect(await bench.bind(entryDN('shop'), password)).toBe(true);
      const again = await bench.client.delete(`/v1/${mount}/static-role/shop`);
      const isDone = target.embedded && target.dialectName === 'secrets';
      expect(said(again)).toEqual(isDone ? [204, []] : [500, [multi('queue is empty')]]); // which it says of what is not there
    });

    test('without a configuration roles stay, and can do nothing', async () => {
      const mount = await bench.ldap();
      await create(mount, 'shop');
      await bench.client.delete(`/v1/${mount}/config`);
      expect((await bench.credential(mount, 'shop'))['username']).toBe('shop');
      const rotate = await bench.client.post(`/v1/${mount}/rotate-role/shop`, {});
      expect(said(rotate)).toEqual([500, [expect.stringContaining('the config is currently unset')]]);
    });

    // OpenBao 2.6 ends the connection: a mistake of its own.
    test.runIf(target.embedded)('without a configuration none is made', async () => {
      const mount = await bench.mounted('ldap');
      const made = await create(mount, 'shop');
      expect(said(made)).toEqual([500, [multi('the config is currently unset')]]);
    });
  });
}
