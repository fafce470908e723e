// LDAPStaticRole: the static roles of a Terraform state, for `holdfast import`.
import { span, type ResourceType } from '../../schema/terraform.ts';
import { fields } from './schema.ts';

export const resources: ResourceType = {
  names: ['vault_ldap_secret_backend_static_role'],
  provider: 'vault',
  table: fields,
  name: ['role_name', '', 'externalName'],
  mount: ['mount', 'ldap', 'vault_ldap_secret_backend'],
  attributes: { username: '/username', dn: '/dn', rotation_period: ['/rotationPeriod', span] },
  always: { onCreate: 'Keep', deletionPolicy: 'Retain' },
  // Whether a password is rotated when a role is made is onCreate, and the role is made.
  unread: ['id', 'last_vault_rotation', 'skip_import_rotation', 'password_wo_version', 'timeouts'],
};
