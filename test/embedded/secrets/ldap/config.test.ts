import { expect, test } from 'vitest';
import { configBody, running } from '../running.ts';

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
