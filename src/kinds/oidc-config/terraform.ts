// OIDCConfig: the configurations of a Terraform state, for `holdfast import`.
import type { ResourceType } from '../../schema/terraform.ts';
import { fields } from './schema.ts';

export const resources: ResourceType = {
  names: ['vault_jwt_auth_backend'],
  provider: 'vault',
  table: fields,
  name: ['path', 'jwt', 'mount'],
  only: ['type', 'oidc'],
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
  },
  secrets: { oidc_client_secret: ['clientSecretSecretRef', 'client', 'secret', '/clientID'] },
  always: {},
  unread: ['id', 'accessor'],
};
