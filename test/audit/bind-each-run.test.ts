// `apply` as a timer runs it, while the directory rejects the new password: somebody else has set another one. Each run is a
// process of its own.
import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { Attribute, Change, Client } from 'ldapts';
import { expect, onTestFinished, test } from 'vitest';
import { ldapConfig, secretsConnection, staticRole } from '../support/secrets.ts';
import { startSlapd } from '../support/slapd.ts';
import { operating } from './embedded-directory.ts';

/** Counts the binds of one account on their way to the directory. */
async function counting(to: string, dn: string) {
  let binds = 0;
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(to).port), '127.0.0.1');
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      const text = data.toString('latin1');
      if (/^0[\s\S]{1,6}`/.test(text) && text.includes(dn)) binds++;
    });
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `ldap://127.0.0.1:${address.port}`, binds: () => binds };
}

test('each run tried the rejected password once more: after five, a directory would have locked the account', async () => {
  const slapd = await startSlapd();
  onTestFinished(() => slapd.stop());
  const { operated, secrets } = await operating();
  const { dn } = slapd.entries.shop;
  const proxy = await counting(slapd.url, dn);
  operated.tree.put('secrets.yaml', ...secretsConnection(secrets, { probeHosts: ['127.0.0.1'] }));
  operated.tree.put('directory.yaml', ...ldapConfig({ ...slapd, url: proxy.url }));
  operated.tree.put('role.yaml', staticRole({ dn, verify: { bind: true } }));
  await operated.converge();
  await secrets.call('POST', '/v1/ldap/rotate-role/shop', {});
  const client = new Client({ url: slapd.url });
  await client.bind(slapd.bindDN, slapd.bindPassword);
  const modification = new Attribute({ type: 'userPassword', values: ['set-by-the-help-desk'] });
  await client.modify(dn, new Change({ operation: 'replace', modification }));
  await client.unbind();
  const before = proxy.binds();
  let said = '';
  for (let pass = 0; pass < 6; pass++)
    said = (await operated.command('apply', 'tree', '--timeout', '2')).stdout;
  expect(said).toContain('BindRejected');
  expect(proxy.binds() - before).toBeGreaterThan(0);
  expect(proxy.binds() - before).toBeLessThanOrEqual(3);
});
