// KMSProvider: the key stores of a Terraform state, for `holdfast import`.
import { FromSecret, type ResourceType, type Said } from '../../schema/terraform.ts';
import { fields } from './schema.ts';

/** No state holds the credentials. That there are some is told by their version. */
const credentials = (): Said => ({
  fields: Object.fromEntries(
    [
      ['tenantIDSecretRef', 'tenant_id'],
      ['clientIDSecretRef', 'client_id'],
      ['clientSecretSecretRef', 'client_secret'],
    ].map(([field = '', key = '']) => [`/credentials/${field}`, new FromSecret('kms', key)]),
  ),
});

export const resources: ResourceType = {
  names: ['vault_keymgmt_azure_kms'],
  provider: 'vault',
  table: fields,
  name: ['name', '', 'externalName'],
  engine: ['mount', 'keymgmt'],
  attributes: {
    mount: '/mount',
    key_collection: '/keyCollection',
    credentials_wo_version: credentials,
  },
  always: { provider: 'cloud_keystore', deletionPolicy: 'Retain' },
  unread: ['id', 'uuid', 'timeouts'],
};
