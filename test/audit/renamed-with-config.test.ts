// A configuration and its role get other names in one commit, and the process is killed on the way. The new configuration waited for
// the old one, that for the old role, that for the new role, and that for the new configuration: for ever.
import { expect, test } from 'vitest';
import { holdfast } from '../support/cli.ts';
import type { Spec } from '../support/manifests.ts';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { admin, operating } from './embedded-directory.ts';

/** More than there are writes in such a pass. */
const writesMax = 30;
const deleted = { deletionPolicy: 'Delete' };

/** Both bear this name. */
function both(name: string): readonly Spec[] {
  const [config = {}, password = {}] = ldapConfig(admin, deleted);
  const role = staticRole({ ...deleted, externalName: 'shop', configRef: { name } });
  const metadata = { namespace: 'shop', name };
  return [{ ...config, metadata }, password, { ...role, metadata }];
}

test('a configuration and its role were renamed, the process was killed amid that, and neither was ready ever again', async () => {
  const { operated, secrets } = await operating();
  operated.tree.put('login.yaml', ...both('first'));
  await operated.converge();
  let kills = 0;
  for (let isKilled = true; isKilled && kills < writesMax;) {
    operated.tree.put('login.yaml', ...both(`next-${++kills}`));
    const env = { HOLDFAST_FAULT: `kill:after:${kills}` };
    isKilled = (await holdfast(['apply', 'tree', '--timeout', '10'], { cwd: operated.cwd, env })).code !== 0;
    const { code, stdout } = await operated.apply();
    expect(code, `killed after ${kills} writes:\n${stdout}`).toBe(0);
  }
  expect(kills).toBeGreaterThan(8);
  expect(kills).toBeLessThan(writesMax);
  expect(await secrets.rotations('shop')).toBe(1);
});
