// A role that moves to another namespace, with the engine that it refers to: what becomes of the Secret that it published before.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ldapConfig, staticRole } from '../support/secrets.ts';
import { Bench, configKey, roleKey } from './rotation-bench.ts';

test('its password is published there, nothing is rotated, and the former Secret stays for those who still read it', async () => {
  const at = await Bench.embedded();
  at.role({ consumers: [] });
  await at.operator.start('--listen', 'off');
  const password = await at.published();
  const rotations = await at.rotations();
  const documents = [...ldapConfig(at.directory, { requestTimeout: '1s' })];
  const moved = [...documents, staticRole({})].map((one) => ({
    ...one,
    metadata: { ...Object(one)['metadata'], namespace: 'store' },
  }));
  at.tree.put('role.yaml', ...moved.slice(2));
  at.tree.put('directory.yaml', ...moved.slice(0, 2));
  await at.operator.left(roleKey);
  await at.operator.left(configKey);
  await at.rests('LDAPStaticRole/store/shop');
  expect(await readFile(join(at.cwd, '.holdfast/outputs/store/shop-login/password'), 'utf8')).toBe(password);
  expect(await at.published()).toBe(password);
  expect(await at.rotations()).toBe(rotations);
  await at.stop();
});
