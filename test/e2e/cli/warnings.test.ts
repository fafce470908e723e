// What a service warns of although it did what it was asked: a person has to hear of it, and of no secret in it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { folder, Holdfast, holdfast } from '../../support/cli.ts';
import { installation, Tree } from '../../support/manifests.ts';
import { ldapConfig, secretsConnection, serveSecrets } from '../../support/secrets.ts';

const at = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword };
const key = 'LDAPConfig/shop/directory';

async function warned() {
  const service = await serveSecrets();
  await service.call('POST', '/setup/warning', { text: `no TLS: ${embeddedBindPassword} is sent as it is` });
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree'));
  tree.put('holdfast.yaml', installation());
  tree.put('all.yaml', ...secretsConnection(service), ...ldapConfig(at));
  return cwd;
}

test('apply tells what the service warned of, without the secret in it', async () => {
  const cwd = await warned();
  const { code, stdout, stderr } = await holdfast(['apply', 'tree'], { cwd });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(
    `! ${key}  the service warns: no TLS: (secret directory/password) is sent as it is`,
  );
  expect(stdout).not.toContain(embeddedBindPassword);
});

test('the log of run has it as a warning', async () => {
  const running = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd: await warned() });
  const [line] = await running.says(/.*"the service warns".*/, 9_000);
  const warning = 'no TLS: (secret directory/password) is sent as it is';
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', key, verb: 'create', warning });
  expect((await running.stop()).stdout).not.toContain(embeddedBindPassword);
});
