// A provider with all that it can have declared, and what a service shows of it.
import type { Sample } from '../samples.ts';

const keyStore = {
  connectionRef: { name: 'vault' },
  mount: 'keymgmt',
  provider: 'cloud_keystore',
  keyCollection: 'invoices',
};

export const keyStoreSample: Sample = {
  specs: [
    keyStore,
    {
      ...keyStore,
      deletionPolicy: 'Delete',
      credentials: {
        tenantIDSecretRef: { name: 'l', key: 't' },
        clientIDSecretRef: { name: 'l', key: 'c' },
        clientSecretSecretRef: { name: 'l', key: 's' },
        environment: 'GovernmentCloud',
      },
    },
    { ...keyStore, adoptionPolicy: 'Adopt', credentials: { tenantIDSecretRef: { name: 'l', key: 't' } } },
  ],
  replies: {
    'kms.provider.read': { data: { provider: 'azurekeyvault', key_collection: 'invoices' } },
    'kms.mount.read': { data: { type: 'keymgmt' } },
  },
  ref: { backend: 'b1', mount: 'keymgmt', name: 'data' },
  own: { written: true },
  requests: [],
};
