import { expect, test } from 'vitest';
import type { SecretsDialectName } from '../../../../src/api/dialects.ts';
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

/** What each write answers, and the type of credential that is read back after it. */
async function typesIn(dialect: SecretsDialectName) {
  const here = await running({ dialect });
  const type = async (body: object) => {
    const { status } = await here.client.post('/v1/ldap/config', body);
    return [status, (await here.client.get('/v1/ldap/config')).json().data.credential_type];
  };
  const types = [
    await type(configBody()),
    await type({ credential_type: 'phrase' }),
    await type({ credential_type: 'pin' }),
    await type({ starttls: true }),
  ];
  await here.stop();
  return types;
}

test('Vault alone has a type of credential, which a write that leaves it out resets, as the real one does', async () => {
  expect(await typesIn('vault')).toEqual([
    [204, 'password'],
    [204, 'phrase'],
    [500, 'phrase'],
    [204, 'password'],
  ]);
  expect((await typesIn('secrets')).map(([, type]) => type)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
