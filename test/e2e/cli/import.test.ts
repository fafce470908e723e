// What Terraform made and its state tells: imported, and adopted without a single write. And no secret on the way.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { folder, holdfast } from '../../support/cli.ts';
import { secret, Tree, volume } from '../../support/manifests.ts';
import {
  ldapConfig,
  oidcConfig,
  oidcRole,
  secretsConnection,
  serveSecrets,
  staticRole,
} from '../../support/secrets.ts';
import { serve } from '../../support/service.ts';

const canary = 'canary-client-19fe';

const resource = (provider: string, type: string, attributes: object, more: object = {}) => ({
  mode: 'managed',
  type,
  name: 'it',
  provider: `provider["registry.example.com/hashicorp/${provider}"]`,
  instances: [{ schema_version: 0, attributes, ...more }],
});

const state = (...resources: readonly object[]) => JSON.stringify({ version: 4, resources });

test('what a state file says plans to be adopted, and adopting it writes nothing', async () => {
  const cwd = await folder();
  const [scheduler, secrets] = [await serve(), await serveSecrets('secrets')];
  const first = new Tree(join(cwd, 'first')).connect(scheduler);
  first.put('secrets.yaml', ...secretsConnection(secrets));
  first.put(
    'all.yaml',
    volume('odd', { externalName: 'Odd_Name.1' }),
    ...ldapConfig(
      { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword },
      { requestTimeout: '40s', userDN: 'ou=services,dc=example,dc=org' },
    ),
    staticRole({ rotationPeriod: '36h' }),
    oidcConfig({ defaultRole: 'staff' }),
    secret('shop', 'staff', { 'client-secret': canary }),
    oidcRole({ scopes: ['email'], boundClaims: { department: ['it', 'ops'] }, tokenTTL: '90m' }),
  );
  const made = await holdfast(['apply', 'first'], { cwd });
  expect(made.code, made.stdout).toBe(0);
  const tree = new Tree(join(cwd, 'second')).connect(scheduler);
  tree.put('secrets.yaml', ...secretsConnection(secrets));
  const inSecond = (...args: readonly string[]) => holdfast([...args, '--state-dir', 'state'], { cwd });
  const externalID = /externalID: (vol-[0-9a-f]+)/.exec((await inSecond('export', 'second')).stdout)?.[1];

  const claims = { department: 'it,ops' };
  writeFileSync(
    join(cwd, 'terraform.tfstate'),
    state(
      resource('nomad', 'nomad_csi_volume', {
        volume_id: 'Odd_Name.1',
        namespace: 'default',
        plugin_id: 'hostpath',
        external_id: externalID,
        capability: [{ access_mode: 'single-node-writer', attachment_mode: 'file-system' }],
        secrets: { key: canary },
        mount_options: null,
      }),
      resource('vault', 'vault_jwt_auth_backend_role', {
        backend: 'oidc',
        role_name: 'staff',
        role_type: 'oidc',
        user_claim: 'sub',
        allowed_redirect_uris: ['http://localhost:8250/oidc/callback'],
        oidc_scopes: ['email'],
        bound_claims: claims,
        token_ttl: 5400,
      }),
      resource('vault', 'vault_jwt_auth_backend', {
        path: 'oidc',
        type: 'oidc',
        oidc_discovery_url: 'https://embedded/staff',
        oidc_client_id: 'holdfast',
        oidc_client_secret: canary,
        default_role: 'staff',
        namespace_in_state: true,
        local: false,
      }),
      resource('vault', 'vault_ldap_secret_backend', {
        path: 'ldap',
        binddn: embeddedBindDN,
        bindpass: embeddedBindPassword,
        url: 'ldap://embedded',
        userdn: 'ou=services,dc=example,dc=org',
        userattr: 'cn',
        request_timeout: 40,
        client_tls_cert: canary,
        client_tls_key: canary,
        description: 'Logins of the shop',
        rotation_schedule: '0 * * * SAT',
      }),
      resource('vault', 'vault_ldap_secret_backend_static_role', {
        mount: 'ldap',
        role_name: 'shop',
        username: 'shop',
        dn: 'uid=shop,ou=services,dc=example,dc=org',
        rotation_period: 129_600,
      }),
      resource('vault', 'vault_policy', { policy: canary }),
    ),
  );
  const imported = await holdfast(
    ['import', 'terraform.tfstate', '--into', 'shop', '--secrets-connection', 'secrets'],
    { cwd },
  );
  expect(imported.stderr).toMatchInlineSnapshot(`
    "vault_policy.it: not imported: Holdfast has no kind for it
    vault_ldap_secret_backend.it: description: belongs to the mount, which Holdfast leaves as it is
    vault_ldap_secret_backend.it: rotation_schedule: not in the manifest; add it if there is a field for it
    5 imported, 1 left out
    "
  `);
  expect(imported.code).toBe(0);
  const shown = imported.stdout + imported.stderr;
  expect([canary, embeddedBindPassword].filter((one) => shown.includes(one))).toEqual([]);

  writeFileSync(join(cwd, 'second', 'imported.yaml'), imported.stdout);
  tree.put(
    'placeholders.yaml',
    secret('shop', 'ldap-bind', { password: embeddedBindPassword }),
    secret('shop', 'ldap-tls', { 'client.pem': canary, 'client.key': canary }),
    secret('shop', 'odd-name-1-csi', { key: canary }),
    secret('shop', 'oidc-client', { secret: canary }),
  );
  await Promise.all([scheduler.resetCounters(), secrets.resetCounters()]);
  const planned = await inSecond('plan', 'second');
  expect(planned.stdout).toContain('0 to create, 0 to update, 0 to replace, 0 to destroy, 5 to adopt');
  const applied = await inSecond('apply', 'second');
  expect(applied.code, applied.stdout).toBe(0);
  expect([(await scheduler.counters()).writes, (await secrets.counters()).writes]).toEqual([0, 0]);
});

test('copies of a resource get names of their own, and what Terraform is about to destroy is left out and told', async () => {
  const cwd = await folder();
  const held = (id: string, more: object = {}) => ({
    attributes: {
      volume_id: id,
      namespace: 'default',
      plugin_id: 'ceph',
      external_id: `vol-${id}`,
      access_mode: 'single-node-writer',
      attachment_mode: 'file-system',
      deregister_on_destroy: true,
      mount_options: [{ fs_type: 'ext4', mount_flags: [canary] }],
      topology_request: [
        {
          required: [{ topology: [{ segments: { zone: 'a' } }] }],
          preferred: [{ topology: [{ segments: { zone: 'b' } }] }],
        },
      ],
    },
    ...more,
  });
  writeFileSync(
    join(cwd, 'copies.tfstate'),
    state({
      ...resource('nomad', 'nomad_volume', {}),
      module: 'module.shop',
      provider: 'module.shop.provider["registry.example.com/hashicorp/nomad"].eu',
      instances: [
        held('data_1', {
          index_key: 'a',
          sensitive_attributes: [[{ type: 'get_attr', value: 'mount_options' }]],
        }),
        held('data.1', {
          index_key: 'b',
          sensitive_attributes: [[{ type: 'get_attr', value: 'plugin_id' }]],
        }),
        held('data.1', { index_key: 'c' }),
        held('data-1', { index_key: 0 }),
        held('old', { deposed: '1a2b3c4d' }),
        held('bad', { status: 'tainted' }),
      ],
    }),
  );
  const { stdout, stderr, code } = await holdfast(['import', 'copies.tfstate'], { cwd });
  expect(code).toBe(0);
  expect([...stdout.matchAll(/^ {2}name: (.+)$/gm)].map(([, name]) => name)).toMatchInlineSnapshot(`
    [
      "data-1",
      "data-1-3",
      "data-1-4",
    ]
  `);
  expect(stdout).toContain('fsType: ext4');
  expect(stdout).toContain('required:\n      - zone: a\n');
  expect(stdout.match(/^ {4}name: main-eu$/gm)).toHaveLength(3);
  expect(stdout.match(/^# connectionRef: declare main-eu for provider alias eu/gm)).toHaveLength(3);
  expect(stderr).toMatchInlineSnapshot(`
    "module.shop.nomad_volume.it: not imported: Terraform is about to destroy it (deposed)
    module.shop.nomad_volume.it: not imported: Terraform is about to replace it (tainted)
    module.shop.nomad_volume.it["b"]: not imported: /spec/pluginID: is required (one line of 1 to 128 characters)
    module.shop.nomad_volume.it["a"]: mount_options.mount_flags: not in the manifest; add it if there is a field for it
    module.shop.nomad_volume.it["c"]: mount_options.mount_flags: not in the manifest; add it if there is a field for it
    module.shop.nomad_volume.it[0]: mount_options.mount_flags: not in the manifest; add it if there is a field for it
    3 imported, 3 left out
    "
  `);
  expect(stdout + stderr).not.toContain(canary);
});

test('what is imported refers to the connections that init writes', async () => {
  const cwd = await folder();
  await holdfast(['init', 'tree'], { cwd });
  const ldap = { path: 'ldap', binddn: embeddedBindDN, url: 'ldap://embedded' };
  const registered = {
    volume_id: 'data',
    plugin_id: 'hostpath',
    external_id: 'vol-1',
    capability: [{ access_mode: 'single-node-writer', attachment_mode: 'file-system' }],
  };
  const text = state(
    resource('nomad', 'nomad_csi_volume_registration', registered),
    resource('vault', 'vault_ldap_secret_backend', ldap),
  );
  writeFileSync(join(cwd, 'some.tfstate'), text);
  const { stdout } = await holdfast(['import', 'some.tfstate'], { cwd });
  writeFileSync(join(cwd, 'tree/imported.yaml'), stdout);
  const { stderr, stdout: validated } = await holdfast(['validate', 'tree'], { cwd });
  expect([validated, stderr]).toEqual(['4 objects in 3 files, no problems\n', '']);
});

test('a folder is not taken for a state that is missing', async () => {
  const cwd = await folder();
  expect(await holdfast(['import', '.'], { cwd })).toMatchObject({
    code: 1,
    stderr: 'holdfast: .: expected a state file of Terraform, got a directory\n',
  });
});

const bad: readonly (readonly [why: string, text: string, says: string])[] = [
  ['it is not JSON', canary, 'expected a JSON object'],
  ['an older version has another form', '{"version":3}', '/version: expected 4'],
  ['a value can be a secret', `{"version":"${canary}"}`, 'got a value of type string'],
  ['there are no resources', '{"version":4}', '/resources: expected a list, got nothing'],
  ['a resource is none', '{"version":4,"resources":[1]}', '/resources/0: expected an object, got 1'],
  [
    'a resource has no attributes',
    state({ ...resource('nomad', 'nomad_volume', {}), instances: [{}] }),
    '/resources/0/instances/0/attributes: expected an object, got nothing',
  ],
];

test.each(bad)('a state file is refused where it is wrong, and not quoted: %s', async (_, text, says) => {
  const cwd = await folder();
  writeFileSync(join(cwd, 'bad.tfstate'), text);
  const { code, stdout, stderr } = await holdfast(['import', 'bad.tfstate'], { cwd });
  expect(stderr).toContain(says);
  expect(stderr).not.toContain(canary);
  expect([code, stdout]).toEqual([1, '']);
});
