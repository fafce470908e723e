// What `export` prints has to be something that can be declared: of a role that finds its account by a filter, the rule's advice to
// declare a DN leads nowhere, because the service takes none for a role that is there.
import { expect, test } from 'vitest';
import { discovery } from '../../../src/kinds/ldap-static-role/discovery.ts';
import { declaration } from '../../../src/kinds/ldap-static-role/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { connectionTo, never } from '../../api/servers.ts';
import { configBody } from '../../embedded/secrets/running.ts';
import { served } from '../driven.ts';

const usernames: Readonly<Record<string, string>> = {
  plain: 'shop',
  star: 'bill*',
  hex: String.raw`bill\2a`,
  upper: String.raw`bill\2A`,
  slash: String.raw`bill\2`,
};

test('a role that finds others is not exported, and says what helps', async () => {
  const { here, service } = await served('vault');
  await here.client.post('/v1/ldap/config', configBody());
  for (const [name, username] of Object.entries(usernames)) {
    const body = { username, rotation_period: '1h', skip_import_rotation: true };
    await here.client.post(`/v1/ldap/static-role/${name}`, body);
  }
  const found = await discovery.find(
    service.reader,
    {
      connection: connectionTo([here.server.url], { service: 'secrets', dialect: 'vault' }),
      mounts: ['ldap'],
    },
    never,
  );
  const exported = await Promise.all(found.map((one) => one.export(never)));
  const refused =
    'the service finds other entries by its username, and takes no dn for a role that is there: make it anew, with a dn';
  expect(Object.fromEntries(found.map(({ name }, at) => [name, exported[at]]))).toEqual({
    hex: refused,
    plain: expect.objectContaining({ spec: expect.objectContaining({ username: 'shop' }) }),
    slash: expect.objectContaining({ spec: expect.objectContaining({ username: usernames['slash'] }) }),
    star: refused,
    upper: refused,
  });
  // The rule of the schema judges alike: what is exported can be declared.
  const rest = { configRef: { name: 'corp' }, rotationPeriod: '1h', onCreate: 'Keep' };
  for (const [at, { name }] of found.entries()) {
    const declared = validate(declaration, { spec: { ...rest, username: usernames[name] } });
    expect('problems' in declared, name).toBe(exported[at] === refused);
  }
});
