// LDAPConfig: the configurations of a Terraform state, for `holdfast import`.
import { span, split, type ResourceType } from '../../schema/terraform.ts';
import { fields } from './schema.ts';

export const resources: ResourceType = {
  names: ['vault_ldap_secret_backend'],
  provider: 'vault',
  table: fields,
  name: ['path', 'ldap', 'mount'],
  attributes: {
    binddn: '/bindDN',
    url: ['/urls', split],
    schema: ['/schema', (value) => value],
    userdn: '/userDN',
    userattr: '/userAttr',
    upndomain: '/upnDomain',
    password_policy: '/passwordPolicy',
    request_timeout: ['/requestTimeout', span],
    connection_timeout: ['/connectionTimeout', span],
    starttls: '/startTLS',
    insecure_tls: '/insecureTLS',
    skip_static_role_import_rotation: '/skipStaticRoleImportRotation',
  },
  secrets: { bindpass: ['bindPasswordSecretRef', 'bind', 'password', '/bindDN'] },
  always: { deletionPolicy: 'Retain' },
  unread: ['id', 'accessor'],
};
