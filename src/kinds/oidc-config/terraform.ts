// OIDCConfig: the configurations of a Terraform state, for `holdfast import`.
import { isRecord } from '../../core/json.ts';
import { FromSecret, split, type ResourceType, type Said } from '../../schema/terraform.ts';
import { fields } from './schema.ts';

const providers: ReadonlyMap<unknown, string> = new Map([
  ['azure', 'cloud_directory'],
  ['gsuite', 'workspace_directory'],
]);

const flag = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? undefined : value);

/** A path on the service's machine, or the key itself. */
const account = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'string' && value.startsWith('/')
    ? { '/providerConfig/serviceAccountPath': value }
    : { '/providerConfig/serviceAccountSecretRef': new FromSecret('workspace', 'account.json') };

/** The provider keeps everything in it as text. */
function providerConfig(value: unknown, _: unknown, isSensitive: boolean): Said {
  if (!isRecord(value)) return { fields: {}, lost: [] };
  const {
    provider,
    gsuite_service_account: key,
    gsuite_admin_impersonate: admin,
    fetch_groups: groups,
    fetch_user_info: users,
    groups_recurse_max_depth: depth,
    user_custom_schemas: schemas,
    ...others
  } = value;
  const lost = Object.keys(others);
  if (isSensitive || !providers.has(provider)) return { fields: {}, lost: Object.keys(value) };
  return {
    fields: {
      '/providerConfig/provider': providers.get(provider),
      ...(key !== undefined && account(key)),
      '/providerConfig/adminImpersonate': admin,
      '/providerConfig/fetchGroups': flag(groups),
      '/providerConfig/fetchUserInfo': flag(users),
      '/providerConfig/groupsRecurseMaxDepth': depth === undefined ? undefined : Number(depth),
      '/providerConfig/userCustomSchemas': split(schemas),
    },
    lost,
  };
}

export const resources: ResourceType = {
  names: ['vault_jwt_auth_backend'],
  provider: 'vault',
  table: fields,
  name: ['path', 'jwt', 'mount'],
  // Keys from elsewhere are another way to log in, which no kind declares.
  needs: ['oidc_discovery_url'],
  attributes: {
    oidc_discovery_url: '/discoveryURL',
    oidc_discovery_ca_pem: '/discoveryCA',
    oidc_client_id: '/clientID',
    default_role: '/defaultRole',
    bound_issuer: '/boundIssuer',
    jwt_supported_algs: '/jwtSupportedAlgs',
    oidc_response_mode: '/responseMode',
    oidc_response_types: '/responseTypes',
    namespace_in_state: '/namespaceInState',
    provider_config: providerConfig,
  },
  secrets: {
    oidc_client_secret: {
      path: '/clientSecretSecretRef',
      from: new FromSecret('client', 'secret'),
      by: '/clientID',
    },
  },
  always: {},
  unread: ['id', 'accessor', 'type', 'oidc_client_secret_wo_version', 'disable_remount', 'timeouts'],
  ofMount: ['description', 'local', 'tune'],
};
