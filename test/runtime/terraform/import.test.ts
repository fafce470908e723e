// What the attributes of Terraform's resources come to in manifests, and what is said where they come to nothing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { importOf } from '../../../src/runtime/terraform/import.ts';
import { folder } from '../../support/cli.ts';
import { shown, stateFile, type Resource } from '../../e2e/cli/terraform.ts';

const options = { into: 'shop', schedulerConnection: 'main', secretsConnection: 'secrets' };

async function imported(text: string) {
  const file = join(await folder(), 'state.json');
  writeFileSync(file, text);
  const { documents, left, lost } = importOf(file, options);
  const specs = parseAllDocuments(documents.join('')).map((one) => one.toJS().spec);
  return {
    specs,
    left: left.map(({ address, why }) => `${address}: ${why}`),
    lost: lost.map(({ attribute }) => attribute),
  };
}

const of = (type: string, attributes: object, more: Partial<Resource> = {}): Resource => ({
  type,
  name: 'it',
  attributes: { ...attributes },
  ...more,
});
const capability = [{ access_mode: 'single-node-writer', attachment_mode: 'file-system' }];
const volume = (attributes: object, more: Partial<Resource> = {}) =>
  of('nomad_csi_volume', { volume_id: 'data', plugin_id: 'ceph', capability, ...attributes }, more);
const backend = (attributes: object, more: Partial<Resource> = {}) =>
  of('vault_jwt_auth_backend', { path: 'oidc', oidc_discovery_url: 'https://a', ...attributes }, more);
const role = (attributes: object) =>
  of('vault_jwt_auth_backend_role', {
    backend: 'oidc',
    role_name: 'staff',
    user_claim: 'sub',
    allowed_redirect_uris: ['https://a/b'],
    ...attributes,
  });

describe('sizes are those that Terraform takes, as people write them', () => {
  test.for<[string, string | number]>([
    ['10GiB', '10Gi'],
    ['10 gib', '10Gi'],
    ['10gb', '10G'],
    ['1.5TiB', '1536Gi'],
    ['1,000 MB', '1G'],
    ['512', 512],
    ['1kb', '1k'],
    ['1025', 1025],
  ])('%s is %s', async ([given, min]) => {
    const { specs, left } = await imported(stateFile([volume({ capacity_min: given })]));
    expect([left, specs[0]?.create]).toEqual([[], { capacity: { min } }]);
  });
});

test.for<{ why: string; attributes: object; spec: object; lost?: readonly string[] }>([
  {
    why: 'the disk is known: how it was made no longer matters',
    attributes: {
      external_id: 'vol-1',
      capacity_min: '1GiB',
      capacity: 2 ** 30,
      parameters: { a: 'b' },
      snapshot_id: 's',
    },
    spec: { register: { externalID: 'vol-1' } },
  },
  {
    why: 'the disk is not known: as it was made',
    attributes: { capacity: 2 ** 30, parameters: { a: 'b' }, snapshot_id: 'snap-1' },
    spec: { create: { capacity: { min: '1Gi' }, parameters: { a: 'b' }, snapshotID: 'snap-1' } },
  },
  {
    why: 'the declared size is the one to keep, not the one that the plugin chose',
    attributes: { capacity: 2 ** 31, capacity_min: '1GiB' },
    spec: { create: { capacity: { min: '1Gi' } } },
  },
  {
    why: 'flags without a secret in them',
    attributes: { external_id: 'v', mount_options: [{ mount_flags: ['noatime', 'nfsvers=4.1'] }] },
    spec: { mountOptions: { mountFlags: ['noatime', 'nfsvers=4.1'] } },
  },
  {
    why: 'flags that may have one',
    attributes: { external_id: 'v', mount_options: [{ fs_type: 'xfs', mount_flags: ['ro', 'password=1'] }] },
    spec: { mountOptions: { fsType: 'xfs' } },
    lost: ['mount_options.mount_flags'],
  },
  {
    why: 'flags that Terraform was given and did not keep',
    attributes: { external_id: 'v', mount_options: [{ fs_type: 'xfs', mount_flags_wo_version: 2 }] },
    spec: { mountOptions: { fsType: 'xfs' } },
    lost: ['mount_options.mount_flags_wo'],
  },
  {
    why: 'each secret by its name',
    attributes: { external_id: 'v', secrets: { user: 'canary', key: 'canary' } },
    spec: {
      secrets: { user: { name: 'data-csi', key: 'user' }, key: { name: 'data-csi', key: 'key' } },
    },
  },
  {
    why: 'secrets that Terraform was given and did not keep',
    attributes: { external_id: 'v', secrets_wo_version: 1 },
    spec: {},
    lost: ['secrets_wo_version'],
  },
])('a volume: $why', async ({ attributes, spec, lost = [] }) => {
  const found = await imported(shown([volume(attributes)]));
  expect(found.left).toEqual([]);
  expect(found.specs[0]).toMatchObject(spec);
  expect(found.lost).toEqual(lost);
});

const workspace = {
  provider: 'gsuite',
  gsuite_admin_impersonate: 'admin@example.com',
  fetch_groups: 'true',
  fetch_user_info: 'false',
  groups_recurse_max_depth: '5',
};

test.for<{ why: string; attributes: object; spec: object; lost?: readonly string[] }>([
  {
    why: 'of a cloud directory',
    attributes: { provider_config: { provider: 'azure' } },
    spec: { providerConfig: { provider: 'cloud_directory' } },
  },
  {
    why: 'of a workspace, with the file of its account, and text made into flags and numbers',
    attributes: { provider_config: { ...workspace, gsuite_service_account: '/etc/account.json' } },
    spec: {
      providerConfig: {
        provider: 'workspace_directory',
        serviceAccountPath: '/etc/account.json',
        adminImpersonate: 'admin@example.com',
        fetchGroups: true,
        groupsRecurseMaxDepth: 5,
      },
    },
  },
  {
    why: 'of a workspace, with the key of its account, which comes from a Secret',
    attributes: { provider_config: { ...workspace, gsuite_service_account: '{"canary":1}', domain: 'a.b' } },
    spec: { providerConfig: { serviceAccountSecretRef: { name: 'oidc-workspace', key: 'account.json' } } },
    lost: ['provider_config.domain'],
  },
  {
    why: 'of a provider that no kind knows',
    attributes: { provider_config: { provider: 'ibmisam' } },
    spec: { discoveryURL: 'https://a' },
    lost: ['provider_config.provider'],
  },
  {
    why: 'with a secret that Terraform was given and did not keep',
    attributes: { oidc_client_id: 'c', oidc_client_secret_wo_version: 3 },
    spec: { clientID: 'c', clientSecretSecretRef: { name: 'oidc-client', key: 'secret' } },
  },
  {
    why: 'for signed tokens',
    attributes: { type: 'jwt', bound_issuer: 'https://a' },
    spec: { mount: 'oidc', boundIssuer: 'https://a' },
  },
])('a login $why', async ({ attributes, spec, lost = [] }) => {
  const found = await imported(stateFile([backend(attributes)]));
  expect(found.left).toEqual([]);
  expect(found.specs[0]).toMatchObject(spec);
  expect(found.lost).toEqual(lost);
});

test('bound claims are lists, split at commas unless Terraform was told not to', async () => {
  const bound_claims = { department: 'it,ops', country: 'NL' };
  const whole = { role_name: 'whole', bound_claims, disable_bound_claims_parsing: true };
  const { specs } = await imported(stateFile([backend({}), role({ bound_claims }), role(whole)]));
  expect(specs.slice(1).map((spec) => spec.boundClaims)).toEqual([
    { department: ['it', 'ops'], country: ['NL'] },
    { department: ['it,ops'], country: ['NL'] },
  ]);
});

test.for<{ why: string; resource: Resource; says: string }>([
  {
    why: 'keys from elsewhere are no discovery',
    resource: backend({ oidc_discovery_url: '', jwks_url: 'https://a/jwks' }),
    says: 'oidc_discovery_url: expected a value',
  },
  {
    why: 'neither a disk nor a size',
    resource: volume({ capacity_min: null }),
    says: 'external_id, capacity_min, capacity: expected a value for one of them',
  },
  {
    why: 'a size that is none',
    resource: volume({ capacity_min: 'much' }),
    says: '/spec/create/capacity/min: expected a size in bytes',
  },
  {
    why: 'the configuration of a role is not in the state',
    resource: role({}),
    says: 'its configuration is not imported',
  },
  {
    why: 'another provider has a resource of that name',
    resource: of('nomad_job', {}),
    says: 'Holdfast has no kind for it',
  },
])('left out and told: $why', async ({ resource, says }) => {
  for (const print of [stateFile, shown]) {
    const { specs, left } = await imported(print([resource]));
    expect(specs).toEqual([]);
    expect(left).toEqual([expect.stringContaining(`${resource.type}.it: ${says}`)]);
  }
});

test('of what is sensitive only references are written', async () => {
  const sensitive = ['plugin_id', 'mount_options', 'topology_request', 'secrets'];
  const given = {
    external_id: 'v',
    mount_options: [{ fs_type: 'ext4', mount_flags: ['noatime'] }],
    topology_request: [{ required: [{ topology: [{ segments: { canary: 'a' } }] }] }],
    secrets: { key: 'canary' },
  };
  const { left, specs, lost } = await imported(shown([volume({ ...given }, { sensitive })]));
  expect([left, specs, lost]).toEqual([
    ['nomad_csi_volume.it: /spec/pluginID: is required (one line of 1 to 128 characters)'],
    [],
    [],
  ]);
  const readable = await imported(shown([volume({ ...given }, { sensitive: sensitive.slice(1) })]));
  expect(readable.specs[0]).toMatchObject({
    mountOptions: { fsType: 'ext4' },
    secrets: { key: { name: 'data-csi', key: 'key' } },
  });
  expect(readable.lost).toEqual([
    'mount_options.mount_flags',
    'topology_request.required',
    'topology_request.preferred',
  ]);
});

test('two provider configurations or namespaces are two services: neither finds the objects of the other', async () => {
  const aliased = volume({ external_id: 'v' }, { alias: 'eu' });
  const inTills = volume({ external_id: 'v', namespace: 'tills' });
  const team = of('vault_ldap_secret_backend', { path: 'ldap', binddn: 'cn=a', namespace: 'a/b' });
  const { specs } = await imported(stateFile([volume({ external_id: 'v' }), aliased, inTills, team]));
  expect(specs.map((spec) => spec.connectionRef.name)).toEqual([
    'main',
    'main-eu',
    'main-tills',
    'secrets-a-b',
  ]);
});
