// The configuration of an LDAP engine.
import { describe, expect, test } from 'vitest';
import { proves } from '../../coverage/proves.ts';
import { multi, said, type Bench, type Fields } from './bench.ts';

const wrong: readonly { body: Fields; status: number; says: string; why: string }[] = [
  {
    body: { password_policy: 'p', length: 20 },
    status: 500,
    says: "cannot set both 'password_policy' and 'length'",
    why: 'one or the other',
  },
  {
    body: { schema: 'x500' },
    status: 500,
    says: 'the configured schema x500 is not valid. Supported schemas: [',
    why: 'three schemas',
  },
  { body: { schema: '' }, status: 500, says: 'schema is required', why: 'one of them' },
  { body: { url: '' }, status: 500, says: 'at least one url must be provided', why: 'somewhere to go' },
  {
    body: { binddn: '', userdn: '' },
    status: 500,
    says: 'cannot derive UserBindDN',
    why: 'somebody has to bind',
  },
  {
    body: { tls_min_version: 'ssl3' },
    status: 500,
    says: "invalid 'tls_min_version'",
    why: 'known versions',
  },
  {
    body: { tls_min_version: 'tls13' },
    status: 500,
    says: "'tls_max_version' must be greater than or equal to 'tls_min_version'",
    why: 'in order',
  },
  { body: { certificate: 'x' }, status: 500, says: 'failed to parse server tls cert', why: 'PEM' },
  {
    body: { client_tls_key: 'x' },
    status: 500,
    says: 'both client_tls_cert and client_tls_key must be set',
    why: 'a pair',
  },
  ...['starttls', 'request_timeout'].map((field) => ({
    body: { [field]: 'soon' },
    status: 400,
    says: `error converting input for field "${field}"`,
    why: 'flags and durations are no words',
  })),
  {
    body: { binddn: ['x'] },
    status: 400,
    says: 'error converting input for field "binddn"',
    why: 'a text is no list',
  },
];

export function ldapConfigCases(bench: Bench): void {
  const { target } = bench;
  const unset = { binddn: 'cn=a', bindpass: 'canary', url: 'ldap://127.0.0.1:1', userdn: 'ou=b' };

  describe('the configuration of an LDAP engine', () => {
    test('is read with defaults for what was not given, without passwords and keys', async () => {
      proves('`GET /v1/{mount}/config` reads it without passwords');
      const mount = await bench.mounted('ldap');
      const at = `/v1/${mount}/config`;
      const body = {
        binddn: 'cn=a',
        bindpass: 'canary',
        url: 'LDAP://127.0.0.1:1',
        request_timeout: '1m30s',
      };
      expect((await bench.client.post(at, { ...body, nobody: 1 })).status).toBe(204);
      const { credential_type: _ofVault, ...data } = (await bench.client.get(at)).json().data; // OpenBao has none
      expect(data).toEqual({
        anonymous_group_search: false,
        binddn: 'cn=a',
        case_sensitive_names: false,
        certificate: '',
        connection_timeout: 30,
        deny_null_bind: true,
        dereference_aliases: 'never',
        discoverdn: false,
        groupattr: 'cn',
        groupdn: '',
        groupfilter: '(|(memberUid={{.Username}})(member={{.UserDN}})(uniqueMember={{.UserDN}}))',
        insecure_tls: false,
        max_page_size: 0,
        request_timeout: 90,
        schema: bench.value('schema', 'ldap'),
        skip_static_role_import_rotation: false,
        starttls: false,
        tls_max_version: 'tls12',
        tls_min_version: 'tls12',
        upndomain: '',
        url: 'ldap://127.0.0.1:1',
        use_token_groups: false,
        userattr: 'cn',
        userdn: '',
        userfilter: '({{.UserAttr}}={{.Username}})',
        username_as_alias: false,
      });
    });

    test('a write changes what it names; a length that is left out is unset', async () => {
      proves('`POST /v1/{mount}/config` changes what it names');
      proves('`password_policy` and `length` exclude each other');
      const mount = await bench.mounted('ldap');
      const write = (body: Fields) => bench.client.post(`/v1/${mount}/config`, body);
      const read = async () => (await bench.client.get(`/v1/${mount}/config`)).json().data;
      await write({
        ...unset,
        length: 20,
        starttls: true,
        schema: 'racf',
        skip_static_role_import_rotation: true,
      });
      expect(await read()).toMatchObject({
        length: 20,
        starttls: true,
        schema: 'racf',
        userattr: 'racfid',
        skip_static_role_import_rotation: true,
      });
      await write({ request_timeout: 5 });
      const after = await read();
      expect(after).toMatchObject({ starttls: true, request_timeout: 5, url: unset.url, schema: 'racf' });
      expect(after).toMatchObject({ skip_static_role_import_rotation: true, userattr: 'racfid' });
      expect(after).not.toHaveProperty('length');
      await write({ password_policy: 'p' });
      expect(await read()).toMatchObject({ password_policy: 'p' });
      const both = await write({ length: 10 }); // against the stored policy, too
      expect(said(both)).toEqual([500, [multi("cannot set both 'password_policy' and 'length'")]]);
      await write({ password_policy: '' });
      expect(await read()).not.toHaveProperty('password_policy');
      expect((await write({ length: '10' })).status).toBe(204);
    });

    test('deleting it is done, twice as well; reading it then finds nothing', async () => {
      proves('`DELETE /v1/{mount}/config` removes it');
      const mount = await bench.mounted('ldap');
      await bench.client.post(`/v1/${mount}/config`, unset);
      for (const _ of [1, 2]) {
        expect((await bench.client.delete(`/v1/${mount}/config`)).status).toBe(204);
      }
      expect(said(await bench.client.get(`/v1/${mount}/config`))).toEqual([404, []]);
      const rotate = await bench.client.post(`/v1/${mount}/rotate-root`, {});
      expect(said(rotate)).toEqual([500, [multi('the config is currently unset')]]);
    });

    test('a schema has one name in each dialect', async () => {
      proves('`schema` is `ldap`, `racf` or `ad`, by default `ldap`');
      const mount = await bench.mounted('ldap');
      const statuses: number[] = [];
      for (const schema of ['ldap', 'openldap', 'ad', 'racf']) {
        statuses.push((await bench.client.post(`/v1/${mount}/config`, { ...unset, schema })).status);
      }
      const isNeutral = bench.value('schema', 'ldap') === 'ldap';
      expect(statuses).toEqual(isNeutral ? [204, 500, 204, 204] : [500, 204, 204, 204]);
    });

    test.each(wrong)('"$says": $why', async ({ body, status, says }) => {
      proves('`schema` is `ldap`, `racf` or `ad`, by default `ldap`');
      proves('`password_policy` and `length` exclude each other');
      const mount = await bench.mounted('ldap');
      const answer = await bench.client.post(`/v1/${mount}/config`, { ...unset, ...body });
      expect(said(answer)).toEqual([status, [expect.stringContaining(says)]]);
      expect((await bench.client.get(`/v1/${mount}/config`)).status).toBe(404);
    });

    test.runIf(target.embedded)('what is wrong with it is said without its values', async () => {
      const mount = await bench.mounted('ldap');
      for (const field of ['starttls', 'certificate', 'client_tls_key', 'request_timeout', 'length']) {
        const answer = await bench.client.post(`/v1/${mount}/config`, { ...unset, [field]: 'canary' });
        expect([answer.status >= 400, answer.text.includes('canary')]).toEqual([true, false]);
      }
    });
  });
}
