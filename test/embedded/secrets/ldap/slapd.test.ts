import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasSlapd, startSlapd, type Slapd } from '../../../support/slapd.ts';
import { credential, roleBody, running, type Running } from '../running.ts';
import { proves } from '../../../coverage/proves.ts';

const onSlapd = async (slapd: Slapd, more: object = {}): Promise<Running> => {
  const here = await running();
  const config = { binddn: slapd.bindDN, bindpass: slapd.bindPassword, url: slapd.url };
  const search = { userdn: `ou=services,${slapd.base}`, userattr: 'uid' };
  const answer = await here.client.post('/v1/ldap/config', { ...config, ...search, ...more });
  expect(answer.status, answer.text).toBe(204);
  return here;
};
const createRole = (here: Running, name: string, more: object = {}) =>
  here.client.post(`/v1/ldap/static-role/${name}`, roleBody(name, more));

describe.skipIf(!hasSlapd)('on a real directory (slapd)', () => {
  let slapd: Slapd;
  let tls: Slapd;
  beforeAll(async () => {
    slapd = await startSlapd();
    tls = await startSlapd({ tls: true, demandsClientCertificate: true });
  });
  afterAll(async () => {
    await slapd.stop();
    await tls.stop();
  });

  test('a rotation changes the password there: the new one binds, the old one does not', async () => {
    const here = await onSlapd(slapd);
    const { dn, password } = slapd.entries.shop;
    expect(await slapd.bind(dn, password)).toBe(true);
    expect((await createRole(here, 'shop')).status).toBe(204);
    const first = await credential(here);
    expect([await slapd.bind(dn, password), await slapd.bind(dn, first.password)]).toEqual([false, true]);
    expect((await here.client.post('/v1/ldap/rotate-role/shop', {})).status).toBe(204);
    const second = await credential(here);
    expect(second.last_password).toBe(first.password);
    const accepted = [first, second].map((one) => slapd.bind(dn, one.password));
    expect(await Promise.all(accepted)).toEqual([false, true]);
    await here.stop();
  });

  test('asked for at the same time, rotations follow one another: the last password is the one there', async () => {
    const here = await onSlapd(slapd);
    await createRole(here, 'shop');
    const asked = Array.from({ length: 6 }, () => here.client.post('/v1/ldap/rotate-role/shop', {}));
    expect((await Promise.all(asked)).map((one) => one.status)).toEqual([204, 204, 204, 204, 204, 204]);
    expect(here.server.counters().rotations).toEqual({ 'ldap/shop': 7 });
    const { password, last_password } = await credential(here);
    expect(password).not.toBe(last_password);
    expect(await slapd.bind(slapd.entries.shop.dn, password)).toBe(true);
    await here.stop();
  });

  test('without a name the entry is found by its user name, and only if it is the only one', async () => {
    const here = await onSlapd(slapd);
    const { dn } = slapd.entries.billing;
    expect((await createRole(here, 'billing', { dn: '' })).status).toBe(204);
    expect(await slapd.bind(dn, (await credential(here, 'billing')).password)).toBe(true);
    const answer = await createRole(here, 'x', { dn: '', username: '*' }); // no wildcard: it is escaped
    expect([answer.status, answer.text]).toEqual([
      500,
      expect.stringContaining('expected one matching entry, but received 0'),
    ]);
    await here.stop();
  });

  test('rotate-root changes the bind password, and rotations go on with the new one', async () => {
    const own = await startSlapd();
    const here = await onSlapd(own);
    expect((await here.client.post('/v1/ldap/rotate-root', {})).status).toBe(204);
    expect(await own.bind(own.bindDN, own.bindPassword)).toBe(false);
    expect((await createRole(here, 'shop')).status).toBe(204);
    await here.stop();
    await own.stop();
  });

  test('a wrong bind password and an unknown entry are errors, and no role is stored', async () => {
    proves('the bind entry may search and change passwords');
    const here = await onSlapd(slapd, { bindpass: 'canary-wrong-bind' });
    const refused = await createRole(here, 'reports');
    expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('LDAP Result Code 49')]);
    expect(refused.text).not.toContain('canary');
    await here.client.post('/v1/ldap/config', { bindpass: slapd.bindPassword });
    const nobody = await createRole(here, 'nobody');
    expect([nobody.status, nobody.text]).toEqual([500, expect.stringContaining('LDAP Result Code 32')]);
    expect((await here.client.get('/v1/ldap/static-role?list=true')).status).toBe(404);
    await here.stop();
  });

  test.each([
    {
      schema: 'ad',
      attribute: 'unicodePwd',
      of: (p: string) => Buffer.from(`"${p}"`, 'utf16le'),
      length: 64,
    },
    { schema: 'racf', attribute: 'racfPassword', of: (p: string) => Buffer.from(p), length: 8 },
  ])('schema $schema writes $attribute', async ({ schema, attribute, of, length }) => {
    proves('`schema` says how a password is stored');
    const here = await onSlapd(slapd, { schema });
    expect((await createRole(here, 'reports')).status).toBe(204);
    const { password } = await credential(here, 'reports');
    expect(password).toHaveLength(length);
    expect(await slapd.values(slapd.entries.reports.dn, attribute)).toEqual([of(password)]);
    await here.stop();
  });

  test('servers are tried in order: one that is not there, and one that ends the connection, are passed by', async () => {
    proves('`url` is a list, tried in order; by default `ldap://127.0.0.1`');
    const broken = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const address = broken.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const url = `ldap://127.0.0.1:1,ldap://127.0.0.1:${port}, ${slapd.url}`;
    const here = await onSlapd(slapd, { url });
    const answer = await createRole(here, 'shop');
    expect(answer.status, answer.text).toBe(204);
    await here.client.post('/v1/ldap/config', { url: 'ldap://127.0.0.1:1' });
    const silent = await here.client.post('/v1/ldap/rotate-role/shop', {});
    expect([silent.status, silent.text]).toEqual([
      500,
      expect.stringMatching(/unable to finish rotating credentials.*error connecting to host/),
    ]);
    broken.close();
    await here.stop();
  });

  test.each([
    { how: 'StartTLS', url: () => tls.url, starttls: true },
    { how: 'LDAPS', url: () => tls.ldapsUrl, starttls: false },
  ])(
    '$how: with CA and client certificate it works; without either it does not',
    async ({ url, starttls }) => {
      proves('`starttls`, `insecure_tls` and certificates say how the connection is secured');
      const client = { client_tls_cert: tls.clientCert, client_tls_key: tls.clientKey };
      const good = { url: url(), starttls, certificate: tls.ca, ...client };
      const here = await onSlapd(tls, good);
      const rotate = async (change: object) => {
        await here.client.post('/v1/ldap/config', { ...good, insecure_tls: false, ...change });
        return (await here.client.post('/v1/ldap/rotate-role/shop', {})).status;
      };
      expect((await createRole(here, 'shop')).status).toBe(204);
      const otherCA = await startSlapd({ tls: true });
      await otherCA.stop();
      expect(await rotate({ certificate: otherCA.ca })).toBe(500);
      expect(await rotate({ certificate: '' })).toBe(500);
      expect(await rotate({ certificate: '', insecure_tls: true })).toBe(204);
      expect(await rotate({ client_tls_cert: '', client_tls_key: '' })).toBe(500);
      expect(await rotate({})).toBe(204);
      const { password } = await credential(here);
      expect(await tls.bind(tls.entries.shop.dn, password)).toBe(true);
      await here.stop();
    },
  );
});
