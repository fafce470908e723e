import { describe, expect, test } from 'vitest';
import { configBody, dialectNames, running } from './running.ts';

const wrong: readonly { body: object; status: number; says: string; why: string }[] = [
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
  { body: { certificate: 'canary' }, status: 500, says: 'failed to parse server tls cert', why: 'PEM' },
  {
    body: { client_tls_key: 'canary' },
    status: 500,
    says: 'both client_tls_cert and client_tls_key must be set',
    why: 'a pair',
  },
  {
    body: { starttls: 'canary' },
    status: 400,
    says: 'Field validation failed: error converting input for field "starttls": expected a boolean',
    why: 'types',
  },
  {
    body: { request_timeout: 'canary' },
    status: 400,
    says: 'error converting input for field "request_timeout": expected a duration',
    why: 'durations',
  },
  {
    body: { binddn: ['canary'] },
    status: 400,
    says: 'error converting input for field "binddn": expected a string',
    why: 'strings',
  },
];

describe.each(dialectNames)('the configuration of the LDAP engine, %s', (dialect) => {
  test('everything is read back but the passwords and keys, with defaults for what was not given', async () => {
    const here = await running({ dialect });
    const body = {
      binddn: 'cn=admin,dc=example,dc=org',
      bindpass: 'canary-bindpass-8823',
      url: 'LDAP://Embedded',
    };
    expect(
      (await here.client.post('/v1/ldap/config', { ...body, request_timeout: '1m30s', nobody: 1 })).status,
    ).toBe(204);
    const answer = await here.client.get('/v1/ldap/config');
    expect(answer.text).not.toContain('canary');
    const { data } = answer.json();
    expect(data).toMatchObject({
      binddn: 'cn=admin,dc=example,dc=org',
      url: 'ldap://embedded',
      schema: dialect === 'vault' ? 'openldap' : 'ldap',
      userattr: 'cn',
      starttls: false,
      insecure_tls: false,
      case_sensitive_names: false,
      certificate: '',
      tls_min_version: 'tls12',
      tls_max_version: 'tls12',
      request_timeout: 90,
      connection_timeout: 30,
      deny_null_bind: true,
    });
    for (const hidden of [
      'bindpass',
      'client_tls_cert',
      'client_tls_key',
      'length',
      'password_policy',
      'ttl',
    ]) {
      expect(data).not.toHaveProperty(hidden);
    }
    await here.stop();
  });

  test('a write changes what it names; a length that is left out is unset', async () => {
    const here = await running({ dialect });
    const write = (body: object) => here.client.post('/v1/ldap/config', body);
    const read = async () => (await here.client.get('/v1/ldap/config')).json().data;
    await write(configBody({ length: 20, starttls: true, schema: 'racf' }));
    expect(await read()).toMatchObject({ length: 20, starttls: true, schema: 'racf' });
    await write({ request_timeout: 5 });
    const after = await read();
    expect(after).toMatchObject({
      starttls: true,
      request_timeout: 5,
      userattr: 'uid',
      url: 'ldap://embedded',
    });
    expect(after).not.toHaveProperty('length');
    await write({ password_policy: 'p' });
    const both = await write({ length: 10 }); // against the stored policy, too
    expect([both.status, both.text]).toEqual([500, expect.stringContaining('cannot set both')]);
    await write({ password_policy: '' });
    expect((await write({ length: 10 })).status).toBe(204);
    expect((await here.client.delete('/v1/ldap/config')).status).toBe(204);
    expect((await here.client.get('/v1/ldap/config')).status).toBe(404);
    await here.stop();
  });

  test('a schema has one name in each dialect', async () => {
    const here = await running({ dialect });
    const statuses = ['ldap', 'openldap', 'ad', 'racf'].map(
      async (schema) => (await here.client.post('/v1/ldap/config', configBody({ schema }))).status,
    );
    expect(await Promise.all(statuses)).toEqual(
      dialect === 'vault' ? [500, 204, 204, 204] : [204, 500, 204, 204],
    );
    await here.stop();
  });

  test.each(wrong)('"$says": $why', async ({ body, status, says }) => {
    const here = await running({ dialect });
    const answer = await here.client.post('/v1/ldap/config', configBody(body));
    expect([answer.status, answer.json().errors[0]]).toEqual([status, expect.stringContaining(says)]);
    expect(answer.text).not.toContain('canary');
    expect((await here.client.get('/v1/ldap/config')).status).toBe(404);
    await here.stop();
  });
});

test('how often the bind password was sent is counted, also where it was refused, never what it was', async () => {
  const here = await running();
  await here.client.post('/v1/ldap/config', configBody());
  await here.client.post('/v1/ldap/config', configBody({ schema: '' }));
  await here.client.post('/v1/ldap/config', { starttls: false });
  expect(here.server.counters().bindPasswordWrites).toEqual({ ldap: 2 });
  await here.client.post('/setup/counters/reset', {});
  await here.client.post('/v1/ldap/config', { starttls: true });
  expect(here.server.counters().bindPasswordWrites).toEqual({});
  await here.stop();
});

describe('password policies', () => {
  const policy = 'length = 9\nrule "charset" { charset = "xyz" min-chars = 1 }';

  test('are written, read, listed and deleted', async () => {
    const here = await running();
    const at = '/v1/sys/policies/password/p';
    expect((await here.client.put(at, { policy })).status).toBe(204);
    expect((await here.client.get(at)).json().data).toEqual({ policy });
    expect((await here.client.get('/v1/sys/policies/password?list=true')).json().data.keys).toEqual(['p']);
    expect((await here.client.put(at, { policy: 'length = 1' })).status).toBe(400);
    expect((await here.client.delete(at)).status).toBe(204);
    expect((await here.client.get(at)).status).toBe(404);
    await here.stop();
  });
});
