// LDAPConfig: the configurations of a Terraform state, for `holdfast import`.
import { FromSecret, fromSecret, ofEngine, span, split, type ResourceType } from '../../schema/terraform.ts';
import { fields } from './schema.ts';

/** The provider has the service's own word. */
const schema = (value: unknown): unknown => (value === 'openldap' ? 'ldap' : value);

export const resources: ResourceType = {
  names: ['vault_ldap_secret_backend'],
  provider: 'vault',
  table: fields,
  name: ['path', 'ldap', 'mount'],
  attributes: {
    binddn: '/bindDN',
    url: ['/urls', split],
    schema: ['/schema', schema],
    userdn: '/userDN',
    userattr: '/userAttr',
    upndomain: '/upnDomain',
    password_policy: '/passwordPolicy',
    length: '/length',
    request_timeout: ['/requestTimeout', span],
    connection_timeout: ['/connectionTimeout', span],
    starttls: '/startTLS',
    insecure_tls: '/insecureTLS',
    certificate: ['/caSecretRef', fromSecret('tls', 'ca.pem')],
    client_tls_cert: ['/clientCertificateSecretRef', fromSecret('tls', 'client.pem')],
    client_tls_key: ['/clientKeySecretRef', fromSecret('tls', 'client.key')],
    skip_static_role_import_rotation: '/skipStaticRoleImportRotation',
  },
  secrets: {
    bindpass: {
      path: '/bindPasswordSecretRef',
      from: new FromSecret('bind', 'password'),
      by: '/bindDN',
    },
  },
  always: { deletionPolicy: 'Retain' },
  unread: ['id', 'accessor', 'bindpass_wo_version', 'disable_remount', 'timeouts'],
  ofMount: ofEngine,
  usual: { credential_type: 'password' },
};
