// What is declared at the mounts of the secrets service: as text for the program, and as plain facts for the oracle.
import { mountedSlots, type MountedSlot, type MountedWish } from '../history/mounted.ts';
import type { Declared, Held, Place } from '../oracle/record.ts';

export type MountedWishes = ReadonlyMap<MountedSlot, MountedWish>;

const apiVersion = 'holdfast.dev/v1alpha1';
const namespace = 'shop';

export const callback = 'http://localhost:8250/oidc/callback';
export const client = 'holdfast';
export const tenant = { tenant: 'tenant-1', client: 'client-1' } as const;
export const issuerAt = (name: string): string => `https://embedded/${name}`;

export const mountedFile = (slot: MountedSlot): string => `mounted/${slot}.yaml`;
export const mountedKey = (slot: MountedSlot): string => `${mountedSlots[slot].kind}/${namespace}/${slot}`;

/** As the secrets service knows it: its mount with what is listed there, and its name. */
export function mountedPlace(slot: MountedSlot): Place {
  const { kind, mount } = mountedSlots[slot];
  const scheduler = 'secrets';
  if (kind === 'OIDCConfig') return { scheduler, namespace: `auth/${mount}`, id: 'config' };
  if (kind === 'OIDCRole') return { scheduler, namespace: `auth/${mount}/role`, id: slot };
  return { scheduler, namespace: `${mount}/kms`, id: slot };
}

/** What nobody can read back. */
const hiddenOf = ({ secret, environment }: MountedWish): Held['hidden'] => ({
  ...(secret !== undefined && { secret }),
  ...(environment !== undefined && { environment }),
});

const heldOf = (slot: MountedSlot, wish: MountedWish): Held => ({
  shown: wish.shown,
  hidden: mountedSlots[slot].kind === 'OIDCRole' ? {} : hiddenOf(wish),
});

export function declaredAtMount(slot: MountedSlot, wish: MountedWish): Declared {
  const { kind } = mountedSlots[slot];
  const { collection } = wish.shown;
  return {
    key: mountedKey(slot),
    place: mountedPlace(slot),
    plugin: '',
    source: { create: { parameters: collection === undefined ? {} : { collection }, required: '' } },
    deletion: wish.deletion ?? (kind === 'OIDCRole' ? 'Delete' : 'Retain'),
    replace: 'Never',
    adoption: wish.adoption ?? 'Fail',
    suspended: wish.suspended,
    observed: wish.observed,
    held: heldOf(slot, wish),
  };
}

function specOf(slot: MountedSlot, { shown, environment }: MountedWish): object {
  const { kind, mount } = mountedSlots[slot];
  const connectionRef = { name: 'vault' };
  const entry = (key: string) => ({ name: slot, key });
  switch (kind) {
    case 'OIDCConfig':
      return {
        connectionRef,
        mount,
        discoveryURL: issuerAt(shown['issuer'] ?? ''),
        clientID: client,
        clientSecretSecretRef: entry('secret'),
        defaultRole: shown['defaultRole'],
        boundIssuer: shown['boundIssuer'],
      };
    case 'OIDCRole':
      return {
        configRef: { name: 'staff' },
        userClaim: shown['user'],
        groupsClaim: shown['groups'],
        tokenPolicies: shown['policies'] === undefined ? undefined : [shown['policies']],
        allowedRedirectURIs: [callback],
      };
    case 'KMSProvider':
      return {
        connectionRef,
        mount,
        provider: 'cloud_keystore',
        keyCollection: shown['collection'],
        credentials: {
          tenantIDSecretRef: entry('tenant'),
          clientIDSecretRef: entry('client'),
          clientSecretSecretRef: entry('secret'),
          environment,
        },
      };
  }
}

/** The object, and its Secret where there is one. */
export function mountedDocuments(slot: MountedSlot, wish: MountedWish): readonly object[] {
  const { kind } = mountedSlots[slot];
  const metadata = { name: slot, namespace };
  const { deletion, adoption, suspended, observed, secret } = wish;
  const spec = {
    ...specOf(slot, wish),
    deletionPolicy: deletion,
    adoptionPolicy: adoption,
    suspend: suspended,
    managementPolicy: observed ? 'ObserveOnly' : undefined,
  };
  const object = { apiVersion, kind, metadata, spec };
  if (secret === undefined || kind === 'OIDCRole') return [object];
  return [object, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { ...tenant, secret } }];
}
