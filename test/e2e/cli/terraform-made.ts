// What the two providers of Terraform make, by the calls that they make, and what Terraform then keeps of it: with the zeros,
// nulls and computed attributes of a real state.
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import type { SecretsService } from '../../support/secrets.ts';
import type { Service } from '../../support/service.ts';
import type { Resource } from './terraform.ts';

export const canary = 'canary-terraform-5d0c';
const writer = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };
const capability = [{ access_mode: 'single-node-writer', attachment_mode: 'file-system' }];
const computed = {
  controller_required: true,
  controllers_expected: 1,
  controllers_healthy: 1,
  nodes_expected: 3,
  nodes_healthy: 3,
  plugin_provider: 'example.com',
  plugin_provider_version: '1.0.0',
  schedulable: true,
  topologies: [],
  timeouts: null,
};
const volumeOf = (id: string, namespace: string) => ({
  ...computed,
  id,
  volume_id: id,
  name: id,
  namespace,
  plugin_id: 'hostpath',
  capability,
  clone_id: null,
  snapshot_id: null,
  topology_request: [],
});

/** The volumes of the provider: one that tells its disk, one of an older release, one of another namespace, one registered. */
export async function makeVolumes(service: Service): Promise<readonly Resource[]> {
  await service.call('POST', '/setup/namespaces', { name: 'tills' });
  const create = (id: string, namespace: string, more: object) =>
    service.call<{ Volumes: { ExternalID: string; Capacity: number }[] }>(
      'PUT',
      `/v1/volume/csi/${id}/create?namespace=${namespace}`,
      { Volumes: [{ ID: id, Name: id, PluginID: 'hostpath', RequestedCapabilities: [writer], ...more }] },
    );
  const capacity = { RequestedCapacityMin: 10 * 2 ** 30, RequestedCapacityMax: 20e9 };
  const secrets = { password: canary };
  const [orders] = (await create('Orders_1', 'default', { ...capacity, Parameters: { tier: 'fast' } }))
    .Volumes;
  await create('archive', 'default', {
    ...capacity,
    Parameters: { tier: 'slow' },
    Secrets: secrets,
    MountOptions: { FSType: 'ext4', MountFlags: ['noatime'] },
  });
  await create('till', 'tills', capacity);
  const disk = { id: 'scratch', external: 'vol-0a1b2c3d4e5f6' };
  await service.call('PUT', `/v1/volume/csi/${disk.id}`, {
    Volumes: [
      {
        ID: disk.id,
        Name: disk.id,
        PluginID: 'ebs',
        ExternalID: disk.external,
        RequestedCapabilities: [writer],
      },
    ],
  });
  return [
    {
      type: 'nomad_csi_volume',
      name: 'it',
      key: 'orders',
      attributes: {
        ...volumeOf('Orders_1', 'default'),
        capacity_min: '10 GiB',
        capacity_max: '20gb',
        parameters: { tier: 'fast' },
        mount_options: [],
        secrets: null,
        capacity: orders?.Capacity,
        capacity_min_bytes: 10 * 2 ** 30,
        capacity_max_bytes: 20e9,
        external_id: orders?.ExternalID,
      },
    },
    {
      module: 'module.shop.module.disk[0]',
      type: 'nomad_csi_volume',
      name: 'older',
      attributes: {
        ...volumeOf('archive', 'default'),
        capacity_min: '10 GiB',
        capacity_max: '20gb',
        parameters: { tier: 'slow' },
        mount_options: [{ fs_type: 'ext4', mount_flags: ['noatime'] }],
        secrets,
      },
      sensitive: ['secrets'],
    },
    {
      type: 'nomad_csi_volume',
      name: 'elsewhere',
      attributes: { ...volumeOf('till', 'tills'), capacity_min: '10GiB', capacity_max: '20GB' },
    },
    {
      type: 'nomad_csi_volume_registration',
      name: 'scratch',
      attributes: {
        ...volumeOf('scratch', 'default'),
        plugin_id: 'ebs',
        external_id: disk.external,
        deregister_on_destroy: true,
        parameters: null,
        context: null,
      },
    },
  ];
}

const engine = {
  accessor: 'ldap_1a2b3c4d',
  allowed_managed_keys: null,
  default_lease_ttl_seconds: 0,
  description: '',
  disable_remount: false,
  external_entropy_access: false,
  listing_visibility: '',
  local: false,
  max_lease_ttl_seconds: 0,
  options: null,
  seal_wrap: false,
};

/** A directory and its roles, at this mount of this namespace. */
async function makeDirectory(secrets: SecretsService, namespace: string | null, mount: string) {
  const at = namespace === null ? '/v1' : `/v1/${namespace}`;
  await secrets.call('POST', `${at}/sys/mounts/${mount}`, { type: 'ldap' });
  const given = {
    binddn: embeddedBindDN,
    bindpass: embeddedBindPassword,
    certificate: '',
    connection_timeout: 30,
    request_timeout: 40,
    schema: 'openldap',
    url: 'ldap://embedded',
    userattr: 'cn',
    userdn: 'ou=services,dc=example,dc=org',
    insecure_tls: false,
    starttls: false,
    skip_static_role_import_rotation: true,
  };
  await secrets.call('POST', `${at}/${mount}/config`, given);
  const config: Resource = {
    type: 'vault_ldap_secret_backend',
    name: 'directory',
    attributes: { ...engine, ...given, id: mount, namespace, path: mount, credential_type: 'password' },
    sensitive: ['bindpass'],
  };
  return { at, config };
}

async function makeRoles(secrets: SecretsService, at: string, mount: string): Promise<readonly Resource[]> {
  const roles: Resource[] = [];
  for (const username of ['shop', 'billing']) {
    const given = {
      username,
      dn: `uid=${username},ou=services,dc=example,dc=org`,
      rotation_period: 129_600,
    };
    await secrets.call('POST', `${at}/${mount}/static-role/${username}`, {
      ...given,
      skip_import_rotation: true,
    });
    const id = `${mount}/static-role/${username}`;
    const unset = { disable_automated_rotation: false, rotation_window: 0, rotation_schedule: '' };
    roles.push({
      module: 'module.roles',
      type: 'vault_ldap_secret_backend_static_role',
      name: 'role',
      key: username,
      attributes: { ...given, ...unset, id, mount, role_name: username, skip_import_rotation: true },
    });
  }
  return roles;
}

const tokens = {
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_max_ttl: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_period: 0,
  token_type: 'default',
};
const leeways = { clock_skew_leeway: 0, expiration_leeway: 0, not_before_leeway: 0 };

/** A login for people at `oidc`, and one for machines at `ci`. */
async function makeLogins(secrets: SecretsService): Promise<readonly Resource[]> {
  const issuer = {
    oidc_discovery_url: 'https://embedded/staff',
    oidc_response_types: [],
    jwt_supported_algs: [],
  };
  const backend = { accessor: 'auth_1', description: '', disable_remount: false, local: false, tune: [] };
  await secrets.call('POST', '/v1/sys/auth/ci', { type: 'jwt' });
  const people = { ...issuer, oidc_client_id: 'holdfast', oidc_client_secret: canary, default_role: 'staff' };
  await secrets.call('POST', '/v1/auth/oidc/config', people);
  await secrets.call('POST', '/v1/auth/ci/config', issuer);
  const staff = {
    user_claim: 'sub',
    allowed_redirect_uris: ['http://localhost:8250/oidc/callback'],
    oidc_scopes: ['email'],
    bound_claims: { department: 'it,ops', country: 'NL' },
    role_type: 'oidc',
    token_ttl: 5400,
    token_policies: ['shop-read'],
  };
  const joined = { department: ['it', 'ops'], country: 'NL' };
  await secrets.call('POST', '/v1/auth/oidc/role/staff', { ...staff, bound_claims: joined });
  const build = { user_claim: 'sub', bound_audiences: ['ci'], role_type: 'jwt', token_ttl: 600 };
  await secrets.call('POST', '/v1/auth/ci/role/build', build);
  const role = { ...tokens, ...leeways, bound_claims_type: 'string', verbose_oidc_logging: false };
  return [
    {
      type: 'vault_jwt_auth_backend_role',
      name: 'staff',
      attributes: { ...role, ...staff, backend: 'oidc', role_name: 'staff', id: 'auth/oidc/role/staff' },
    },
    {
      type: 'vault_jwt_auth_backend_role',
      name: 'build',
      key: 0,
      attributes: { ...role, ...build, backend: 'ci', role_name: 'build', id: 'auth/ci/role/build' },
    },
    {
      type: 'vault_jwt_auth_backend',
      name: 'people',
      attributes: {
        ...backend,
        ...people,
        id: 'oidc',
        path: 'oidc',
        type: 'oidc',
        namespace_in_state: true,
        provider_config: {},
      },
      sensitive: ['oidc_client_secret'],
    },
    {
      type: 'vault_jwt_auth_backend',
      name: 'machines',
      attributes: {
        ...backend,
        ...issuer,
        id: 'ci',
        path: 'ci',
        type: 'jwt',
        namespace_in_state: true,
        provider_config: null,
      },
    },
  ];
}

/** Everything of the provider for which there is a kind, some of it in the namespace `tills`. */
export async function makeIdentity(secrets: SecretsService): Promise<readonly Resource[]> {
  await secrets.call('POST', '/v1/sys/namespaces/tills', {});
  const here = await makeDirectory(secrets, null, 'teams/ldap');
  const there = await makeDirectory(secrets, 'tills', 'ldap');
  const roles = await makeRoles(secrets, here.at, 'teams/ldap');
  const provider = {
    provider: 'azurekeyvault',
    key_collection: 'invoices-keys',
    credentials: { tenant_id: 't', client_id: 'c', client_secret: canary },
  };
  await secrets.call('POST', '/v1/keymgmt/kms/invoices', provider);
  const kms: Resource = {
    type: 'vault_keymgmt_azure_kms',
    name: 'invoices',
    attributes: {
      mount: 'keymgmt',
      name: 'invoices',
      namespace: null,
      key_collection: 'invoices-keys',
      credentials_wo: null,
      credentials_wo_version: 1,
    },
  };
  const other = { ...there.config, name: 'elsewhere' };
  return [...roles, here.config, other, ...(await makeLogins(secrets)), kms];
}
