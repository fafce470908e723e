import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../contract/client.ts';
import { configBody, roleBody, running } from '../running.ts';
import { proves } from '../../../coverage/proves.ts';

describe('a directory that does not answer', () => {
  /** Takes connections and says nothing. */
  let server: Server;
  let url = '';
  let connections = 0;
  beforeEach(async () => {
    connections = 0;
    server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `ldap://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  });
  afterEach(() => {
    server.close();
  });

  test.each([{ starttls: false }, { starttls: true }])(
    'is given up after the request timeout: %j',
    async (tls) => {
      proves('`request_timeout` is 90 seconds by default, and then an error');
      const here = await running();
      await here.client.post('/v1/ldap/config', configBody({ url, request_timeout: 1, ...tls }));
      const answer = await here.client.post('/v1/ldap/static-role/shop', roleBody('shop'));
      expect([answer.status, answer.text]).toEqual([500, expect.stringContaining('timed out')]);
      await here.stop();
    },
  );

  test('holds up nobody who stops the service', async () => {
    const here = await running();
    await here.client.post('/v1/ldap/config', configBody({ url }));
    const asked = here.client.post('/v1/ldap/static-role/shop', roleBody('shop')).catch(() => 'cut');
    await until('the directory is asked', () => connections === 1);
    await here.stop();
    expect(await asked).toBe('cut');
  });

  test('is waited for by its own mount only', async () => {
    const here = await running();
    await here.client.post('/v1/sys/mounts/slow', { type: 'ldap' });
    await here.client.post('/v1/slow/config', configBody({ url }));
    await here.client.post('/v1/ldap/config', configBody());
    const asked = here.client.post('/v1/slow/static-role/shop', roleBody('shop')).catch(() => 'cut');
    await until('the directory is asked', () => connections === 1);
    expect((await here.client.post('/v1/ldap/static-role/shop', roleBody('shop'))).status).toBe(204);
    await here.stop();
    expect(await asked).toBe('cut');
  });
});
