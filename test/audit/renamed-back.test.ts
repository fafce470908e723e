// A role gets another name, the process is killed on the way, and the name is taken back. The output bore the mark of an object that
// was gone by then, and the role published nothing any more.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdfast } from '../support/cli.ts';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

/** More than there are writes in such a pass. */
const writesMax = 20;

test('a role was renamed, the process was killed amid that, the name was taken back, and a later password was not published', async () => {
  const { operated, secrets } = await operating();
  const declare = (name: string) =>
    operated.tree.put('role.yaml', {
      ...staticRole({ externalName: 'shop' }),
      metadata: { namespace: 'shop', name },
    });
  operated.tree.put('directory.yaml', ...ldapConfig(admin));
  declare('shop');
  await operated.converge();
  let kills = 0;
  for (let isKilled = true; isKilled && kills < writesMax;) {
    declare('web');
    const env = { HOLDFAST_FAULT: `kill:after:${++kills}` };
    isKilled = (await holdfast(['apply', 'tree', '--timeout', '10'], { cwd: operated.cwd, env })).code !== 0;
    declare('shop');
    await secrets.call('POST', '/v1/ldap/rotate-role/shop', {});
    const { code, stdout } = await operated.apply();
    expect(code, `killed after ${kills} writes:\n${stdout}`).toBe(0);
    const file = join(operated.cwd, '.holdfast/outputs/shop/shop-login/password');
    const binds = await secrets.binds('uid=shop,ou=services,dc=example,dc=org', await readFile(file, 'utf8'));
    expect(binds, `killed after ${kills} writes`).toBe(true);
  }
  expect(kills).toBeGreaterThan(3);
  expect(kills).toBeLessThan(writesMax);
});
