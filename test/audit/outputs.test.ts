// Findings 9 and 10: published passwords. A start took away what others had put there, and a rotation went ahead that
// could not be published.
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ldapConfig, secretsConnection, serveSecrets, staticRole } from '../support/secrets.ts';
import type { Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const dn = 'uid=shop,ou=services,dc=example,dc=org';
const admin = 'cn=admin,dc=example,dc=org';

/** A role whose password is published. */
async function published() {
  const [service, secrets] = await Promise.all([serve(), serveSecrets()]);
  const operated = await Operated.on(service, {}, { unprivileged: true });
  operated.tree.put('secrets.yaml', ...secretsConnection(secrets));
  const directory = { url: 'ldap://embedded', bindDN: admin, bindPassword: 'holdfast-dev-bind' };
  operated.tree.put('directory.yaml', ...ldapConfig(directory));
  operated.tree.put('role.yaml', staticRole());
  await operated.converge();
  const place = join(operated.cwd, '.holdfast/outputs/shop/shop-login');
  const password = () => readFile(join(place, 'password'), 'utf8');
  expect(await secrets.binds(dn, await password())).toBe(true);
  return { operated, secrets, place, password };
}

/** Nothing can be written where the password is published, as on a disk that is full. */
async function fill(place: string): Promise<void> {
  await chmod(place, 0o500);
  onTestFinished(() => chmod(place, 0o700));
  const sets = (await readdir(place, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of sets) await chmod(join(place, name), 0o500);
}

test.each([
  { what: 'a Secret that is mounted there', name: '..2026_11_22', link: '..data' },
  { what: "another program's hidden file", name: '..kept', link: '..link' },
])('a start took away $what', async ({ name, link }) => {
  const { operated } = await published();
  const mounted = join(operated.cwd, '.holdfast/outputs/mounted');
  await mkdir(join(mounted, name), { recursive: true });
  await writeFile(join(mounted, name, 'password'), 'theirs');
  await symlink(name, join(mounted, link));
  for (const path of [mounted, join(mounted, name)]) await chmod(path, 0o777);
  await operated.apply();
  expect((await readdir(mounted)).toSorted()).toEqual([name, link].toSorted());
  expect(await readFile(join(mounted, link, 'password'), 'utf8')).toBe('theirs');
});

test('a password was rotated that could not be published, and the published one was dead', async () => {
  const { operated, secrets, place, password } = await published();
  await fill(place);
  await operated.command('rotate', 'LDAPStaticRole/shop/shop');
  const { stdout } = await operated.apply();
  expect(await secrets.binds(dn, await password()), stdout).toBe(true);
});

test('a published password was dead, and its role was ready', async () => {
  const { operated, secrets, place, password } = await published();
  await fill(place);
  await secrets.call('POST', '/v1/ldap/rotate-role/shop', {});
  const { code } = await operated.apply();
  const isGood = await secrets.binds(dn, await password());
  const ready = await operated.ready('LDAPStaticRole/shop/shop');
  expect({ isGood, isReady: ready?.status === 'True', code }).toEqual({
    isGood,
    isReady: isGood,
    code: isGood ? 0 : 3,
  });
});

test('a role was renamed and renamed back, and its password was not published any more', async () => {
  const { operated, secrets, password } = await published();
  const renamed: Spec = {
    ...staticRole({ externalName: 'shop' }),
    metadata: { namespace: 'shop', name: 'web' },
  };
  operated.tree.put('role.yaml', renamed);
  await operated.converge();
  operated.tree.put('role.yaml', staticRole());
  const { stdout, code } = await operated.apply();
  await secrets.call('POST', '/v1/ldap/rotate-role/shop', {});
  const next = await operated.apply();
  const ended = { code, next: next.code, isGood: await secrets.binds(dn, await password()) };
  expect(ended, `${stdout}\n${next.stdout}`).toEqual({ code: 0, next: 0, isGood: true });
});
